import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { insertOffer } from '#features/offers/server/index.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { freePort } from '../run/free-port.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const DAY_MS = 86_400_000
const READY_WITHIN_MS = 60_000
const ASK_EVERY_MS = 250

/** Views of cars that the demonstration brings, in the order in which the contests show them. */
const CARS = ['fastback', 'roadster', 'coupe', 'saloon', 'hatch', 'estate']

export interface BenchShop {
  /** The shop itself, plain HTTP. */
  url: string
  /** The shop behind TLS and HTTP/2, with a certificate nobody knows; absent where there is no `openssl`. */
  secureUrl: string | undefined
  /** Address of a contest's page. */
  offerPath: string
  /** Tokens of a new customer, as the browser stores them. */
  signIn: () => Promise<Record<string, string>>
  stop: () => Promise<void>
}

/**
 * Starts a shop of its own with the built pages, as `npm start` would: one process, a database that is thrown away,
 * and exactly that many open contests, each with pictures.
 */
export async function startBenchShop(offers: number, tell: (line: string) => void): Promise<BenchShop> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'volant-bench-'))
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    tell('Starting a shop to measure …')
    const postgres = await ensureEmbeddedPostgres({
      dataDir: folder,
      projectDir,
      log: silentLog,
      durable: false,
    })
    ends.push(() => postgres.stop())
    const [port, securePort] = [await freePort(), await freePort()]
    const url = `http://127.0.0.1:${port}`
    const front = secureFront(folder, port)
    const secureUrl = front && `https://localhost:${securePort}`
    const shop = spawn(process.execPath, [path.join(projectDir, 'src/server/main.ts')], {
      cwd: folder,
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        DATA_DIR: folder,
        PORT: String(port),
        PUBLIC_URL: secureUrl ?? url,
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    ends.push(() => ended(shop))
    await ready(shop, `${url}/api/health/ready`)
    const slugs = await fill(postgres.url, offers)
    if (front) {
      await new Promise<void>((resolve) => front.listen(securePort, '127.0.0.1', resolve))
      ends.push(() => front.close())
    }
    return { url, secureUrl, offerPath: `/offers/${slugs[0]}`, signIn: () => signIn(url), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Makes the database hold exactly that many contests, all of them open: the demonstration's own go, with all sold of them. */
async function fill(url: string, count: number): Promise<string[]> {
  const index = JSON.parse(
    readFileSync(path.join(projectDir, 'db/demo/pictures/index.json'), 'utf8'),
  ) as Record<string, { widths: number[]; width: number; height: number; color: string }>
  const database = openDatabase({ url, max: 2, log: silentLog, applicationName: 'volant-bench' })
  try {
    await sql`TRUNCATE offers CASCADE`.execute(database.db)
    const slugs: string[] = []
    for (let number = 1; number <= count; number += 1) {
      const views = Object.entries(index).filter(([stem]) =>
        stem.startsWith(`${CARS[number % CARS.length]}-`),
      )
      const slug = `bench-${number}`
      const title = `Concours ${number}`
      await database.db.transaction().execute(
        async (trx) =>
          await insertOffer(trx, {
            offer: {
              slug,
              title,
              title_nl: `Wedstrijd ${number}`,
              title_en: `Contest ${number}`,
              price_cents: 490,
              total_tickets: 1_000,
              active: true,
              end_date: new Date(Date.now() + number * DAY_MS),
              number_key: Buffer.alloc(32, number),
              question: null,
              choices: [],
              correct_choice: null,
            },
            pictures: views.map(([stem, { widths, width, height, color }]) => ({
              src: `/media/${stem}`,
              widths,
              width,
              height,
              color,
              alt_fr: title,
              alt_nl: title,
              alt_en: title,
            })),
          }),
      )
      slugs.push(slug)
    }
    return slugs
  } finally {
    await database.close()
  }
}

async function signIn(url: string): Promise<Record<string, string>> {
  const email = `bench-${Date.now()}@example.test`
  const password = 'correct horse battery'
  const post = (address: string, body: object): Promise<Response> =>
    fetch(url + address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/api/user/register/', { username: email, email, password, phone_number: '+33612345678' })
  const login = await post('/api/token/', { username: email, password })
  if (!login.ok) throw new Error(`the login of the measurement was refused: ${login.status}`)
  return (await login.json()) as Record<string, string>
}

/** What the proxy in front of a shop does: TLS and HTTP/2 outside, plain HTTP inside. */
function secureFront(folder: string, port: number): http2.Http2SecureServer | undefined {
  const [key, cert] = [path.join(folder, 'bench.key'), path.join(folder, 'bench.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const about = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key, '-out', cert]
  try {
    execFileSync('openssl', [...request, ...about], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const agent = new http.Agent({ keepAlive: true })
  return http2.createSecureServer(
    { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true },
    (incoming, outgoing) => {
      const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':'))
      const passed = http.request(
        { port, agent, method: incoming.method, path: incoming.url, headers: Object.fromEntries(headers) },
        (answer) => {
          const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = answer.headers
          outgoing.writeHead(answer.statusCode ?? 502, kept)
          answer.pipe(outgoing)
        },
      )
      passed.on('error', () => outgoing.destroy())
      incoming.pipe(passed)
    },
  )
}

async function ready(shop: ChildProcess, address: string): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS
  while (performance.now() < until && shop.exitCode === null) {
    const answer = await fetch(address).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
  throw new Error('the shop to measure did not start')
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(undefined)
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
