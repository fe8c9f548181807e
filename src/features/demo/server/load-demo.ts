import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Passwords, createDemoAccount } from '#features/accounts/server/index.ts'
import { DRAW_AFTER_MS, insertOffer } from '#features/offers/server/index.ts'
import { assignNumbers, issueTickets } from '#features/tickets/server/index.ts'
import type { Database, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import {
  type DemoContest,
  type UpcomingContest,
  demoContests,
  upcomingContests,
} from '../../../../db/demo/contests.ts'
import { dateTickets, hasOffers, lockLoading, markAsDemonstration } from './demo.repository.ts'

export interface DemoOptions {
  db: Database
  passwords: Passwords
  dataDir: string
  /** End dates are relative to it. */
  now: Date
}

const DAY_MS = 86_400_000

interface DemoLogin {
  email: string
  password: string
}

const DEMO_ACCOUNTS_FILE = 'demo-accounts.json'

/** In a contest that is over. */
const CUSTOMERS_TICKETS = 3

const PLAYERS = ['lotte', 'mathieu', 'femke', 'hugo', 'ines', 'jonas', 'klaus', 'amelie', 'pieter', 'sophie']

type DemoLogins = Partial<Record<'customer' | 'staff', DemoLogin>>

/** Fills an empty shop, once. Writes the logins before the commit: after a crash the next start replaces them. */
export async function loadDemo({ db, passwords, dataDir, now }: DemoOptions): Promise<void> {
  if (await hasOffers(db)) return
  await transact(db, async (trx) => {
    await lockLoading(trx)
    if (await hasOffers(trx)) return
    await markAsDemonstration(trx)
    const { logins, customer, players } = await demoAccounts(trx, passwords)
    for (const contest of demoContests(now)) await loadContest(trx, contest, { customer, players }, now)
    for (const contest of upcomingContests(now)) await loadUpcoming(trx, contest)
    writeLogins(path.join(dataDir, DEMO_ACCOUNTS_FILE), logins)
  })
}

interface Buyers {
  customer: number
  players: readonly number[]
}

/** Random passwords. @returns the new logins, and the accounts' ids */
async function demoAccounts(trx: Trx, passwords: Passwords): Promise<Buyers & { logins: DemoLogins }> {
  const logins: DemoLogins = {}
  let customer = 0
  const people = [
    { kind: 'customer', email: 'client@volant.example', username: 'camille', phone: '+33612345678' },
    { kind: 'staff', email: 'equipe@volant.example', username: 'equipe', phone: '', role: 'owner' },
  ] as const
  for (const { kind, ...person } of people) {
    const password = newPassword()
    const { id, isNew } = await createDemoAccount(trx, passwords, { ...person, password, language: 'fr' })
    if (kind === 'customer') customer = id
    if (isNew) logins[kind] = { email: person.email, password }
  }
  const players: number[] = []
  for (const username of PLAYERS) {
    const player = { username, email: `${username}@players.example`, password: newPassword(), phone: '' }
    players.push((await createDemoAccount(trx, passwords, { ...player, language: 'fr' })).id)
  }
  return { logins, customer, players }
}

const newPassword = (): string => `${randomBytes(9).toString('base64url')}-Va1!`

/** Replaces the file atomically; logins of existing accounts stay. */
function writeLogins(file: string, logins: DemoLogins): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.new`
  const all = JSON.stringify({ ...readLogins(file), ...logins }, null, 2)
  writeFileSync(draft, `${all}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

function readLogins(file: string): DemoLogins {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoLogins
  } catch {
    return {}
  }
}

async function loadContest(
  trx: Trx,
  contest: DemoContest,
  { customer, players }: Buyers,
  now: Date,
): Promise<void> {
  const key = randomBytes(32)
  const { plate: _, pictures, ticketPriceCents, totalTickets: total, demoSold, ...rest } = contest
  const { isActive, endDate: end_date, ...texts } = rest
  const state = isActive && end_date > now ? 'open' : 'closed'
  const offerId = await insertOffer(trx, {
    offer: {
      ...texts,
      price_cents: ticketPriceCents,
      total_tickets: total,
      tickets_sold: demoSold,
      state,
      end_date,
      draw_at: drawOf(end_date),
      number_key: key,
    },
    pictures: pictures.map(demoPicture),
  })
  // What the customer has in running contests is bought when the shop runs (tools/run/demo-history.ts).
  const own = end_date <= now ? CUSTOMERS_TICKETS : 0
  const share = Math.ceil((demoSold - own) / players.length)
  const sales = players.map((userId, index) => {
    const sold = Math.min(demoSold - own, share * (index + 1))
    return { userId, sold, quantity: sold - share * index }
  })
  for (const { userId, sold, quantity } of [...sales, { userId: customer, sold: demoSold, quantity: own }]) {
    if (quantity <= 0) continue
    const { slug, title, title_nl, title_en } = texts
    const shown = { slug, title, title_nl, title_en, end_date }
    const sale = { offerId, sold, quantity, total, key, contest: shown }
    await issueTickets(trx, assignNumbers([{ sales: [sale], userId, source: 'demo', atMs: now.getTime() }]))
  }
  if (own > 0) await dateTickets(trx, offerId, new Date(end_date.getTime() - 5 * DAY_MS))
}

/** Two hours after the end. */
const drawOf = (end: Date): Date => new Date(end.getTime() + DRAW_AFTER_MS)

/** A contest that nobody outside the console sees. */
async function loadUpcoming(trx: Trx, contest: UpcomingContest): Promise<void> {
  const { pictures, ticketPriceCents, totalTickets, maxPerPerson, prizeValueCents, ...rest } = contest
  const { opensAt: opens_at, endDate: end_date, ...fields } = rest
  await insertOffer(trx, {
    offer: {
      ...fields,
      price_cents: ticketPriceCents,
      total_tickets: totalTickets,
      max_per_person: maxPerPerson,
      prize_value_cents: prizeValueCents,
      opens_at,
      end_date,
      draw_at: end_date && drawOf(end_date),
      number_key: randomBytes(32),
    },
    pictures: pictures.map(demoPicture),
  })
}

interface IndexEntry {
  widths: number[]
  width: number
  height: number
  color: string
}

const index = new Map(
  Object.entries(
    JSON.parse(
      readFileSync(new URL('../../../../db/demo/pictures/index.json', import.meta.url), 'utf8'),
    ) as Record<string, IndexEntry>,
  ),
)

function demoPicture({ stem, alt }: DemoContest['pictures'][number]) {
  const entry = index.get(stem)
  if (entry === undefined) throw new Error(`db/demo/pictures/index.json has no picture "${stem}"`)
  const { widths, width, height, color } = entry
  return {
    src: `/media/${stem}`,
    widths,
    width,
    height,
    color,
    alt_fr: alt.fr,
    alt_nl: alt.nl,
    alt_en: alt.en,
  }
}
