import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { chainHash, createChain } from './chain.ts'
import { startDrandEmulator } from './server.ts'
import { defaults, type EmulatorOptions, readSettings } from './settings.ts'

const genesis = defaults.genesis
/** The time of round 100, and half a second. */
const atRound100 = () => new Date((genesis + 99 * 3) * 1000 + 500)

async function open(options: EmulatorOptions = {}) {
  const emulator = await startDrandEmulator({ port: 0, now: atRound100, ...options })
  onTestFinished(() => emulator.close())
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(emulator.url + path, { headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      caching: response.headers.get('cache-control'),
    }
  }
  const behave = async (body: object, headers: Record<string, string> = {}) => {
    const sent = { 'content-type': 'application/json', ...headers }
    const call = { method: 'POST', headers: sent, body: JSON.stringify(body) }
    const response = await fetch(`${emulator.url}/_emulator/behaviour`, call)
    return { status: response.status, text: await response.text() }
  }
  const at = `/${emulator.chain.hash}`
  return { emulator, get, behave, at }
}

const hex = (bytes: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${bytes * 2}}$`))

test('chain hashes are made as the public network’s', () => {
  const quicknet = {
    publicKey:
      '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
      '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
    groupHash: 'f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e',
    beaconId: 'quicknet',
    genesis: 1_692_803_367,
    period: 3,
  }
  expect(chainHash(quicknet)).toBe('52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971')
})

test('the first version of the interface has the fields of a public relay, and no others', async () => {
  const { emulator, get, at } = await open()
  const { hash, publicKey } = emulator.chain
  expect(await get('/chains')).toMatchObject({ status: 200, body: [hash] })
  expect((await get(`${at}/info`)).body).toEqual({
    public_key: publicKey,
    period: 3,
    genesis_time: genesis,
    hash,
    groupHash: hex(32),
    schemeID: 'bls-unchained-g1-rfc9380',
    metadata: { beaconID: 'volant-emulator' },
  })
  expect((await get(`${at}/health`)).body).toEqual({ current: 100, expected: 100 })
  const latest = await get(`${at}/public/latest`)
  expect(latest.body).toEqual({ round: 100, randomness: hex(32), signature: hex(48) })
  expect(latest.caching).toBe('public, must-revalidate, max-age=2')
  const same = { status: 200, body: latest.body }
  expect(await get(`${at}/public/100`)).toEqual({ ...same, caching: 'public, max-age=604800, immutable' })
  expect(await get(`${at}/public/0`)).toMatchObject(same)
  expect((await get('/')).body).toContain('GET /{chain}/public/{round}\n')
})

test('the second version names the chain by hash or by name, and leaves the randomness out', async () => {
  const { emulator, get } = await open()
  const { hash, publicKey } = emulator.chain
  expect((await get('/v2/chains')).body).toEqual([hash])
  expect((await get('/v2/beacons')).body).toEqual(['volant-emulator'])
  for (const at of [`/v2/chains/${hash}`, '/v2/beacons/volant-emulator']) {
    expect((await get(`${at}/info`)).body, at).toEqual({
      public_key: publicKey,
      period: 3,
      genesis_time: genesis,
      genesis_seed: hex(32),
      chain_hash: hash,
      scheme: 'bls-unchained-g1-rfc9380',
      beacon_id: 'volant-emulator',
    })
    const round = { round: 100, signature: emulator.sign(100) }
    for (const path of ['latest', '100']) expect((await get(`${at}/rounds/${path}`)).body, at).toEqual(round)
    expect((await get(`${at}/health`)).body, at).toEqual({ current: 100, expected: 100 })
  }
})

test('a future round is too early, the next one is waited for, and other chains and rounds have none', async () => {
  const { get, at } = await open({ now: () => new Date(atRound100().getTime() + 2_450) })
  expect(await get(`${at}/public/102`)).toEqual({
    status: 425,
    body: 'Requested future beacon\n',
    caching: 'public, must-revalidate, max-age=0',
  })
  expect(await get(`${at}/public/101`)).toMatchObject({
    status: 200,
    body: { round: 101 },
    caching: 'no-cache',
  })
  expect((await get(`${at}/public/${2n ** 64n - 1n}`)).status).toBe(425)
  expect((await get(`${at}/public/${2n ** 64n}`)).status).toBe(400)
  expect((await get(`${at}/public/x`)).status).toBe(404)
  expect((await get(`/${'0'.repeat(64)}/public/100`)).status).toBe(500)
  const early = await open({ now: () => new Date((genesis - 1) * 1000) })
  expect((await early.get(`${early.at}/public/latest`)).status).toBe(500)
})

test('the same seed gives the same key and rounds; another seed, genesis or period another chain', async () => {
  const { seed, period } = defaults
  const [first, second] = await Promise.all([open(), open()])
  expect(second.emulator.chain).toEqual(first.emulator.chain)
  const rounds = await Promise.all([first, second].map(({ get, at }) => get(`${at}/public/42`)))
  expect(rounds[1]).toEqual(rounds[0])
  const chains = [
    { seed, genesis, period },
    { seed: 'other', genesis, period },
    { seed, genesis: genesis + 1, period },
    { seed, genesis, period: 30 },
  ].map((options) => createChain(options).hash)
  expect(chains[0]).toBe(first.emulator.chain.hash)
  expect(new Set(chains).size).toBe(4)
})

test('controls change the behaviour, and health counts what it did', async () => {
  const { get, behave, at } = await open()
  await get(`${at}/public/1`)
  await get(`${at}/public/999`)
  expect((await behave({ behaviour: 'error', delayMs: 1 })).status).toBe(200)
  expect((await get(`${at}/public/1`)).status).toBe(500)
  expect((await get('/_emulator/health')).body).toMatchObject({
    status: 'ok',
    behaviour: 'error',
    delayMs: 1,
    counts: { calls: 3, rounds: 1, tooEarly: 1, spoiled: 1 },
  })
  const refused = await behave({ behaviour: 'kind', delayMs: -1, seed: 1 })
  expect(refused.status).toBe(400)
  for (const name of ['behaviour', 'delayMs', 'seed']) expect(refused.text).toContain(`"${name}: `)
  expect((await get('/_emulator/behaviour')).body).toEqual({ behaviour: 'error', delayMs: 1 })
})

