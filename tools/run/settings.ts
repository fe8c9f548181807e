import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createChain } from '../../emulators/drand/chain.ts'
import { defaults as drandDefaults } from '../../emulators/drand/settings.ts'
import { certificatesIn } from '../../emulators/tsa/authority.ts'
import { defaults as stampDefaults } from '../../emulators/tsa/settings.ts'
import { defaults as witnessDefaults } from '../../emulators/witness/settings.ts'
import { createWitness, policyText } from '../../emulators/witness/witness.ts'
import { logKeyOf } from '#features/draws/server/index.ts'
import { ConfigFaults, type Config, keptDemoToken, logKeySeed, readConfig } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'
import { rootFault } from '#server/start-faults.ts'
import { reachable } from './free-port.ts'
import { PORT_NAMES, type PortName, type Ports } from './ports.ts'
import { PlainError } from './say.ts'

const WEBHOOK_PATH = '/api/paypal/webhook/'

export interface RunSettings {
  config: Config
  emulatorPort: number | undefined
  drandPort: number | undefined
  witnessPort: number | undefined
  stampPort: number | undefined
  /** The settings among those of ports that may take another number: nobody has set them, and nobody relies on them. */
  movable: ReadonlySet<PortName>
}

/** A proxy in front of the shop knows its ports, whoever has chosen them. */
const movablePorts = (env: NodeJS.ProcessEnv): ReadonlySet<PortName> =>
  new Set(env.MODE === 'live' || env.PUBLIC_URL ? [] : PORT_NAMES.filter((name) => !env[name]))

/**
 * The shop's settings, and the ports of the emulators: that of PayPal is not started when PAYPAL_BASE_URL is set, that of
 * drand neither in live mode nor when the settings name a beacon, that of witnesses neither in live mode nor when they name a
 * policy, and so that of time stamps with an authority.
 * @throws PlainError with every fault
 */
export function readRunSettings(env: NodeJS.ProcessEnv, projectDir: string): RunSettings {
  const faults: string[] = []
  const movable = movablePorts(env)
  const paypalDefault = Number(new URL(SETTINGS.paypalBaseUrl.fallback ?? '').port)
  const emulatorPort = env.PAYPAL_BASE_URL ? undefined : readPort(env, 'PAYPAL_PORT', paypalDefault, faults)
  const isOwnBeacon = env.MODE === 'live' || env.BEACON_URLS || env.BEACON_CHAIN
  const drandPort = isOwnBeacon ? undefined : readPort(env, 'DRAND_PORT', drandDefaults.port, faults)
  const isOwnPolicy = env.MODE === 'live' || env.WITNESS_POLICY
  const witnessPort = isOwnPolicy ? undefined : readPort(env, 'WITNESS_PORT', witnessDefaults.port, faults)
  const isOwnAuthority = env.MODE === 'live' || env.STAMP_URL || env.STAMP_CERTIFICATES
  const stampPort = isOwnAuthority ? undefined : readPort(env, 'STAMP_PORT', stampDefaults.port, faults)
  let config: Config | undefined
  try {
    const read = readConfig(env)
    config = { ...read, dataDir: path.resolve(projectDir, read.dataDir) }
    // Tools find the one of the start.
    const kept = config.demo ? keptDemoToken(config) : undefined
    if (kept !== undefined) config = { ...config, demoToken: kept }
  } catch (error) {
    if (!(error instanceof ConfigFaults)) throw error
    faults.unshift(...error.faults)
  }
  const root = config && rootFault(config)
  if (root) faults.push(root)
  const ports = [
    ['PORT', config?.port],
    ['PAYPAL_PORT', emulatorPort],
    ['DRAND_PORT', drandPort],
    ['WITNESS_PORT', witnessPort],
    ['STAMP_PORT', stampPort],
  ] as const
  for (const [at, [name, port]] of ports.entries()) {
    const isFixed = (one: PortName): boolean => !movable.has(one)
    const others = ports.slice(0, at).filter(([earlier]) => isFixed(earlier) && isFixed(name))
    const same = port && others.find(([, earlier]) => earlier === port)
    if (!same) continue
    const near = [1, 2, 3, 4].map((above) => port + above)
    const free = [...near, 3001, 3002, 3003, 3004, 3005].find(
      (one) => one <= 65_535 && !ports.some(([, taken]) => taken === one),
    )
    faults.push(
      `${name}: expected another port than ${same[0]}, which is ${port} as well; for example ${name}=${free}`,
    )
  }
  if (config && faults.length === 0)
    return { config, emulatorPort, drandPort, witnessPort, stampPort, movable }
  throw new PlainError(
    `The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
  )
}

/** The settings of `readRunSettings` with other ports. */
export const withPorts = (env: NodeJS.ProcessEnv, ports: Ports): NodeJS.ProcessEnv => ({
  ...env,
  ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
})

function readPort(env: NodeJS.ProcessEnv, name: string, fallback: number, faults: string[]): number {
  const text = env[name]
  if (!text) return fallback
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    faults.push(`${name}: expected a number from 1 to 65535, found ${JSON.stringify(text)}`)
  }
  return port
}

/** Environment of the PayPal emulator, fitting the shop's settings, and of the shop that uses it. */
export function emulatorSettings(config: Config, port: number) {
  const { url: localUrl, publicUrl, checkUrl, env } = placeOf(config, port)
  return {
    publicUrl,
    checkUrl,
    env: {
      ...env,
      PUBLIC_URL: publicUrl,
      API_URL: localUrl,
      CLIENT_ID: config.paypalClientId,
      CLIENT_SECRET: config.paypalClientSecret,
      WEBHOOK_ID: config.paypalWebhookId,
      WEBHOOK_URL: `http://${reachable(config.host)}:${config.port}${WEBHOOK_PATH}`,
      STATE_FILE: path.join(config.dataDir, 'paypal-emulator.json'),
    },
    shopEnv: { PAYPAL_BASE_URL: localUrl, PAYPAL_SDK_URL: publicUrl },
  }
}

