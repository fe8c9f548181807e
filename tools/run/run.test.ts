import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isAlive } from '#platform/postgres/process-table.ts'
import { hashSources } from './build.ts'
import { freePort } from './free-port.ts'
import { claimInstance, identify } from './instance.ts'
import { logToFile, readable } from './log.ts'
import { requireFreePort } from './ports.ts'
import { readRunSettings } from './settings.ts'
import { adviseToBeginAfresh } from './stack.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(path.join(os.tmpdir(), 'volant-run-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const runningFile = () => path.join(folder, 'running.json')
const sleeper = () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
const gone = { pid: 2 ** 22 + 1, began: '1' }

test('a port that is taken is told with the setting that chooses another', async () => {
  const port = await freePort()
  const server = net.createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  await expect(requireFreePort({ setting: 'PAYPAL_PORT', host: '127.0.0.1', port })).rejects.toThrow(
    new RegExp(`Port ${port} on 127.0.0.1 is taken.*PAYPAL_PORT=${port + 10} npm start`),
  )
  server.close()
  await once(server, 'close')
  await requireFreePort({ setting: 'PORT', host: '127.0.0.1', port })
})

test('an address this machine does not have is told with both settings', async () => {
  await expect(requireFreePort({ setting: 'PORT', host: '192.0.2.1', port: 4219 })).rejects.toThrow(
    /HOST and PORT/,
  )
})

test('what a killed start has left behind is ended', async () => {
  const child = sleeper()
  const pid = child.pid ?? 0
  const leftover = { name: 'shop', ...identify(pid) }
  writeFileSync(
    runningFile(),
    JSON.stringify({ starter: gone, launchers: [], address: '', children: [leftover] }),
  )
  const instance = await claimInstance(folder, 'http://localhost:1')
  expect(isAlive(pid)).toBe(false)
  instance.clear()
})

test('a process that only has the number of an earlier child is left alone', async () => {
  const child = sleeper()
  const pid = child.pid ?? 0
  const stranger = { name: 'shop', pid, began: '1' }
  writeFileSync(
    runningFile(),
    JSON.stringify({ starter: gone, launchers: [], address: '', children: [stranger] }),
  )
  const instance = await claimInstance(folder, 'http://localhost:1')
  expect(isAlive(pid)).toBe(true)
  instance.clear()
  child.kill()
})

test('a start that runs is not disturbed', async () => {
  const other = sleeper()
  const starter = identify(other.pid ?? 0)
  writeFileSync(
    runningFile(),
    JSON.stringify({ starter, launchers: [], address: 'http://localhost:7', children: [] }),
  )
  await expect(claimInstance(folder, 'http://localhost:1')).rejects.toThrow(
    'already runs from this folder, at http://localhost:7',
  )
  expect(isAlive(starter.pid)).toBe(true)
  other.kill()
})

test('a start whose npm was killed is ended', async () => {
  const other = sleeper()
  const starter = identify(other.pid ?? 0)
  writeFileSync(runningFile(), JSON.stringify({ starter, launchers: [gone], address: '', children: [] }))
  const instance = await claimInstance(folder, 'http://localhost:1')
  expect(isAlive(starter.pid)).toBe(false)
  instance.clear()
})

test('children are noted while they run', async () => {
  const instance = await claimInstance(folder, 'http://localhost:1')
  instance.add('shop', process.pid)
  const noted = () =>
    (JSON.parse(readFileSync(runningFile(), 'utf8')) as { children: { name: string }[] }).children
  expect(noted()).toMatchObject([{ name: 'shop', ...identify(process.pid) }])
  instance.remove(process.pid)
  expect(noted()).toEqual([])
  instance.clear()
  expect(() => readFileSync(runningFile())).toThrow('ENOENT')
})

