import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'

/**
 * Whether anybody was ever sent to pay with real money: an order says where its buyer approved it, and that was neither
 * PayPal's sandbox nor an emulator. It stays so whatever the settings are by now.
 */
export async function hasRealOrders(db: Sql): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT 1 FROM orders
      WHERE payment_url ~* '^https://([a-z0-9-]+[.])*paypal[.]com([:/?]|$)'
        AND payment_url !~* '^https://([a-z0-9-]+[.])*sandbox[.]paypal[.]com([:/?]|$)'
    ) AS found`.execute(db)
  return rows[0]?.found ?? false
}
