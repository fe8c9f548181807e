import {
  type ServerOptions,
  type SettingReaders,
  optionsAs,
  readSettingsOf,
  refuse,
  serverReaders,
  text,
  whole,
} from '../settings.ts'
import { type Faults, readFaults } from './faults.ts'
import type { Language } from './model.ts'

export type EmulatorOptions = ServerOptions & {
  publicUrl?: string // address that browsers use for the approval page and the script
  apiUrl?: string // address that the shop's server uses, also in links and `paypal-cert-url`
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
  hangMs?: number // how late the response to `timeout@buyer.test` is
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

const url = (value: string): string =>
  URL.canParse(value) && /^https?:/.test(value)
    ? value
    : refuse('expected an address that begins with http:// or https://')
const origin = (value: string): string => url(value).replace(/\/+$/, '')
const as = optionsAs<EmulatorOptions>()

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const readers: SettingReaders<EmulatorOptions> = {
  ...serverReaders,
  PUBLIC_URL: as('publicUrl', origin),
  API_URL: as('apiUrl', origin),
  CLIENT_ID: as('clientId', text),
  CLIENT_SECRET: as('clientSecret', text),
  WEBHOOK_URL: as('webhookUrl', url),
  WEBHOOK_ID: as('webhookId', text),
  STATE_FILE: as('stateFile', text),
  KEEP_ORDERS: as('keepOrders', whole(0, 1_000_000_000)),
  LANGUAGE: as('language', (value) => (isLanguage(value) ? value : refuse('expected fr, nl or en'))),
  MERCHANT_NAME: as('merchantName', text),
  SEED: as('seed', whole(0, 4_294_967_295)),
  WEBHOOK_RETRY_MS: as('webhookRetryMs', whole(0, 3_600_000)),
  WEBHOOK_TRIES: as('webhookTries', whole(0, 30)),
  HANG_MS: as('hangMs', whole(0, 3_600_000)),
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

export function readSettings(
  { LANGUAGE, ...env }: Record<string, string | undefined>,
  flags: readonly string[],
): { options: EmulatorOptions; wrong: string[] } {
  // LANGUAGE is also a variable of the operating system, such as `en_GB:en`.
  const language = LANGUAGE && isLanguage(LANGUAGE) ? { LANGUAGE } : {}
  return readSettingsOf(readers, { ...env, ...language }, flags)
}
