/**
 * `npm run bench:console`: how long the console's searches, lists and pages take on a database that `npm run fill` has
 * filled, by HTTP calls of somebody signed in. Each is called first after a start of the shop, several times over, and
 * then again and again with other values. Ends with 1 when a median is above the bar, unless
 * `--report-only` asks for figures alone.
 *
 *   DATA_DIR=/tmp/million node tools/bench-console.ts [--starts 3] [--calls 20] [--only text]… [--streams] [--report-only]
 *
 * `--streams` reads the exports to their end instead, and prints memory and time.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createPasswords } from '#features/accounts/server/index.ts'
import { isDemonstration } from '#features/demo/server/index.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { type ConsoleCase, consoleCases } from './bench/console-cases.ts'
import { spread } from './bench/spread.ts'
import { table } from './bench/tables.ts'
import { hasRealOrders } from './customers/make-customers.ts'
import { migrationsFolder, runTool, withDatabase } from './database/tool.ts'
import { staffEmail } from './fill/history.ts'
import { respondsOk } from './run/children.ts'
import { atEnd } from './run/ending.ts'
import { freePort } from './run/free-port.ts'
import { endWithUsage, readOptions } from './run/say.ts'
import { program } from './testbed/program.ts'
import { seededRandom } from '../db/story/random.ts'

const BAR_MS = 150
const USAGE =
  'DATA_DIR=<filled folder> npm run bench:console -- [--starts 3] [--calls 20] [--only text]… [--streams] ' +
  '[--report-only]'

const { values } = readOptions(USAGE, {
  options: {
    starts: { type: 'string', default: '3' },
    calls: { type: 'string', default: '20' },
    only: { type: 'string', multiple: true, default: [] },
    streams: { type: 'boolean', default: false },
    'report-only': { type: 'boolean', default: false },
  },
})
const [starts, calls] = [Number(values.starts), Number(values.calls)]
if (![starts, calls].every((count) => Number.isInteger(count) && count >= 1)) endWithUsage(USAGE)
if (!process.env.DATABASE_URL && !process.env.DATA_DIR) endWithUsage(USAGE)

/** An owner whose password this run knows. */
interface Login {
  email: string
  password: string
}

type Shop = Awaited<ReturnType<typeof describeShop>>

await runTool(async () => {
  await withDatabase(async ({ url, place }) => {
    await migrate({ url, folder: migrationsFolder, log: silentLog })
    const database = openDatabase({ url, max: 2, log: silentLog, applicationName: 'volant tool bench' })
    const folder = mkdtempSync(path.join(os.tmpdir(), 'volant-bench-console-'))
    const shop = await describeShop(url, folder)
    const close = async (): Promise<void> => {
      await shop.program.stop()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    }
    const done = atEnd(close)
    try {
      const { db } = database
      if (!(await isDemonstration(db)) || (await hasRealOrders(db)))
        throw new Error(`${place} was not filled by npm run fill.`)
      const login = { email: staffEmail('owner'), password: `${randomBytes(9).toString('base64url')}-Va1!` }
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ password_hash: await createPasswords().hash(login.password) })
        .where('email', '=', login.email)
        .executeTakeFirst()
      if (numUpdatedRows !== 1n) throw new Error(`${place} has no ${login.email}: fill an empty database.`)
      console.log(
        `${place}, load ${os
          .loadavg()
          .map((load) => load.toFixed(1))
          .join(' ')}`,
      )
      const cases = (await consoleCases(db)).filter(
        ({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)),
      )
      await warnOfAge(db)
      await requireRows(shop, login, cases)
      if (values.streams) await readStreams(shop, login, cases)
      else await measure(shop, login, cases)
    } finally {
      await close()
      done()
    }
  })
})

/** Today, holds and what waits show only what is recent. */
async function warnOfAge(db: Database): Promise<void> {
  const newest = await db.selectFrom('orders').select('created_at').orderBy('id', 'desc').executeTakeFirst()
  const days = (Date.now() - (newest?.created_at.getTime() ?? 0)) / 86_400_000
  if (days > 1)
    console.warn(
      `The newest order is ${days.toFixed(0)} days old: screens of the last days are empty. Fill anew.`,
    )
}

/** A process of the shop without a worker. */
async function describeShop(databaseUrl: string, folder: string) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    program: program({
      name: 'shop',
      args: ['src/server/main.ts'],
      env: {
        PORT: String(port),
        PUBLIC_URL: url,
        DATABASE_URL: databaseUrl,
        DATA_DIR: folder,
        SECRET_KEY: randomBytes(32).toString('base64'),
        ROLES: 'web',
        LOG_LEVEL: 'error',
        LIMITS_FACTOR: '1000000',
      },
      logFile: path.join(folder, 'shop.log'),
      isReady: () => respondsOk(`${url}/api/health/ready`),
    }),
  }
}

