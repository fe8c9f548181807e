import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startDrandEmulator } from '../../emulators/drand/server.ts'
import { readSettings } from '../../emulators/drand/settings.ts'
import { startTsaEmulator } from '../../emulators/tsa/server.ts'
import { readSettings as readStampSettings } from '../../emulators/tsa/settings.ts'
import { startWitnessEmulator } from '../../emulators/witness/server.ts'
import { readSettings as readWitnessSettings } from '../../emulators/witness/settings.ts'
import { readStampAuthority } from '#server/stamp-authority.ts'
import { readWitnessPolicy } from '#server/witness-policy.ts'
import { isAlive } from '#platform/postgres/process-table.ts'
import { drawRoomMinutes, shopBeacon } from '#server/build-app.ts'
import { readConfig } from '#server/config.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { buildIfNeeded, hashSources, whyItFailed } from './build.ts'
import { keepSendingPayments } from './demo-payments.ts'
import { freePort, requireFreePort } from './free-port.ts'
import { claimInstance, identify } from './instance.ts'
import { logToFile, readable } from './log.ts'
import { choosePorts, PORT_NAMES, type PortName } from './ports.ts'
import { sized } from '../../test/support/tier.ts'
import { drandSettings, drawSettings, readRunSettings, stampSettings, witnessSettings } from './settings.ts'
import { adviseToBeginAfresh } from './stack.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const runningFile = () => path.join(folder, 'running.json')
const gone = { pid: 2 ** 22 + 1, began: '1' }

/** A process of its own, which ends with the test. */
function sleeper(): number {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  return child.pid ?? 0
}
const claim = () => claimInstance(folder)
/** The file of an earlier start. */
const earlier = (about: object) => {
  const file = {
    folder: statSync(folder).ino,
    starter: gone,
    launchers: [],
    address: '',
    children: [],
    ...about,
  }
  writeFileSync(runningFile(), JSON.stringify(file))
}

test('a taken port is reported with the setting that changes it', async () => {
  const port = await freePort()
  const server = net.createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const message = new RegExp(`Port ${port} on 127.0.0.1 is taken.*PAYPAL_PORT=${port + 10} npm start`)
  await expect(requireFreePort({ setting: 'PAYPAL_PORT', host: '127.0.0.1', port })).rejects.toThrow(message)
  server.close()
  await once(server, 'close')
  await requireFreePort({ setting: 'PORT', host: '127.0.0.1', port })
})

describe('ports of a demonstration', () => {
  const usual = { PORT: 0, PAYPAL_PORT: 0, DRAND_PORT: 0, WITNESS_PORT: 0, STAMP_PORT: 0 }
  beforeEach(async () => {
    for (const name of PORT_NAMES) usual[name] = await freePort()
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    onTestFinished(() => said.mockRestore())
  })
  const choose = (fixed: PortName[] = []) =>
    choosePorts({ host: '127.0.0.1', dataDir: folder, usual, fixed: new Set(fixed) })
  const take = async (port: number, host: string): Promise<net.Server> => {
    const server = net.createServer().listen(port, host)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return server
  }

  test('are the usual ones on an idle machine, and nothing is remembered', async () => {
    expect(await choose()).toEqual(usual)
    expect(existsSync(path.join(folder, 'ports.json'))).toBe(false)
  })

  test.each(['127.0.0.1', '0.0.0.0', '::1', '::'])(
    'are others than those that a program holds at %s, and the same again while they are free',
    async (host) => {
      const servers = await Promise.all(PORT_NAMES.map((name) => take(usual[name], host)))
      const chosen = await choose()
      const ports = Object.values(chosen)
      expect(new Set([...ports, ...Object.values(usual)]).size).toBe(10)
      for (const server of servers) server.close()
      expect(await choose()).toEqual(chosen)
      await take(chosen.PORT ?? 0, '127.0.0.1')
      const later = await choose()
      expect(later).toEqual({ ...chosen, PORT: usual.PORT })
    },
  )

  test('leave out those that somebody has set for another server', async () => {
    usual.PAYPAL_PORT = usual.PORT
    const chosen = await choose(['PAYPAL_PORT'])
    expect(chosen.PAYPAL_PORT).toBe(usual.PORT)
    expect(chosen.PORT).not.toBe(usual.PORT)
  })

  test.each(['', '{', '[]', 'null', '{"PORT":"3"}', '{"PORT":70000}', '{"PORT":-1}', '{"HOST":3000}'])(
    'ignore a memory that no start has written: %s',
    async (text) => {
      writeFileSync(path.join(folder, 'ports.json'), text)
      expect(await choose()).toEqual(usual)
    },
  )
})