test('only the contents of sources count for a build', () => {
  const source = path.join(folder, 'src/a.ts')
  mkdirSync(path.join(folder, 'src'))
  writeFileSync(source, 'one')
  const first = hashSources(folder)
  utimesSync(source, 1, 1)
  writeFileSync(path.join(folder, 'src/a.test.ts'), 'a test')
  expect(hashSources(folder)).toBe(first)
  writeFileSync(source, 'two')
  expect(hashSources(folder)).not.toBe(first)
  writeFileSync(source, 'one')
  expect(hashSources(folder)).toBe(first)
  writeFileSync(path.join(folder, 'package.json'), '{}')
  expect(hashSources(folder)).not.toBe(first)
})

test('settings are read whole, with the emulator’s port', () => {
  expect(readRunSettings({ PAYPAL_PORT: '4001' }, folder).emulatorPort).toBe(4001)
  expect(readRunSettings({}, folder)).toMatchObject({
    emulatorPort: 3001,
    config: { dataDir: path.join(folder, 'data') },
  })
  expect(
    readRunSettings({ PAYPAL_BASE_URL: 'https://api-m.sandbox.paypal.com' }, folder).emulatorPort,
  ).toBeUndefined()
  expect(() => readRunSettings({ PORT: 'x', PAYPAL_PORT: '0' }, folder)).toThrow(
    /2 fault\(s\)[^]*PORT: [^]*PAYPAL_PORT: /,
  )
})

test('a log line reads well at a terminal, and other lines stay as they are', () => {
  const line = JSON.stringify({
    level: 40,
    // As the clock on the wall says, in whatever zone this runs.
    time: new Date(2026, 0, 2, 3, 4, 5).getTime(),
    roles: 'web',
    reqId: 'r',
    route: '/',
    status: 503,
    msg: 'answered',
  })
  expect(readable(line)).toMatch(/^03:04:05 warn {2}answered route=\/ status=503$/)
  expect(readable(JSON.stringify({ level: 50, time: 0, msg: 'broke', err: { message: 'why' } }))).toMatch(
    /error broke \nwhy$/,
  )
  for (const other of ['plain', '{broken', '{"a":1}']) expect(readable(other)).toBe(other)
})

test('a log goes to a file, and a person sees warnings, errors and what is written to standard error', () => {
  const entry = (level: number, msg: string) => JSON.stringify({ level, time: 0, msg })
  const printed: string[] = []
  const terminal = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => printed.push(String(text)) > 0)
  try {
    const write = logToFile('shop', path.join(folder, 'log'))
    write(entry(30, 'ready'), 'stdout')
    write('listening', 'stdout')
    write(entry(40, 'slow'), 'stdout')
    write(entry(50, 'broken'), 'stderr')
    write('Error: why', 'stderr')
  } finally {
    terminal.mockRestore()
  }
  expect(printed).toEqual([
    expect.stringMatching(/^shop {5}\| \S+ warn {2}slow\n$/),
    expect.stringMatching(/^shop {5}\| \S+ error broken\n$/),
    'shop     | Error: why\n',
  ])
  const lines = [entry(30, 'ready'), 'listening', entry(40, 'slow'), entry(50, 'broken'), 'Error: why']
  expect(readFileSync(path.join(folder, 'log/shop.log'), 'utf8')).toBe(`${lines.join('\n')}\n`)

  logToFile('shop', path.join(folder, 'log'))('next', 'stdout')
  expect(readFileSync(path.join(folder, 'log/shop.previous.log'), 'utf8')).toContain('listening')
  expect(readFileSync(path.join(folder, 'log/shop.log'), 'utf8')).toBe('next\n')
})

test('a database from before the first release is answered with what to remove', () => {
  expect(adviseToBeginAfresh('/shop/data', '/shop/data/postgres')).toContain(
    'remove\n  /shop/data\nand start again',
  )
  expect(adviseToBeginAfresh('/shop/data', '/var/lib/volant/shop-1')).toContain(
    'remove\n  /shop/data\n  /var/lib/volant/shop-1\nand',
  )
  expect(adviseToBeginAfresh('/shop/data', undefined)).toContain('Set DATABASE_URL to an empty database')
})
