import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Passwords, createDemoAccount } from '#features/accounts/server/index.ts'
import { insertOffer } from '#features/offers/server/index.ts'
import type { Database, Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import { type DemoContest, type UpcomingContest, demoContests, upcomingContests } from './contests.ts'
import { Rows } from '../story/rows.ts'
import { type Buyer, DAY_MS, MINUTE_MS, addTicket, nextNumbers } from '../story/sales.ts'
import { hasOffers, insertRows, lockLoading, markAsDemonstration, reserveIds } from './demo.repository.ts'
import {
  type DemoStaff,
  type HistoryShop,
  type StoredContest,
  cancelledOffer,
  loadHistory,
  planHistory,
} from './load-history.ts'
import { pictureNamed } from './pictures.ts'
import { HISTORY_DAYS } from './sales-plan.ts'

export { claimPrizes } from './winners.ts'

export interface DemoOptions {
  db: Database
  passwords: Passwords
  dataDir: string
  /** End dates are relative to it. */
  now: Date
  /** How long after the end of a contest its draw comes at the earliest. */
  drawRoomMinutes: number
  /** With it the demonstration has a fortnight of sales, whose payments the starter tells the emulator. */
  history?: HistoryShop
}

interface DemoLogin {
  email: string
  password: string
}

const DEMO_ACCOUNTS_FILE = 'demo-accounts.json'
/** tools/run/demo-payments.ts reads it. */
const PAYMENTS_FILE = 'demo-payments.json'

/** In a contest that is over as soon as the shop runs. */
const CUSTOMERS_TICKETS = 3

const PLAYERS = ['lotte', 'mathieu', 'femke', 'hugo', 'ines', 'jonas', 'klaus', 'amelie', 'pieter', 'sophie']

type Login = 'customer' | 'staff' | 'support' | 'postal'
type DemoLogins = Partial<Record<Login, DemoLogin>>

/**
 * Fills an empty shop, once. Writes the logins and the provider's part of the history before the commit: after a crash
 * the next start replaces them.
 */
export async function loadDemo(options: DemoOptions): Promise<void> {
  const { db, passwords, dataDir, now, history: shop } = options
  const drawOf = drawsFrom(options)
  if (await hasOffers(db)) return
  // Hashing takes long: not while others wait for the lock.
  const people = await withPasswords(passwords)
  await transact(db, async (trx) => {
    await lockLoading(trx)
    if (await hasOffers(trx)) return
    await markAsDemonstration(trx)
    const { logins, staff, ...buyers } = await demoAccounts(trx, people, now)
    const customer: Buyer = { ...CUSTOMER, id: buyers.customer, country: 'BE', language: 'fr' }
    const contests = demoContests(now)
    const plan = shop && planHistory(contests, now, shop.timeZone)
    const stored = new Map<string, StoredContest>()
    for (const contest of contests) {
      const later = plan?.issued.get(contest.slug) ?? 0
      const held = plan?.held.get(contest.slug) ?? 0
      stored.set(contest.slug, await loadContest(trx, contest, { ...buyers, later, held }, { now, drawOf }))
    }
    for (const contest of upcomingContests(now)) await loadUpcoming(trx, contest, drawOf)
    if (shop && plan) {
      const { slug } = cancelledOffer(now).offer
      stored.set(slug, await loadCancelled(trx, shop, plan.issued.get(slug) ?? 0, { now, drawOf }))
      const payments = await loadHistory(trx, { shop, now, plan, contests: stored, customer, staff })
      replaceFile(path.join(dataDir, PAYMENTS_FILE), JSON.stringify(payments))
    }
    writeLogins(path.join(dataDir, DEMO_ACCOUNTS_FILE), logins)
  })
}

interface Buyers {
  customer: number
  players: readonly number[]
}

const CUSTOMER = { email: 'client@volant.example', username: 'camille' }
const PEOPLE = [
  { kind: 'staff', email: 'equipe@volant.example', username: 'equipe', phone: '', role: 'owner' },
  { kind: 'support', email: 'aide@volant.example', username: 'helene', phone: '', role: 'support' },
  { kind: 'postal', email: 'courrier@volant.example', username: 'bart', phone: '', role: 'postal' },
  { kind: 'customer', ...CUSTOMER, phone: '+33612345678' },
] as const

/** Random passwords with their hashes. */
const withPasswords = (passwords: Passwords) =>
  Promise.all(
    PEOPLE.map(async (person) => {
      const password = newPassword()
      return { ...person, password, password_hash: await passwords.hash(password) }
    }),
  )

/** Who was there before the history: accounts are numbered in the order of their registration. */
const REGISTERED_DAYS_AGO = 150

/** @returns the new logins, and the accounts' ids */
async function demoAccounts(trx: Trx, people: Awaited<ReturnType<typeof withPasswords>>, now: Date) {
  const logins: DemoLogins = {}
  const ids: Partial<Record<Login, number>> = {}
  const created_at = new Date(now.getTime() - REGISTERED_DAYS_AGO * DAY_MS)
  for (const { kind, password, ...person } of people) {
    const { id, isNew } = await createDemoAccount(trx, { ...person, language: 'fr', created_at })
    ids[kind] = id
    if (isNew) logins[kind] = { email: person.email, password }
  }
  const staffOf = (kind: Login, username: string, role: DemoStaff['role']): DemoStaff => ({
    id: ids[kind] ?? 0,
    username,
    role,
  })
  const staff = {
    owner: staffOf('staff', 'equipe', 'owner'),
    support: staffOf('support', 'helene', 'support'),
    postal: staffOf('postal', 'bart', 'postal'),
  }
  const players = await reserveIds(trx, 'users', PLAYERS.length)
  const rows = new Rows()
  for (const [place, username] of PLAYERS.entries())
    rows.add('users', {
      id: players[place] ?? 0,
      username,
      email: `${username}@players.example`,
      // Nobody logs in as them.
      password_hash: 'none',
      language: 'fr',
      created_at,
      email_confirmed_at: created_at,
    })
  await insertRows(trx, rows)
  return { logins, staff, customer: ids.customer ?? 0, players }
}

const newPassword = (): string => `${randomBytes(9).toString('base64url')}-Va1!`

/** Replaces the file atomically; logins of existing accounts stay. */
const writeLogins = (file: string, logins: DemoLogins): void =>
  replaceFile(file, `${JSON.stringify({ ...readLogins(file), ...logins }, null, 2)}\n`)

function replaceFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, file)
}

