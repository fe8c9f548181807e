import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { isAlive, listProcesses } from '#platform/postgres/process-table.ts'
import { freePort } from './run/free-port.ts'

const projectDir = path.resolve(import.meta.dirname, '..')
const PATIENCE = { timeout: 120_000, interval: 100 }

let dataDir: string
let starts: Start[]

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant start '))
  chmodSync(dataDir, 0o711)
  starts = []
})
afterEach(async () => {
  for (const { child } of starts)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  await Promise.all(starts.map(({ ended }) => ended))
  rmSync(dataDir, { recursive: true, force: true })
})

interface Start {
  child: ChildProcess
  ended: Promise<unknown>
  output: () => string
}

function start({ shop, paypal }: { shop: number; paypal: number }): Start {
  // Vitest sets MODE and others that the shop would read as its own.
  const { PATH, HOME, TMPDIR } = process.env
  const settings = { DATA_DIR: dataDir, PORT: String(shop), PAYPAL_PORT: String(paypal) }
  const child = spawn(process.execPath, ['tools/bootstrap.mjs', 'start'], {
    cwd: projectDir,
    env: { PATH, HOME, TMPDIR, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const begun = { child, ended: once(child, 'close'), output: () => output }
  starts.push(begun)
  return begun
}

/** Every process that has to do with this test's data folder. */
const related = () =>
  listProcesses().filter(
    ({ pid, command }) => isAlive(pid) && (command.includes(dataDir) || noted().includes(pid)),
  )
const runningFile = () => path.join(dataDir, 'running.json')
interface Noted {
  starter: { pid: number }
  children: { pid: number }[]
}
const running = () => JSON.parse(readFileSync(runningFile(), 'utf8')) as Noted
const noted = (): number[] =>
  existsSync(runningFile()) ? [running().starter, ...running().children].map(({ pid }) => pid) : []
const status = async (url: string) => (await fetch(url)).status
async function ready(one: Start): Promise<void> {
  const isDecided = () => one.child.exitCode !== null || one.output().includes('Volant is ready.')
  await expect.poll(isDecided, PATIENCE).toBe(true)
  expect(one.output()).toContain('Volant is ready.')
}

test('one command starts shop, emulator and database, and its end ends them all', async () => {
  const ports = { shop: await freePort(), paypal: await freePort() }
  const one = start(ports)
  await ready(one)
  for (const port of [ports.shop, ports.paypal]) {
    expect(one.output()).toContain(`http://localhost:${port}`)
    expect(await status(`http://localhost:${port}/`)).toBe(200)
  }
  for (const person of ['customer', 'staff'])
    expect(one.output()).toMatch(new RegExp(`Demo ${person} +\\S+@\\S+ +password: \\S+`))
  expect(one.output()).toContain(dataDir)

  expect(one.output(), 'the log is in its file').not.toMatch(/[{}]/)
  const log = path.join(dataDir, 'log/shop.log')
  expect(one.output()).toMatch(new RegExp(`Log +${log}`))
  expect(readFileSync(log, 'utf8')).toMatch(/^\{"level":30,.*"msg":"migration applied"\}$/m)

  const second = start(ports)
  await second.ended
  expect(second.child.exitCode).toBe(1)
  expect(second.output()).toContain('already runs from this folder')

  const pids = noted()
  one.child.kill('SIGINT')
  await one.ended
  expect(one.child.exitCode).toBe(0)
  expect(pids.filter(isAlive)).toEqual([])
  expect(related()).toEqual([])
})

test('after a kill -9 the next start ends what was left and goes on', async () => {
  const ports = { shop: await freePort(), paypal: await freePort() }
  const one = start(ports)
  await ready(one)
  const left = running().children.map(({ pid }) => pid)
  process.kill(running().starter.pid, 'SIGKILL')
  await one.ended
  expect(left.every(isAlive)).toBe(true)
  const two = start(ports)
  await ready(two)
  expect(two.output()).toContain('an earlier start has left behind')
  expect(left.filter(isAlive)).toEqual([])
  expect(await status(`http://localhost:${ports.shop}/`)).toBe(200)
})

test('when the shop dies, everything stops with a message', async () => {
  const one = start({ shop: await freePort(), paypal: await freePort() })
  await ready(one)
  const shop = running().children.at(-1)?.pid ?? 0
  process.kill(shop, 'SIGKILL')
  await one.ended
  expect(one.child.exitCode).toBe(1)
  expect(one.output()).toContain('The shop has ended by itself')
  expect(related()).toEqual([])
})

test('a port that another program holds is named with its setting', async () => {
  const port = await freePort()
  const server = net.createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const one = start({ shop: await freePort(), paypal: port })
  await one.ended
  server.close()
  expect(one.child.exitCode).toBe(1)
  expect(one.output()).toContain(`Port ${port} on 127.0.0.1 is taken by another program`)
  expect(one.output()).toContain('PAYPAL_PORT=')
  expect(one.output()).not.toContain('Starting')
  expect(related()).toEqual([])
})

test('a database from before the first release stops the start, which says what to remove and removes nothing', async () => {
  const database = await ensureEmbeddedPostgres({ dataDir, projectDir, log: silentLog, durable: false })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query('create table schema_migration (version int, name text, checksum text)')
  await client.query("insert into schema_migration values (1, 'shop', ''), (2, 'emails', '')")
  await client.end()
  await database.stop()
  const one = start({ shop: await freePort(), paypal: await freePort() })
  await one.ended
  expect(one.child.exitCode).toBe(1)
  expect(one.output()).toContain(`remove\n  ${dataDir}\nand start again`)
  expect(one.output()).not.toContain('Starting the shop')
  expect(existsSync(path.join(database.dataDir, 'cluster/PG_VERSION'))).toBe(true)
  expect(related()).toEqual([])
})
