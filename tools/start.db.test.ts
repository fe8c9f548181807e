import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { Client } from 'pg'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { PATIENCE } from '../test/support/shop-process.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { isAlive, listProcesses } from '#platform/postgres/process-table.ts'
import { freePort } from './run/free-port.ts'
import { bareEnvironment } from './testbed/program.ts'
import { isExtended } from '../test/support/tier.ts'

const projectDir = path.resolve(import.meta.dirname, '..')

let dataDir: string

function dataFolder(until: 'test' | 'file'): string {
  const folder = temporaryFolder('volant start ', until)
  chmodSync(folder, 0o711)
  return folder
}

type Start = ReturnType<typeof start>
const freePorts = async () => ({
  shop: await freePort(),
  paypal: await freePort(),
  drand: await freePort(),
  witness: await freePort(),
  stamps: await freePort(),
})

const BOOTSTRAP = [process.execPath, 'tools/bootstrap.mjs', 'start'] as const

/** @param ports left out, the start chooses them */
function start(
  ports: Awaited<ReturnType<typeof freePorts>> | undefined,
  [command, ...args]: readonly [string, ...string[]] = BOOTSTRAP,
) {
  // Vitest sets MODE and others that the shop would read as its own.
  const { HOME, TMPDIR } = process.env
  const set = ports && {
    PORT: String(ports.shop),
    PAYPAL_PORT: String(ports.paypal),
    DRAND_PORT: String(ports.drand),
    WITNESS_PORT: String(ports.witness),
    STAMP_PORT: String(ports.stamps),
  }
  const settings = { DATA_DIR: dataDir, ...set }
  const child = spawn(command, args, {
    cwd: projectDir,
    env: { ...bareEnvironment(), HOME, TMPDIR, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return { child, ended, output: () => output }
}

/** Every process that has to do with this test's data folder. */
const related = () =>
  listProcesses().filter(
    ({ pid, command }) => isAlive(pid) && (command.includes(dataDir) || noted().includes(pid)),
  )
const runningFile = () => path.join(dataDir, 'running.json')
type Noted = { pid: number }
const running = () =>
  JSON.parse(readFileSync(runningFile(), 'utf8')) as {
    starter: Noted
    children: Noted[]
    ports: Record<string, number>
  }
const noted = (): number[] =>
  existsSync(runningFile()) ? [running().starter, ...running().children].map(({ pid }) => pid) : []
const token = () => readFileSync(path.join(dataDir, 'demo-token'), 'utf8')
const payments = () => path.join(dataDir, 'demo-payments.json')
const emulatorsOrders = async (port: number): Promise<number> => {
  const response = await fetch(`http://localhost:${port}/_emulator/health`)
  return ((await response.json()) as { orders: number }).orders
}
/** Listens at an address until the test ends, unless another program does already. */
async function taken(port: number, host: string): Promise<void> {
  const server = net.createServer().listen(port, host)
  const isListening = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ])
  if (isListening) onTestFinished(() => void server.close())
}
const status = async (url: string) =>
  (await fetch(url, { headers: { cookie: `demo_token=${token()}` } })).status
/** Waits for a start that fails, and leaves nothing behind. */
async function failed(one: Start): Promise<void> {
  await one.ended
  expect(one.child.exitCode).toBe(1)
  expect(related()).toEqual([])
}
async function ready(one: Start): Promise<void> {
  const isDecided = () => one.child.exitCode !== null || one.output().includes('Volant is ready.')
  await expect.poll(isDecided, PATIENCE).toBe(true)
  expect(one.output()).toContain('Volant is ready.')
}

/** What the demonstration's customer finds on the first visit. */
async function historyOf(shop: string) {
  const { customer } = JSON.parse(readFileSync(path.join(dataDir, 'demo-accounts.json'), 'utf8'))
  const login = { username: customer.email, password: customer.password }
  const headers = { 'content-type': 'application/json' }
  const token = await fetch(`${shop}/api/token/`, { method: 'POST', headers, body: JSON.stringify(login) })
  const { access } = (await token.json()) as { access: string }
  const get = async (address: string) =>
    (await fetch(shop + address, { headers: { authorization: `Bearer ${access}` } })).json()
  const phases: string[] = (await get('/api/orders/')).orders.map((one: { phase: string }) => one.phase)
  const tickets: { status: string; end_date: string }[] = await get('/api/tickets/')
  return { phases: phases.toSorted(), tickets }
}

// The first of them fills the folder, which takes longer than the starts themselves.
describe('from one folder, again and again', () => {
  const shared = dataFolder('file')
  beforeAll(() => void (dataDir = shared))

  test('npm start runs shop, emulator and database, and returns from SIGTERM when all of them have ended', async () => {
    const ports = await freePorts()
    const one = start(ports, ['npm', 'start'])
    await ready(one)
    for (const port of [ports.shop, ports.paypal, ports.drand, ports.witness, ports.stamps]) {
      await expect.poll(one.output, PATIENCE).toContain(`http://localhost:${port}`)
      expect(await status(`http://localhost:${port}/`)).toBe(200)
    }
    // What moves money and shows reset links opens by the printed addresses alone.
    expect(one.output()).toContain(`/demo/mailbox?token=${token()}`)
    for (const address of [
      `${ports.shop}/demo/mailbox`,
      `${ports.paypal}/`,
      `${ports.paypal}/_emulator/book`,
    ])
      expect((await fetch(`http://localhost:${address}`)).status).toBe(403)
    for (const person of ['customer', 'staff', 'support', 'post desk'])
      expect(one.output()).toMatch(new RegExp(`Demo ${person} +\\S+@\\S+ +password: \\S+`))
    expect(one.output()).toContain(dataDir)

    expect(one.output(), 'the log is in its file').not.toMatch(/[{}]/)
    const log = path.join(dataDir, 'log/shop.log')
    expect(one.output()).toMatch(new RegExp(`Log +${log}`))
    expect(readFileSync(log, 'utf8')).toMatch(/^\{"level":30,.*"msg":"migration applied"\}$/m)

    expect(existsSync(payments()), 'the payments of the fortnight wait').toBe(false)
    expect(await emulatorsOrders(ports.paypal)).toBeGreaterThan(500)
    const history = await historyOf(`http://localhost:${ports.shop}`)
    expect(history.phases).toEqual(['confirming', 'paid', 'refunded'])
    // A contest of the demonstration ends a minute after the start.
    const soon = Date.now() + 60_000
    const kinds = history.tickets.map(({ status, end_date }) => [status, Date.parse(end_date) > soon])
    for (const kind of [
      ['valid', true],
      ['valid', false],
      ['void', true],
    ])
      expect(kinds).toContainEqual(kind)

    const second = start(ports)
    await second.ended
    expect(second.child.exitCode).toBe(1)
    expect(second.output()).toContain('already runs from this folder')

    const pids = noted()
    one.child.kill('SIGTERM')
    // Not 'close', which waits for all that hold its output.
    const [code] = (await once(one.child, 'exit')) as [number]
    expect([code, pids.filter(isAlive)]).toEqual([0, []])
    expect(related()).toEqual([])
  })

  test.runIf(isExtended)('npm run dev sends the payments of a demonstration, too', async () => {
    const id = 'DEMOHISTORY000001'
    const past = { id, reference: id, invoice: 'AAAA-2222', description: id, cents: 500, at: '2026-01-01' }
    writeFileSync(payments(), JSON.stringify({ orders: [past] }))
    const ports = await freePorts()
    const one = start(ports, [process.execPath, 'tools/bootstrap.mjs', 'dev'])
    await ready(one)
    expect(existsSync(payments())).toBe(false)
    const book = await (
      await fetch(`http://localhost:${ports.paypal}/_emulator/book?token=${token()}`)
    ).text()
    expect(book).toContain(id)
    one.child.kill('SIGTERM')
    await one.ended
  })

  test.runIf(isExtended)(
    'a kill -9 of the starter alone ends what it started; Ctrl-C ends the next start',
    async () => {
      const ports = await freePorts()
      const one = start(ports)
      await ready(one)
      process.kill(running().starter.pid, 'SIGKILL')
      await one.ended
      await expect.poll(related, PATIENCE).toEqual([])
      const two = start(ports)
      await ready(two)
      expect(await status(`http://localhost:${ports.shop}/`)).toBe(200)
      two.child.kill('SIGINT')
      await two.ended
      expect(two.child.exitCode).toBe(0)
    },
  )

  test.runIf(isExtended)(
    'a start on a machine whose usual ports are taken takes the next ones, and the same ones again until its shop dies',
    async () => {
      // A development server of today listens at ::1 alone, where browsers find «localhost» first.
      await Promise.all([
        taken(3000, '::1'),
        taken(3001, '127.0.0.1'),
        taken(3002, '0.0.0.0'),
        taken(3003, '127.0.0.1'),
        taken(3004, '127.0.0.1'),
      ])
      const one = start(undefined)
      await ready(one)
      const { PORT = 0, ...others } = running().ports
      expect(one.output()).toContain(`The shop uses port ${PORT}: port 3000 is taken by another program.`)
      const chosen = [PORT, ...Object.values(others)]
      expect(new Set([3000, 3001, 3002, 3003, 3004, ...chosen]).size).toBe(10)
      for (const port of chosen) {
        await expect.poll(one.output, PATIENCE).toContain(`http://localhost:${port}`)
        expect(await status(`http://localhost:${port}/`)).toBe(200)
      }
      const invariants = spawnSync(process.execPath, ['tools/invariants.ts'], {
        cwd: projectDir,
        env: { ...bareEnvironment(), DATA_DIR: dataDir },
        encoding: 'utf8',
      })
      expect([invariants.status, invariants.stderr]).toEqual([0, ''])
      expect(invariants.stdout).toMatch(/^holds +I5 /m)
      one.child.kill('SIGTERM')
      await one.ended

      // The next start takes the same ones; and when its shop dies, everything stops with a message.
      const two = start(undefined)
      await ready(two)
      expect(running().ports).toEqual({ PORT, ...others })
      expect(two.output()).toContain(`The shop uses port ${PORT}, as before.`)
      process.kill(running().children.at(-1)?.pid ?? 0, 'SIGKILL')
      await failed(two)
      expect(two.output()).toContain('The shop has ended by itself')
    },
  )
})

describe('from a new folder', () => {
  beforeEach(() => void (dataDir = dataFolder('test')))

  test('a port that another program holds is named with its setting', async () => {
    const port = await freePort()
    const server = net.createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    const one = start({ ...(await freePorts()), paypal: port })
    await failed(one)
    server.close()
    expect(one.output()).toContain(`Port ${port} on 127.0.0.1 is taken by another program`)
    expect(one.output()).toContain('PAYPAL_PORT=')
    expect(one.output()).not.toContain('Starting')
  })

  test.runIf(isExtended)(
    'a database from before the first release stops the start, which says what to remove and removes nothing',
    async () => {
      const database = await ensureEmbeddedPostgres({ dataDir, projectDir, log: silentLog, durable: false })
      const client = new Client({ connectionString: database.url })
      await client.connect()
      await client.query('create table schema_migration (version int, name text, checksum text)')
      await client.query("insert into schema_migration values (1, 'shop', ''), (2, 'emails', '')")
      await client.end()
      await database.stop()
      const one = start(await freePorts())
      await failed(one)
      expect(one.output()).toContain(`remove\n  ${dataDir}\nand start again`)
      expect(one.output()).not.toContain('Starting the shop')
      expect(existsSync(path.join(database.dataDir, 'cluster/PG_VERSION'))).toBe(true)
    },
  )
})
