import { setTimeout as sleep } from 'node:timers/promises'
import { providerLedger } from '#features/purchase/payments/server/index.ts'
import type { Database } from '#platform/database.ts'
import { type Breach, type Invariant, type ProviderLedger, reconcileLedgers } from '#platform/invariants.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'
import type { Config } from '#server/config.ts'

/** Orders of a live shop that are reconciled: those of the last month, and of them the newest. */
const LIVE = { hours: 31 * 24, most: 5_000 }
const PAUSE_MS = 1_000

interface EmulatorCapture {
  id: string
  order_id: string
  status: string
  cents: number
  currency: string
  refunded_cents: number
}

/** The ledger of the emulator, all that it has not forgotten; PayPal has no such call. @param token of a demonstration */
export async function emulatorLedger(address: string, token?: string): Promise<ProviderLedger> {
  const headers: Record<string, string> = token === undefined ? {} : { cookie: `demo_token=${token}` }
  const response = await fetch(`${address}/_emulator/book`, { headers })
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`)
  const { orders, captures, forgotten } = (await response.json()) as {
    orders: { id: string }[]
    captures: EmulatorCapture[]
    forgotten: number
  }
  return {
    orders: forgotten > 0 ? orders.map(({ id }) => id) : null,
    captures: captures.map(({ id, order_id, status, cents, currency, refunded_cents }) => ({
      capture_id: id,
      provider_order_id: order_id,
      status: status.toLowerCase(),
      cents,
      currency,
      refunded_cents,
    })),
  }
}

const isPayPal = (address: string): boolean => /(^|\.)paypal\.com$/.test(new URL(address).hostname)

/** Reconciles our ledger with the emulator's, or the recent orders with PayPal's. */
export function reconcileWithProvider(
  db: Database,
  invariant: Invariant,
  config: Config,
): Promise<Breach | undefined> {
  const paypal = paypalClient({
    baseUrl: config.paypalBaseUrl,
    clientId: config.paypalClientId,
    clientSecret: config.paypalClientSecret,
    timeoutMs: config.paypalTimeoutMs,
  })
  const fetchLedger = isPayPal(config.paypalBaseUrl)
    ? () => providerLedger(db, paypalProvider(paypal), LIVE)
    : () => emulatorLedger(config.paypalBaseUrl, config.demoToken)
  return reconcileLedgers(db, invariant, fetchLedger, () => sleep(PAUSE_MS))
}

const ROWS_SHOWN = 20

const cell = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const rowText = (row: Record<string, unknown>): string =>
  Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${cell(value)}`)
    .join(' ')

/** One line for each invariant, and below a broken one the rows that break it. */
export function reportLines(invariants: readonly Invariant[], breaches: readonly Breach[]): string[] {
  return invariants.flatMap(({ name, title }) => {
    const breach = breaches.find((one) => one.name === name)
    if (!breach) return [`holds   ${name.padEnd(4)} ${title}`]
    const { rows, more } = breach
    const hidden = rows.length - ROWS_SHOWN
    return [
      `BROKEN  ${name.padEnd(4)} ${title}  (${more ? 'more than ' : ''}${rows.length} rows)`,
      ...rows.slice(0, ROWS_SHOWN).map((row) => `          ${rowText(row)}`),
      ...(hidden > 0 ? [`          … and ${more ? 'more than ' : ''}${hidden} more`] : []),
    ]
  })
}