test.each([
  [{}, ['PORT', 'PAYPAL_PORT', 'DRAND_PORT', 'WITNESS_PORT', 'STAMP_PORT']],
  [{ PORT: '4000' }, ['PAYPAL_PORT', 'DRAND_PORT', 'WITNESS_PORT', 'STAMP_PORT']],
  [{ PORT: '' }, ['PORT', 'PAYPAL_PORT', 'DRAND_PORT', 'WITNESS_PORT', 'STAMP_PORT']],
  [{ PUBLIC_URL: 'https://shop.example' }, []],
])('with the settings %j a start may move %j', (env, movable) => {
  expect([...readRunSettings(env, folder).movable]).toEqual(movable)
})

test('an address this machine does not have is reported with both settings', async () => {
  const elsewhere = requireFreePort({ setting: 'PORT', host: '192.0.2.1', port: 4219 })
  await expect(elsewhere).rejects.toThrow(/HOST and PORT/)
})

test('the children of a killed start are ended; another process with the same id is not', async () => {
  const [pid, other] = [sleeper(), sleeper()]
  const stranger = { name: 'shop', pid: other, began: '1' }
  earlier({ children: [{ name: 'shop', ...identify(pid) }, stranger] })
  await claim()
  expect([isAlive(pid), isAlive(other)]).toEqual([false, true])
})

test('a running start refuses a second one; a start whose npm was killed is ended', async () => {
  const starter = identify(sleeper())
  earlier({ starter, address: 'http://localhost:7' })
  await expect(claim()).rejects.toThrow('already runs from this folder, at http://localhost:7')
  expect(isAlive(starter.pid)).toBe(true)
  earlier({ starter, launchers: [gone] })
  await claim()
  expect(isAlive(starter.pid)).toBe(false)
})

test('a copy of the data folder neither ends nor waits for the processes of the original', async () => {
  const [starter, child] = [identify(sleeper()), identify(sleeper())]
  earlier({ folder: statSync(folder).ino + 1, starter, children: [{ name: 'shop', ...child }] })
  await claim()
  earlier({ folder: statSync(folder).ino + 1, children: [{ name: 'shop', ...child }] })
  await claim()
  expect([isAlive(starter.pid), isAlive(child.pid)]).toEqual([true, true])
})

test('children are recorded while they run', async () => {
  const instance = await claim()
  instance.add('shop', process.pid)
  const recorded = () => (JSON.parse(readFileSync(runningFile(), 'utf8')) as { children: object[] }).children
  expect(recorded()).toMatchObject([{ name: 'shop', ...identify(process.pid) }])
  instance.remove(process.pid)
  expect(recorded()).toEqual([])
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
})

