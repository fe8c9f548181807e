import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { NotNull } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDemoAccount, createPasswords } from '#features/accounts/server/index.ts'
import { type TestDatabase, testDatabase } from '../../test/support/database.ts'
import { isDemonstration } from '#features/demo/server/index.ts'
import { loadDemo } from './load-demo.ts'
import { isExtended } from '../../test/support/tier.ts'

const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 1_000 }
const passwords = createPasswords(CHEAP)

const ALL_ACCEPTED = { customer: true, staff: true, support: true, postal: true }

let database: TestDatabase
let dataDir: string

beforeEach(async () => {
  database = await testDatabase()
  dataDir = await mkdtemp(path.join(tmpdir(), 'volant-demo-'))
})
afterEach(async () => {
  await database.close()
  await rm(dataDir, { recursive: true })
})

const load = () => loadDemo({ db: database.db, passwords, dataDir, now: new Date(), drawRoomMinutes: 3 })

/** Which logins of the file their accounts accept, by kind. */
async function accepted(): Promise<Record<string, boolean>> {
  const logins = JSON.parse(await readFile(path.join(dataDir, 'demo-accounts.json'), 'utf8')) as Record<
    string,
    { email: string; password: string }
  >
  const users = await database.db.selectFrom('users').select(['email', 'password_hash']).execute()
  const found = Object.entries(logins).map(async ([kind, { email, password }]) => {
    const user = users.find((one) => one.email === email)
    return [kind, (await passwords.verify(password, user?.password_hash ?? '')).right] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

const count = async (table: 'users' | 'offers'): Promise<number> =>
  (await database.db.selectFrom(table).select('id').execute()).length

test('concurrent first starts make one demonstration, its logins in the file, its addresses confirmed', async () => {
  await Promise.all(Array.from({ length: 4 }, () => load()))
  expect(await accepted()).toEqual(ALL_ACCEPTED)
  expect(await isDemonstration(database.db)).toBe(true)
  expect(await count('users')).toBe(14)
  const users = await database.db.selectFrom('users').select('email_confirmed_at').execute()
  expect(users.filter((one) => one.email_confirmed_at === null)).toEqual([])
  expect(await readdir(dataDir)).toEqual(['demo-accounts.json'])
  const own = await database.db
    .selectFrom('tickets')
    .innerJoin('offers', 'offers.id', 'tickets.offer_id')
    .innerJoin('users', 'users.id', 'tickets.user_id')
    .select(['issued_at', 'end_date'])
    .where('email', '=', 'client@volant.example')
    .$narrowType<{ end_date: NotNull }>()
    .execute()
  expect(own).toHaveLength(3)
  // Bought before the end, which comes a minute after the start.
  for (const { issued_at, end_date } of own)
    expect(+issued_at < Date.now() && +end_date - Date.now() < 60_000).toBe(true)
})

test.runIf(isExtended)(
  'a first start that fails leaves nothing, and the next one makes everything',
  async () => {
    const file = path.join(dataDir, 'no-folder')
    await writeFile(file, '')
    await expect(
      loadDemo({
        db: database.db,
        passwords,
        dataDir: path.join(file, 'data'),
        now: new Date(),
        drawRoomMinutes: 3,
      }),
    ).rejects.toThrow('ENOTDIR')
    expect([await count('users'), await count('offers')]).toEqual([0, 0])
    expect(await isDemonstration(database.db)).toBe(false)
    await load()
    expect(await accepted()).toEqual(ALL_ACCEPTED)
  },
)

test.runIf(isExtended)('an existing account keeps its password and its line in the file', async () => {
  const customer = { email: 'client@volant.example', password: 'an earlier password' }
  const { email, password } = customer
  const account = { email, username: 'camille', phone: '', language: 'fr' } as const
  await createDemoAccount(database.db, { ...account, password_hash: await passwords.hash(password) })
  await writeFile(path.join(dataDir, 'demo-accounts.json'), JSON.stringify({ customer }))
  await load()
  expect(await accepted()).toEqual(ALL_ACCEPTED)
})