function readLogins(file: string): DemoLogins {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoLogins
  } catch {
    return {}
  }
}

/** @param buyers with how many numbers the history gives after these, and how many tickets it holds */
async function loadContest(
  trx: Trx,
  contest: DemoContest,
  { customer, players, later, held }: Buyers & { later: number; held: number },
  { now, drawOf }: Times,
): Promise<StoredContest> {
  const key = randomBytes(32)
  const {
    pictures,
    ticketPriceCents,
    totalTickets: total,
    demoSold,
    prizeValueCents,
    reservePercent,
    publishedAt,
    ...rest
  } = contest
  const { isActive, endDate, drawsSoon, ...texts } = rest
  const isOver = endDate <= now
  // Terms are published before the end of a contest, or never.
  const end_date = isOver && isActive ? new Date(+now + MINUTE_MS) : endDate
  const state = isActive && end_date > now ? 'open' : 'closed'
  const offerId = await insertOffer(trx, {
    offer: {
      ...texts,
      price_cents: ticketPriceCents,
      total_tickets: total,
      tickets_sold: demoSold,
      tickets_held: held,
      prize_value_cents: prizeValueCents,
      postal_reserve_percent: reservePercent,
      state,
      created_at: publishedAt,
      ...(demoSold > 0 && { entered_at: publishedAt }),
      end_date,
      draw_at: drawOf(end_date, drawsSoon || isOver),
      number_key: key,
    },
    pictures: pictures.map(demoPicture),
  })
  const given = demoSold - later
  // What the customer has in running contests is a part of the history.
  const own = isOver ? CUSTOMERS_TICKETS : 0
  if (given < own) throw new Error(`the history sells more of ${texts.slug} than it has`)
  // Sold evenly before the fortnight of the history, or in it.
  const begin = publishedAt.getTime()
  const before = now.getTime() - HISTORY_DAYS * DAY_MS
  const end = begin < before ? before : Math.min(now.getTime(), endDate.getTime())
  const share = Math.ceil((given - own) / players.length)
  const stored: StoredContest = {
    id: offerId,
    slug: texts.slug,
    titles: texts.titles,
    priceCents: ticketPriceCents,
    total,
    key,
    end: end_date,
    choices: texts.choices,
    correct: texts.correct_choice,
    given: 0,
  }
  const rows = new Rows()
  for (const [index, number] of nextNumbers(stored, given).entries()) {
    const isOwn = index >= given - own
    const at = isOwn
      ? endDate.getTime() - 5 * DAY_MS
      : begin + Math.floor(((end - begin) * (index + 1)) / (given + 1))
    addTicket(rows, {
      id: newId(at),
      contest: stored,
      number,
      userId: isOwn ? customer : (players[Math.floor(index / share)] ?? customer),
      orderId: null,
      source: 'demo',
      at: new Date(at),
      isVoid: false,
    })
  }
  await insertRows(trx, rows)
  return stored
}

async function loadCancelled(
  trx: Trx,
  { noteCancellation }: HistoryShop,
  sold: number,
  { now, drawOf }: Times,
): Promise<StoredContest> {
  const { offer, pictures } = cancelledOffer(now)
  const key = randomBytes(32)
  const id = await insertOffer(trx, {
    offer: { ...offer, tickets_sold: sold, draw_at: drawOf(offer.end_date), number_key: key },
    pictures: pictures.map(demoPicture),
  })
  await noteCancellation(trx, id)
  return {
    id,
    slug: offer.slug,
    titles: offer.titles,
    priceCents: offer.price_cents,
    total: offer.total_tickets,
    key,
    end: offer.end_date,
    choices: offer.choices,
    correct: offer.correct_choice,
    given: 0,
  }
}

/** Cards of the last day are registered before the draw. */
const DRAW_AFTER_DAYS = 3

type DrawOf = (end: Date, isSoon?: boolean) => Date

interface Times {
  now: Date
  drawOf: DrawOf
}

const drawsFrom = ({ drawRoomMinutes }: Pick<DemoOptions, 'drawRoomMinutes'>): DrawOf => {
  const roomMs = drawRoomMinutes * MINUTE_MS
  return (end, isSoon = false) => new Date(isSoon ? +end + roomMs : +end + DRAW_AFTER_DAYS * DAY_MS)
}

/** A contest that nobody outside the console sees. */
async function loadUpcoming(trx: Trx, contest: UpcomingContest, drawOf: DrawOf): Promise<void> {
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

const demoPicture = ({ stem, alt }: DemoContest['pictures'][number]) => ({ ...pictureNamed(stem), alts: alt })
