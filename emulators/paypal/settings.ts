import { type Faults, readFaults } from './faults.ts'
import type { Language } from './model.ts'

export type EmulatorOptions = {
  /** 0 takes any free port. */
  port?: number
  host?: string
  /** Address browsers use for the approval page and the script. */
  publicUrl?: string
  /** Address the shop's server uses; it stands in links and in `paypal-cert-url`. */
  apiUrl?: string
  clientId?: string
  clientSecret?: string
  /** Where events are posted; without it they are only listed. */
  webhookUrl?: string
  webhookId?: string
  /** Journal that keeps the book across restarts; without it the book is in memory. */
  stateFile?: string
  language?: Language
  merchantName?: string
  faults?: Partial<Faults>
  seed?: number
  /** First pause before a webhook is tried again; it doubles up to a minute. */
  webhookRetryMs?: number
  webhookTries?: number
  /** How long `timeout@buyer.test` lets a capture hang. */
  hangMs?: number
  now?: () => Date
}

export type Settings = Required<Omit<EmulatorOptions, 'publicUrl' | 'apiUrl' | 'webhookUrl' | 'stateFile'>> &
  Pick<EmulatorOptions, 'publicUrl' | 'apiUrl' | 'webhookUrl' | 'stateFile'>

export const defaults = {
  port: 3001,
  host: '127.0.0.1',
  clientId: 'volant-local-client',
  clientSecret: 'volant-local-secret',
  webhookId: 'WH-VOLANT-LOCAL',
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

/** Adds what the text says, or answers what was expected instead. */
type ReadSetting = (text: string, add: (options: EmulatorOptions) => void) => string | undefined

const text =
  (key: 'host' | 'clientId' | 'clientSecret' | 'webhookId' | 'stateFile' | 'merchantName'): ReadSetting =>
  (value, add) => {
    if (value.trim() === '') return 'must not be empty'
    add({ [key]: value })
    return undefined
  }

const url =
  (key: 'publicUrl' | 'apiUrl' | 'webhookUrl'): ReadSetting =>
  (value, add) => {
    if (!URL.canParse(value) || !/^https?:/.test(value))
      return 'expected an address that begins with http:// or https://'
    add({ [key]: key === 'webhookUrl' ? value : value.replace(/\/+$/, '') })
    return undefined
  }

const whole =
  (key: 'port' | 'seed' | 'webhookRetryMs' | 'webhookTries' | 'hangMs', top: number): ReadSetting =>
  (value, add) => {
    if (!/^\d{1,10}$/.test(value) || Number(value) > top) return `expected a whole number from 0 to ${top}`
    add({ [key]: Number(value) })
    return undefined
  }

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const settingReaders: Record<string, ReadSetting> = {
  PORT: whole('port', 65535),
  HOST: text('host'),
  PUBLIC_URL: url('publicUrl'),
  API_URL: url('apiUrl'),
  CLIENT_ID: text('clientId'),
  CLIENT_SECRET: text('clientSecret'),
  WEBHOOK_URL: url('webhookUrl'),
  WEBHOOK_ID: text('webhookId'),
  STATE_FILE: text('stateFile'),
  LANGUAGE: (value, add) => {
    if (value !== 'fr' && value !== 'nl' && value !== 'en') return 'expected fr, nl or en'
    add({ language: value })
    return undefined
  },
  MERCHANT_NAME: text('merchantName'),
  SEED: whole('seed', 4_294_967_295),
  WEBHOOK_RETRY_MS: whole('webhookRetryMs', 3_600_000),
  WEBHOOK_TRIES: whole('webhookTries', 30),
  HANG_MS: whole('hangMs', 3_600_000),
  FAULTS: (value, add) => {
    let parsed: unknown
    try {
      parsed = JSON.parse(value)
    } catch {
      return 'expected JSON such as {"http5xx": 0.2}'
    }
    const { faults, seed, wrong } = readFaults(parsed)
    add({ faults, ...(seed === undefined ? {} : { seed }) })
    return wrong.length > 0 ? wrong.join('; ') : undefined
  },
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
    if (value && !(name === 'LANGUAGE' && !/^(fr|nl|en)$/.test(value))) given.set(name, value)
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
    const fault = settingReaders[name]?.(value, (more) => Object.assign(options, more))
    if (fault) wrong.push(`${name}: ${fault}`)
  }
  return { options, wrong }
}