test('a checkout that takes no files is said in one sentence, a fault of the code with its output', async () => {
  const missing = path.join(folder, 'file')
  writeFileSync(missing, '')
  const refused = buildIfNeeded(missing, new AbortController().signal)
  await expect(refused).rejects.toThrow(
    /must be built before the first start, and \S+ takes no files \(ENOTDIR/,
  )
  expect(whyItFailed('/shop', "Error: EROFS: read-only, open '/shop/x'\n    at stack")).toMatch(
    /^The pages must be built .* \(EROFS: read-only, open '\/shop\/x'\)\. [^\n]*$/,
  )
  expect(whyItFailed('/shop', 'Syntax error\n  line 2')).toBe('The build failed:\nSyntax error\n  line 2')
})

test('settings are read whole, with the emulator’s port', () => {
  const dataDir = path.join(folder, 'data')
  expect(readRunSettings({}, folder)).toMatchObject({ emulatorPort: 3001, config: { dataDir } })
  expect(readRunSettings({ PAYPAL_PORT: '4001' }, folder).emulatorPort).toBe(4001)
  const sandbox = { PAYPAL_BASE_URL: 'https://api-m.sandbox.paypal.com' }
  expect(readRunSettings(sandbox, folder).emulatorPort).toBeUndefined()
  expect(() => readRunSettings({ PORT: 'x', PAYPAL_PORT: '0' }, folder)).toThrow(
    /2 fault\(s\)[^]*PORT: [^]*PAYPAL_PORT: /,
  )
  const same = { PORT: '3001', PAYPAL_PORT: '3001' }
  expect(() => readRunSettings(same, folder)).toThrow(/PAYPAL_PORT: expected another port than PORT/)
  expect(readRunSettings({ PORT: '3001', ...sandbox }, folder).config.port).toBe(3001)
})

test('the shop pins the chain of the drand emulator, except where the settings name a beacon', async () => {
  const { config, drandPort = 0 } = readRunSettings({ DRAND_PORT: String(await freePort()) }, folder)
  const { env, shopEnv } = drandSettings(config, drandPort)
  const emulator = await startDrandEmulator(readSettings(env, []).options)
  onTestFinished(() => emulator.close())
  const response = await shopBeacon({ config: readConfig(shopEnv) }).round(1)
  expect(response).toMatchObject({ relay: shopEnv.BEACON_URLS, signature: emulator.sign(1) })

  expect(readRunSettings({}, folder).drandPort).toBe(3002)
  for (const named of [{ BEACON_URLS: 'https://api.drand.sh' }, { BEACON_CHAIN: 'quicknet' }])
    expect(readRunSettings(named, folder).drandPort).toBeUndefined()
  expect(() => readRunSettings({ PORT: '3001', PAYPAL_PORT: '3002', DRAND_PORT: '3001' }, folder)).toThrow(
    'DRAND_PORT: expected another port than PORT, which is 3001 as well; for example DRAND_PORT=3005',
  )
  const live = { MODE: 'live', PAYPAL_BASE_URL: 'https://api-m.paypal.com', DRAND_PORT: 'x' }
  expect(() => readRunSettings(live, folder)).toThrow(/^(?![^]*DRAND_PORT)/)
})

test('the register of a demonstration has witnesses, by every host that it had, unless the settings name a policy', async () => {
  const settingsOf = (env: NodeJS.ProcessEnv) => {
    const { config, witnessPort = 0 } = readRunSettings({ ...env, WITNESS_PORT: '3303' }, folder)
    return witnessSettings({ ...config, dataDir: folder }, witnessPort)
  }
  const first = settingsOf({ PORT: '4001' })
  const { env, policy, policyFile } = settingsOf({ PORT: '4002' })
  const { options, wrong } = readWitnessSettings(env, [])
  expect(wrong).toEqual([])
  expect(options.logs?.map(({ origin }) => origin)).toEqual(['localhost:4001/draws', 'localhost:4002/draws'])
  expect(settingsOf({ PORT: '4001' }).env.LOGS).toBe(env.LOGS)
  const emulator = await startWitnessEmulator({ ...options, port: 0 })
  onTestFinished(() => emulator.close())
  for (const { vkey } of emulator.witnesses) expect(policy).toContain(` ${vkey} http://127.0.0.1:3303/w`)
  writeFileSync(policyFile, policy)
  expect(readWitnessPolicy({ witnessPolicy: first.shopEnv.WITNESS_POLICY })?.policy.witnesses).toHaveLength(3)
  expect(readRunSettings({ WITNESS_POLICY: policyFile }, folder).witnessPort).toBeUndefined()
})

test('a demonstration has an authority of time stamps, unless the settings name one', async () => {
  const { config, stampPort = 0 } = readRunSettings({}, folder)
  const { env, shopEnv } = stampSettings({ ...config, dataDir: folder }, stampPort)
  const { options, wrong } = readStampSettings(env, [])
  expect([wrong, options.port]).toEqual([[], 3004])
  const emulator = await startTsaEmulator({ ...options, port: 0 })
  onTestFinished(() => emulator.close())
  expect(readStampAuthority(readConfig(shopEnv))?.url).toBe('http://127.0.0.1:3004/')
  expect(readRunSettings(shopEnv, folder).stampPort).toBeUndefined()
})

test('a demonstration draws in minutes, whichever beacon it uses, unless somebody sets other durations', () => {
  const ofShop = (env: NodeJS.ProcessEnv) =>
    readConfig(drawSettings(readRunSettings(env, folder).config, env))
  for (const beacon of [{}, { BEACON_URLS: 'https://api.drand.sh' }, { BEACON_CHAIN: 'quicknet' }]) {
    expect(drawRoomMinutes(ofShop(beacon))).toBe(3)
    expect(drawRoomMinutes(ofShop({ ...beacon, DRAW_OBJECTION_MINUTES: '30' }))).toBe(32)
  }
  expect(drawSettings({ demo: false }, { DRAW_OBJECTION_MINUTES: '1' })).toEqual({})
})

test('a log line reads well at a terminal, and other lines stay as they are', () => {
  // In the time zone of this machine.
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime()
  const hidden = { roles: 'web', reqId: 'r' }
  const line = JSON.stringify({ level: 40, time, ...hidden, route: '/', status: 503, msg: 'answered' })
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
  onTestFinished(() => terminal.mockRestore())
  const lines = [entry(30, 'ready'), 'listening', entry(40, 'slow'), entry(50, 'broken'), 'Error: why']
  const write = logToFile('shop', path.join(folder, 'log'))
  lines.forEach((line, index) => write(line, index < 3 ? 'stdout' : 'stderr'))
  expect(printed).toEqual([
    expect.stringMatching(/^shop {5}\| \S+ warn {2}slow\n$/),
    expect.stringMatching(/^shop {5}\| \S+ error broken\n$/),
    'shop     | Error: why\n',
  ])
  const log = (name: string) => readFileSync(path.join(folder, 'log', name), 'utf8')
  expect(log('shop.log')).toBe(`${lines.join('\n')}\n`)
  logToFile('shop', path.join(folder, 'log'))('next', 'stdout')
  expect(log('shop.previous.log')).toContain('listening')
  expect(log('shop.log')).toBe('next\n')
})

test('payments that the emulator refuses are reported, kept, and sent again until it takes them', async () => {
  const file = path.join(folder, 'demo-payments.json')
  writeFileSync(file, '{"orders":[]}')
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`)
    response.statusCode = received.length < 3 ? 503 : 200
    response.end('{}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => said.mockRestore())
  const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`
  const stop = new AbortController()
  await keepSendingPayments(folder, url, { stopping: stop.signal, againMs: 5 })
  expect([received.length, existsSync(file)]).toEqual([1, true])
  expect(said.mock.calls[0]?.[0]).toMatch(
    /could not take the payments of the demonstration.*responded with 503/,
  )
  await expect.poll(() => existsSync(file)).toBe(false)
  expect(received).toEqual(Array.from({ length: 3 }, () => 'POST /_emulator/history'))
  stop.abort()
  writeFileSync(file, '{"orders":[]}')
  await keepSendingPayments(folder, url, { stopping: stop.signal })
  expect(received).toHaveLength(3)
})

test('of a database from before the first release the start says what to remove', () => {
  const advice = (folder?: string) => adviseToBeginAfresh('/shop/data', folder)
  expect(advice('/shop/data/postgres')).toContain('remove\n  /shop/data\nand start again')
  const elsewhere = '/var/lib/volant/shop-1'
  expect(advice(elsewhere)).toContain(`remove\n  /shop/data\n  ${elsewhere}\nand`)
  expect(advice()).toContain('Set DATABASE_URL to an empty database')
})

test.each(sized({ short: ['invariants'], extended: ['invariants', 'chaos', 'bench-hot', 'bench-pages'] }))(
  '%s prints its usage for an unknown option',
  (tool) => {
    const run = spawnSync(process.execPath, [`tools/${tool}.ts`, '--anything'], { encoding: 'utf8' })
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toMatch(/^Unknown option '--anything'\nUsage: npm run /)
    expect(run.stderr).not.toMatch(/^\s+at /m)
  },
)
