import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { accessTokens, newRefreshToken } from '#features/accounts/server/index.ts'
import { hashToken } from '#platform/keyed-hashes.ts'
import type { Database } from '#platform/database.ts'

/** A customer who is logged in and has an empty cart. */
export interface MadeCustomer {
  email: string
  userId: number
  cartId: number
  sessionId: string
  access: string
  refresh: string
  /** Until when the access token is good, as its claim says. */
  expiresAt: Date
}

interface MakeOptions {
  /** The shop's SECRET_KEY. */
  secret: string
  /** What all of them log in with; a text that is no hash lets nobody in. */
  passwordHash: string
}

/** Customers of one statement. */
const AT_ONCE = 1_000

/** Makes customers with a session and a cart each, thousands in a second: they never go through a registration. */
export async function makeCustomers(
  db: Database,
  count: number,
  options: MakeOptions,
): Promise<MadeCustomer[]> {
  const run = randomBytes(5).toString('hex')
  const made: MadeCustomer[] = []
  for (let first = 1; first <= count; first += AT_ONCE)
    made.push(...(await makeSome(db, { run, first, count: Math.min(AT_ONCE, count - first + 1) }, options)))
  return made
}

async function makeSome(
  db: Database,
  { run, first, count }: { run: string; first: number; count: number },
  { secret, passwordHash }: MakeOptions,
): Promise<MadeCustomer[]> {
  const refreshes = Array.from({ length: count }, newRefreshToken)
  const sessions = refreshes.map(() => randomUUID())
  const { rows } = await sql<{ user_id: number; email: string; cart_id: number; place: number }>`
    WITH wanted AS (
      SELECT *, 'load-' || ${run}::text || '-' || (${first} + place - 1) AS name
      FROM unnest(${sessions}::uuid[], ${refreshes.map((one) => hashToken(one).toString('hex'))}::text[])
        WITH ORDINALITY AS w (session_id, hash, place)
    ),
    people AS (
      INSERT INTO users (username, email, password_hash, email_confirmed_at)
      SELECT name, name || '@customers.test', ${passwordHash}, now() FROM wanted ORDER BY place
      RETURNING id, username, email
    ),
    baskets AS (INSERT INTO carts (user_id) SELECT id FROM people RETURNING id, user_id),
    logins AS (
      INSERT INTO sessions (id, user_id, refresh_hash, expires_at)
      SELECT session_id, people.id, decode(hash, 'hex'), now() + interval '30 days'
      FROM wanted JOIN people ON people.username = wanted.name
    )
    SELECT people.id AS user_id, email, baskets.id AS cart_id, place
    FROM wanted JOIN people ON people.username = wanted.name JOIN baskets ON baskets.user_id = people.id
    ORDER BY place`.execute(db)
  const tokens = accessTokens({ secret })
  return Promise.all(
    rows.map(async ({ user_id: userId, email, cart_id: cartId, place }) => {
      const sessionId = sessions[place - 1] ?? ''
      const access = await tokens.issue({ userId, sessionId })
      return {
        email,
        userId,
        cartId,
        sessionId,
        access,
        refresh: refreshes[place - 1] ?? '',
        expiresAt: new Date(expiryOf(access) * 1000),
      }
    }),
  )
}

const expiryOf = (token: string): number =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }).exp

/** Whether an order was ever created at the real PayPal, by the address at which its buyer approves it. */
export async function hasRealOrders(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT 1 FROM orders
      WHERE payment_url ~* '^https://([a-z0-9-]+[.])*paypal[.]com([:/?]|$)'
        AND payment_url !~* '^https://([a-z0-9-]+[.])*sandbox[.]paypal[.]com([:/?]|$)'
    ) AS found`.execute(db)
  return rows[0]?.found ?? false
}