/** @returns the headers of a session that may export */
async function signIn({ url }: Shop, { email, password }: Login): Promise<Record<string, string>> {
  const post = (address: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url + address, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const response = await post('/api/staff/session/', { email, password })
  if (!response.ok) throw new Error(`signing in responded with ${response.status}: ${await response.text()}`)
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  for (const permission of ['orders.export', 'audit.export', 'offers.cancel']) {
    const step = await post('/api/staff/session/step-up/', { permission, password }, { cookie })
    if (!step.ok)
      throw new Error(`the step-up for ${permission} responded with ${step.status}: ${await step.text()}`)
  }
  return { origin: url, cookie, 'accept-language': 'fr' }
}

function requestOf({ method = 'GET', body }: ConsoleCase, headers: Record<string, string>): RequestInit {
  return {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }
}

/** A list without rows measures nothing. @throws Error that names each case whose first response is empty */
async function requireRows(shop: Shop, login: Login, cases: readonly ConsoleCase[]): Promise<void> {
  await shop.program.start()
  const headers = await signIn(shop, login)
  const empty: string[] = []
  for (const one of cases) {
    if (one.isStream) continue
    const [address = ''] = one.addresses
    const response = await fetch(shop.url + address, requestOf(one, headers))
    const text = await response.text()
    if (!response.ok) throw new Error(`${address} responded with ${response.status}: ${text}`)
    const found = JSON.parse(text) as
      | { items?: unknown[]; contests?: unknown[]; rows?: unknown[] }
      | unknown[]
    const rows = Array.isArray(found) ? found : (found.items ?? found.contests ?? found.rows)
    if (rows && (rows.length === 0) !== (one.isEmpty === true)) empty.push(one.name)
  }
  await shop.program.stop()
  if (empty.length > 0) throw new Error(`the database is not what is to be measured: ${empty.join('; ')}.`)
}

/** Milliseconds until the response is there, or its first byte. */
async function time(
  shop: Shop,
  headers: Record<string, string>,
  one: ConsoleCase,
  address: string,
): Promise<number> {
  const { method = 'GET', isStream } = one
  const ending = new AbortController()
  const begun = performance.now()
  const response = await fetch(shop.url + address, { ...requestOf(one, headers), signal: ending.signal })
  if (!response.ok)
    throw new Error(`${method} ${address} responded with ${response.status}: ${await response.text()}`)
  if (isStream) await response.body?.getReader().read()
  else await response.arrayBuffer()
  const took = performance.now() - begun
  if (isStream) ending.abort()
  return took
}

async function measure(shop: Shop, login: Login, cases: readonly ConsoleCase[]): Promise<void> {
  const first = new Map<string, number[]>(cases.map(({ name }) => [name, []]))
  const later = new Map<string, number[]>(cases.map(({ name }) => [name, []]))
  const random = seededRandom(1)
  let headers: Record<string, string> = {}
  const opening: string[] = []
  for (let start = 0; start < starts; start += 1) {
    await shop.program.stop()
    await shop.program.start()
    headers = await signIn(shop, login)
    // Each start another one is the very first.
    const order = cases.map((one) => ({ one, place: random.between(0, 1_000_000) }))
    for (const [place, { one }] of order.toSorted((a, b) => a.place - b.place).entries()) {
      const took = await time(shop, headers, one, one.addresses[start % one.addresses.length] ?? '')
      first.get(one.name)?.push(took)
      if (place === 0) opening.push(`${one.name} ${took.toFixed(0)} ms`)
    }
  }
  for (const one of cases)
    for (let call = 0; call < calls; call += 1)
      later
        .get(one.name)
        ?.push(await time(shop, headers, one, one.addresses[call % one.addresses.length] ?? ''))
  const rows = cases.map(({ name, isSum = false }) => {
    const [cold, warm] = [spread(first.get(name) ?? []), spread(later.get(name) ?? [])]
    const isOver = !isSum && (cold.p50 > BAR_MS || warm.p50 > BAR_MS)
    if (isOver && !values['report-only']) process.exitCode = 1
    const isOnceOver = cold.max > BAR_MS || warm.max > BAR_MS
    return [
      name,
      ...[cold.p50, cold.max, warm.p50, warm.max].map((ms) => ms.toFixed(1)),
      isOver ? 'OVER' : isSum ? 'a sum' : isOnceOver ? 'once' : '',
    ]
  })
  const head = ['call', 'first p50', 'first max', 'later p50', 'later max', `${BAR_MS} ms`]
  console.log(`${starts} starts, ${calls} later calls each; milliseconds\n${table(head, rows)}`)
  console.log(`The very first calls after a start: ${opening.join(', ')}`)
  console.log(
    `load ${os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  )
}

/** Reads exports to their end. */
async function readStreams(shop: Shop, login: Login, cases: readonly ConsoleCase[]): Promise<void> {
  await shop.program.start()
  const headers = await signIn(shop, login)
  const rows: string[][] = []
  for (const { name, isStream, addresses, method = 'GET' } of cases) {
    if (!isStream) continue
    const before = shop.program.memoryMb()
    const begun = performance.now()
    const response = await fetch(shop.url + (addresses[0] ?? ''), { method, headers })
    if (!response.ok || !response.body) throw new Error(`${name} responded with ${response.status}`)
    let [bytes, lines, peak] = [0, 0, before]
    for await (const chunk of response.body) {
      bytes += chunk.byteLength
      for (const byte of chunk) if (byte === 0x0a) lines += 1
      peak = Math.max(peak, shop.program.memoryMb())
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    rows.push([name, String(lines), (bytes / 1e6).toFixed(1), seconds, String(before), String(peak)])
  }
  console.log(table(['export', 'lines', 'MB', 'seconds', 'memory before, MB', 'most'], rows))
}
