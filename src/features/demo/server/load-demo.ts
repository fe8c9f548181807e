import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Passwords, createDemoAccount } from '#features/accounts/server/index.ts'
import { insertOffer } from '#features/offers/server/index.ts'
import { issueTickets } from '#features/tickets/server/index.ts'
import type { Database, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { type DemoContest, demoContests } from '../../../../db/demo/contests.ts'
import { demoPicture } from './demo-pictures.ts'
import { hasOffers, lockLoading } from './demo.repository.ts'

export interface DemoOptions {
  db: Database
  passwords: Passwords
  /** Where the accounts are written down. */
  dataDir: string
  /** End dates are relative to it, so that a demonstration never begins stale. */
  now: Date
}

/** One sign-in of the demonstration. */
interface DemoLogin {
  email: string
  password: string
}

/** File in DATA_DIR that tells the accounts of the demonstration. */
const DEMO_ACCOUNTS_FILE = 'demo-accounts.json'

const PLAYERS = ['lotte', 'mathieu', 'femke', 'hugo', 'ines', 'jonas', 'klaus', 'amelie', 'pieter', 'sophie']

/**
 * Fills an empty shop with the demo contests, their players and two accounts to sign in with. A shop that has offers
 * already stays as it is; two processes that start at once load it once.
 */
export async function loadDemo(options: DemoOptions): Promise<void> {
  if (await hasOffers(options.db)) return
  const accounts = await demoAccounts(options)
  await transact(options.db, async (trx) => {
    await lockLoading(trx)
    if (await hasOffers(trx)) return
    for (const contest of demoContests(options.now))
      await loadContest(trx, contest, accounts.players, options.now)
  })
}

/** Makes the accounts, with passwords of this installation alone, and writes the two for people into a file. */
async function demoAccounts({ db, passwords, dataDir }: DemoOptions): Promise<{ players: number[] }> {
  const customer = { email: 'client@volant.example', password: newPassword() }
  const staff = { email: 'equipe@volant.example', password: newPassword() }
  const shared = { language: 'fr' as const }
  await createDemoAccount(db, passwords, {
    ...customer,
    ...shared,
    username: 'camille',
    phone: '+33612345678',
  })
  await createDemoAccount(db, passwords, {
    ...staff,
    ...shared,
    username: 'equipe',
    phone: '',
    is_staff: true,
  })
  writeAccounts(dataDir, { customer, staff })
  const players: number[] = []
  for (const name of PLAYERS) {
    const player = { username: name, email: `${name}@players.example`, password: newPassword(), phone: '' }
    players.push(await createDemoAccount(db, passwords, { ...player, ...shared }))
  }
  return { players }
}

const newPassword = (): string => `${randomBytes(9).toString('base64url')}-Va1!`

function writeAccounts(dataDir: string, accounts: Record<'customer' | 'staff', DemoLogin>): void {
  mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, DEMO_ACCOUNTS_FILE)
  writeFileSync(file, `${JSON.stringify(accounts, null, 2)}\n`, { mode: 0o600 })
}

async function loadContest(
  trx: Trx,
  contest: DemoContest,
  players: readonly number[],
  now: Date,
): Promise<void> {
  const key = randomBytes(32)
  const offerId = await insertOffer(trx, {
    offer: {
      slug: contest.slug,
      title: contest.title,
      title_nl: contest.title_nl,
      title_en: contest.title_en,
      description: contest.description,
      description_nl: contest.description_nl,
      description_en: contest.description_en,
      price_cents: contest.ticketPriceCents,
      total_tickets: contest.totalTickets,
      tickets_sold: contest.demoSold,
      active: contest.isActive,
      end_date: contest.endDate,
      question: contest.question,
      question_nl: contest.question_nl ?? null,
      question_en: contest.question_en ?? null,
      choices: contest.choices,
      correct_choice: contest.correct_choice,
      number_key: key,
    },
    pictures: contest.pictures.map(demoPicture),
  })
  // Each player gets an equal run of the numbers sold so far.
  const share = Math.ceil(contest.demoSold / players.length)
  for (const [index, userId] of players.entries()) {
    const sold = Math.min(contest.demoSold, share * (index + 1))
    const quantity = sold - share * index
    if (quantity <= 0) break
    const sale = { offerId, sold, quantity, total: contest.totalTickets, key }
    await issueTickets(trx, [sale], { userId, source: 'demo', atMs: now.getTime() })
  }
}