test('controls respond with the token only, on this machine, too; rounds respond everywhere', async () => {
  const { emulator, get, behave, at } = await open({ controlToken: 'secret-of-the-demo' })
  const proxied = { 'x-forwarded-for': '192.0.2.1' }
  expect((await behave({ behaviour: 'error' }, proxied)).status).toBe(403)
  for (const headers of [proxied, {}]) expect((await get('/_emulator/behaviour', headers)).status).toBe(403)
  expect((await get('/_emulator/behaviour?token=secret-of-the-dema', proxied)).status).toBe(403)
  expect((await get('/_emulator/behaviour?token=secret-of-the-demo', proxied)).body.behaviour).toBe('honest')
  expect((await get('/_emulator/health', proxied)).status).toBe(200)
  expect((await get(`${at}/public/1`, proxied)).status).toBe(200)
  expect(emulator.counts.spoiled).toBe(0)
})

test('settings: every fault is named at once, and a flag wins over the environment', () => {
  const wrong = readSettings({ PORT: 'x', PERIOD: '0', SEED: ' ' }, ['--nothing', '--genesis']).wrong.join(
    '\n',
  )
  for (const name of ['PORT', 'PERIOD', 'SEED', '--nothing', '--genesis'])
    expect(wrong).toContain(`${name}: `)
  expect(readSettings({ PORT: '1', SEED: 'a' }, ['--port=4100', '--period', '30'])).toEqual({
    options: { port: 4100, seed: 'a', period: 30 },
    wrong: [],
  })
})

test('the program says where it listens, and ends on SIGTERM while a call waits', async () => {
  const program = new URL('main.ts', import.meta.url).pathname
  const env = { PATH: process.env['PATH'], PORT: '0', SEED: 'program' }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const address = () => /^listening on (http\S+)$/m.exec(output)?.[1]
  await expect.poll(address).toBeDefined()
  const { hash } = createChain({ ...defaults, seed: 'program' })
  expect(await (await fetch(`${address()}/chains`)).json()).toEqual([hash])
  const body = JSON.stringify({ behaviour: 'hanging' })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${address()}/_emulator/behaviour`, { method: 'POST', headers, body })
  const hanging = fetch(`${address()}/chains`).catch((error: unknown) => error)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(await hanging).toBeInstanceOf(Error)
})
