import { type Faults, readFaults } from './faults.ts'
import type { Language } from './model.ts'

export type EmulatorOptions = {
  port?: number // 0 takes any free port
  host?: string
  publicUrl?: string // address that browsers use for the approval page and the script
  apiUrl?: string // address that the shop's server uses, also in links and `paypal-cert-url`
  controlToken?: string // opens the page and the calls of the emulator from another machine
  clientId?: string
  clientSecret?: string
  webhookUrl?: string // where events are posted; without it they are only listed
  webhookId?: string
  stateFile?: string // journal that keeps the book across restarts; without it the book is in memory
  keepOrders?: number // beyond it the oldest orders are forgotten, with their captures and refunds
  language?: Language
  merchantName?: string
  faults?: Partial<Faults>
  seed?: number
  webhookRetryMs?: number // first pause before an event is sent again; it doubles up to a minute
  webhookTries?: number
  hangMs?: number // how late the answer to `timeout@buyer.test` is
  now?: () => Date
}

export type Settings = Required<
  Omit<EmulatorOptions, 'publicUrl' | 'apiUrl' | 'controlToken' | 'webhookUrl' | 'stateFile'>
> &
  Pick<EmulatorOptions, 'publicUrl' | 'apiUrl' | 'controlToken' | 'webhookUrl' | 'stateFile'>

export const defaults = {
  port: 3001,
  host: '127.0.0.1',
  clientId: 'volant-local-client',
  clientSecret: 'volant-local-secret',
  webhookId: 'WH-VOLANT-LOCAL',
  keepOrders: 20_000,
  language: 'fr',
  merchantName: 'Volant',
  seed: 1,
  webhookRetryMs: 1000,
  webhookTries: 25,
  hangMs: 30_000,
} as const

/** Options with their defaults. */
export const withDefaults = (options: EmulatorOptions): Settings => ({
  ...defaults,
  faults: {},
  now: () => new Date(),
  ...options,
})

/** Reads the text of a setting, or throws what was expected instead. */
type ReadSetting = (text: string) => unknown

const refuse = (expected: string): never => {
  throw new RangeError(expected)
}
const text: ReadSetting = (value) => (value.trim() === '' ? refuse('must not be empty') : value)
const url: ReadSetting = (value) =>
  URL.canParse(value) && /^https?:/.test(value)
    ? value
    : refuse('expected an address that begins with http:// or https://')
const origin: ReadSetting = (value) => String(url(value)).replace(/\/+$/, '')
const as =
  (key: keyof EmulatorOptions, read: ReadSetting) =>
  (value: string): EmulatorOptions => ({ [key]: read(value) })
const whole =
  (top: number): ReadSetting =>
  (value) =>
    /^\d{1,10}$/.test(value) && Number(value) <= top
      ? Number(value)
      : refuse(`expected a whole number from 0 to ${top}`)

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const settingReaders: Record<string, (text: string) => EmulatorOptions> = {
  PORT: as('port', whole(65535)),
  HOST: as('host', text),
  PUBLIC_URL: as('publicUrl', origin),
  API_URL: as('apiUrl', origin),
  CONTROL_TOKEN: as('controlToken', text),
  CLIENT_ID: as('clientId', text),
  CLIENT_SECRET: as('clientSecret', text),
  WEBHOOK_URL: as('webhookUrl', url),
  WEBHOOK_ID: as('webhookId', text),
  STATE_FILE: as('stateFile', text),
  KEEP_ORDERS: as('keepOrders', whole(1_000_000_000)),
  LANGUAGE: as('language', (value) => (isLanguage(value) ? value : refuse('expected fr, nl or en'))),
  MERCHANT_NAME: as('merchantName', text),
  SEED: as('seed', whole(4_294_967_295)),
  WEBHOOK_RETRY_MS: as('webhookRetryMs', whole(3_600_000)),
  WEBHOOK_TRIES: as('webhookTries', whole(30)),
  HANG_MS: as('hangMs', whole(3_600_000)),
  FAULTS: readFaultSetting,
}

const isLanguage = (value: string): boolean => ['fr', 'nl', 'en'].includes(value)

function readFaultSetting(value: string): EmulatorOptions {
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    return refuse('expected JSON such as {"http5xx": 0.2}')
  }
  const { faults, seed, wrong } = readFaults(parsed)
  if (wrong.length > 0) refuse(wrong.join('; '))
  return { faults, ...(seed === undefined ? {} : { seed }) }
}

const flagOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`

/**
 * Settings from the environment and from flags (`--port 3001` or `--port=3001`; a flag wins). All faults
 * are listed, each with the name of its setting.
 */
export function readSettings(
  env: Record<string, string | undefined>,
  flags: readonly string[],
): { options: EmulatorOptions; wrong: string[] } {
  const options: EmulatorOptions = {}
  const wrong: string[] = []
  const given = new Map<string, string>()
  for (const name of Object.keys(settingReaders)) {
    const value = env[name]
    // LANGUAGE is also a variable of the operating system, such as `en_GB:en`.
    if (value && (name !== 'LANGUAGE' || isLanguage(value))) given.set(name, value)
  }
  for (let at = 0; at < flags.length; at += 1) {
    const [flag = '', inline] = (flags[at] ?? '').split(/=(.*)/s)
    const name = Object.keys(settingReaders).find((candidate) => flagOf(candidate) === flag)
    if (!name) {
      wrong.push(`${flag}: unknown; known are ${Object.keys(settingReaders).map(flagOf).join(', ')}`)
      continue
    }
    const value = inline ?? flags[(at += 1)]
    if (value === undefined) wrong.push(`${flag}: a value is missing`)
    else given.set(name, value)
  }
  for (const [name, value] of given) {
    try {
      Object.assign(options, settingReaders[name]?.(value))
    } catch (error) {
      wrong.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { options, wrong }
}