/**
 * With them the draw of a contest that ends now can be seen in five minutes. Winners have as long to claim as anywhere, so
 * that every text of a demonstration says the same.
 */
export const SHORT_DRAWS = {
  DRAW_CLOSE_MARGIN_MINUTES: '1',
  DRAW_OBJECTION_MINUTES: '1',
  DRAW_SEAL_MARGIN_MINUTES: '1',
  DRAW_ALTERNATE_DELAY_MINUTES: '1',
  DRAW_NOTICE_MINUTES: '1',
}

/** Durations of draws of a demonstration, whichever beacon it uses, but for those that somebody has set. */
export const drawSettings = ({ demo }: Pick<Config, 'demo'>, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  demo ? { ...SHORT_DRAWS, ...withPrefix(env, 'DRAW_') } : {}

const withPrefix = (env: NodeJS.ProcessEnv, prefix: string): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(prefix)))

/** Where an emulator listens, for browsers, for the shop, and as its own environment. */
function placeOf({ host, publicUrl, demoToken }: Config, port: number) {
  const url = `http://${reachable(host)}:${port}`
  return {
    url,
    // Browsers reach it under the name they know the shop by.
    publicUrl: `http://${new URL(publicUrl).hostname}:${port}`,
    checkUrl: `${url}/_emulator/health`,
    env: { PORT: String(port), HOST: host, ...(demoToken && { CONTROL_TOKEN: demoToken }) },
  }
}

/** Environment of the drand emulator, and of the shop that pins its chain. */
export function drandSettings(config: Config, port: number) {
  const { seed, genesis, period } = drandDefaults
  const { url, env, ...place } = placeOf(config, port)
  return {
    ...place,
    env: {
      ...env,
      SEED: seed,
      GENESIS: String(genesis),
      PERIOD: String(period),
    },
    shopEnv: {
      BEACON_URLS: url,
      BEACON_CHAIN: JSON.stringify(createChain({ seed, genesis, period }).pin),
    },
  }
}

/** How many of the emulated witnesses must confirm. */
const QUORUM = 2

/** Where a demonstration has what its witnesses know; it goes with the demonstration. */
export const witnessStateFile = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  path.join(dataDir, 'witness-emulator.json')

/** Environment of the witness emulator, which knows the register of this shop, and of the shop with its policy. */
export function witnessSettings(config: Config, port: number) {
  const { seed, names } = witnessDefaults
  const { url, env, ...place } = placeOf(config, port)
  const policyFile = path.join(config.dataDir, 'witness-policy.txt')
  const seen = new Map()
  const witnesses = names.map((name, at) => ({
    ...createWitness({
      name,
      seed: `${seed} ${name}`,
      logs: [],
      now: () => new Date(),
      seen,
      kept: () => {},
    }),
    url: `${url}/w${at + 1}`,
  }))
  return {
    ...place,
    policy: policyText(witnesses, QUORUM),
    policyFile,
    env: {
      ...env,
      SEED: seed,
      NAMES: names.join(','),
      LOGS: knownLogs(config).join(','),
      STATE_FILE: witnessStateFile(config),
    },
    shopEnv: { WITNESS_POLICY: policyFile },
  }
}

/** Environment of the time stamp emulator, and of the shop that asks it. */
export function stampSettings(config: Config, port: number) {
  const { url, env, ...place } = placeOf(config, port)
  const folder = path.join(config.dataDir, 'stamp-authority')
  return {
    ...place,
    env: {
      ...env,
      FOLDER: folder,
    },
    shopEnv: { STAMP_URL: `${url}/`, STAMP_CERTIFICATES: certificatesIn(folder) },
  }
}

/** The register by each host that the shop has had: it keeps its first name. */
function knownLogs(config: Config): string[] {
  const file = path.join(config.dataDir, 'witness-logs.txt')
  const { host } = new URL(config.publicUrl)
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const own = `${host}/draws ${logKeyOf(logKeySeed(config)).verifierKey(host)}`
  if (known.includes(own)) return known
  // Another key signs another history.
  const kept = [...known.filter((line) => !line.startsWith(`${host}/draws `)), own]
  writeFileSync(file, `${kept.join('\n')}\n`)
  return kept
}
