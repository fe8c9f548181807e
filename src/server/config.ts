import { existsSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isInnerAddress } from '#platform/limits/network-address.ts'
import { publicChain } from '#platform/beacon/chains.ts'
import { companyIn } from '#i18n/company.ts'
import { translate } from '#i18n/server-translator.ts'
import { FUNDING_NAMES, fundingMethods } from '#shared/funding.ts'
import type { InLanguages } from '#shared/localized-text.ts'
import type { PublicSettings } from '#shared/public-settings.ts'
import { SETTINGS, type SettingValues } from './settings.ts'
import { byLanguage } from '#shared/text-fields.ts'

/** Settings whose demo values must never be used for real money. */
const OWN = [
  'paypalClientId',
  'paypalClientSecret',
  'paypalWebhookId',
  'companyName',
  'companyNumber',
  'companyAddress',
  'postalAddress',
  'contactEmail',
] as const

const DEMO_VALUES: ReadonlySet<string | undefined> = new Set(OWN.map((field) => SETTINGS[field].fallback))

/** Complete settings: defaults are filled in. */
export type Config = Readonly<
  Omit<SettingValues, 'publicUrl' | 'paypalSdkUrl' | 'mailFrom'> & {
    publicUrl: string
    mailFrom: string
    paypalSdkUrl: string
    demo: boolean
  }
>

export class ConfigFaults extends Error {
  override readonly name = 'ConfigFaults'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** What the number of a company looks like in its register: a word for a fault, and the test of a number without signs. */
const COMPANY_NUMBERS: Readonly<Record<string, { like: string; pattern: RegExp }>> = {
  BE: { like: 'ten digits such as 0123.456.749', pattern: /^[01]\d{9}$/ },
  FR: { like: 'nine digits such as 123 456 782', pattern: /^\d{9}$/ },
  GB: { like: 'eight characters such as 01234567 or SC123456', pattern: /^(?:\d{8}|[A-Z]{2}\d{6}|R\d{7})$/ },
  NL: { like: 'eight digits such as 12345678', pattern: /^\d{8}$/ },
}

/** Any digit but 0 where the register of the country is not known here. */
const ANY_NUMBER = { like: 'the number that its register gave to the company', pattern: /[1-9]/ }

function companyNumberFault({ companyCountry: country, companyNumber: number }: SettingValues) {
  const { like, pattern } = COMPANY_NUMBERS[country] ?? ANY_NUMBER
  const isWrong = !/[1-9]/.test(number) || !pattern.test(number.replaceAll(/[\s.-]/g, ''))
  return [isWrong, 'COMPANY_NUMBER', `${like} for a company of ${country}, see COMPANY_COUNTRY`] as const
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The values of secrets that the environment names files of (`SECRET_KEY_FILE=/run/secrets/key`), as containers get them.
 * @returns them by the names of the settings, and a fault for each file that gives none
 */
export function readSecretFiles(env: Environment) {
  const values = new Map<string, string>()
  const faults = new Map<string, string>()
  for (const name of SECRET_NAMES) {
    const variable = `${name}_FILE`
    const file = env[variable]?.trim()
    if (!file) continue
    const fail = (found: string): void => void faults.set(name, `${variable}: ${found}`)
    if (env[name]?.trim()) fail(`expected this or ${name}, found both`)
    else {
      try {
        const value = readFileSync(file, 'utf8').trim()
        if (value) values.set(name, value)
        else fail(`expected the value of ${name} in ${file}, found an empty file`)
      } catch (error) {
        fail(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
      }
    }
  }
  return { values, faults }
}

/** DATABASE_URL as it is, or from its file. @throws ConfigFaults */
export function givenDatabaseUrl(env: Environment): string | undefined {
  const { values, faults } = readSecretFiles(env)
  const { name } = SETTINGS.databaseUrl
  const fault = faults.get(name)
  if (fault !== undefined) throw new ConfigFaults([fault])
  return values.get(name) ?? (env[name]?.trim() || undefined)
}

/** @throws ConfigFaults with every fault: the name of the setting and what was expected */
export function readConfig(env: Environment = process.env): Config {
  const files = readSecretFiles(env)
  const read: Record<string, unknown> = {}
  const found: string[] = []
  for (const [field, { name, schema, expected, fallback }] of Object.entries(SETTINGS)) {
    const given = env[name]?.trim() || undefined
    const parsed = schema.safeParse(files.values.get(name) ?? given ?? fallback)
    const shown = given === undefined ? 'nothing' : shownValue(field, given)
    const what = files.values.has(name) ? `something else in ${env[`${name}_FILE`]}` : shown
    if (parsed.success) read[field] = parsed.data
    else found.push(`${name}: expected ${expected}, found ${what}`)
  }
  const values = read as SettingValues
  found.push(...groupFaults(values))
  if (values.mode === 'live') found.push(...liveFaults(values))
  // Whose file is at fault has no value, which says nothing more.
  const isTold = (line: string): boolean => files.faults.has(line.slice(0, line.indexOf(':')))
  const faults = [...files.faults.values(), ...found.filter((line) => !isTold(line))]
  if (faults.length > 0) throw new ConfigFaults(faults)

  return Object.freeze({
    ...values,
    ...(values.rehearsal && WITHOUT_PARTNERS),
    publicUrl: values.publicUrl ?? `http://localhost:${values.port}`,
    mailFrom: values.mailFrom ?? values.contactEmail,
    paypalSdkUrl: values.paypalSdkUrl ?? sdkUrl(values.paypalBaseUrl),
    demo: values.mode === 'demo',
  })
}

/** Where nobody listens, and no client of HTTP looks. */
const NOBODY = 'http://127.0.0.1:9'

/** A shop that is started on a backup serves pages; whatever it tries, nobody else hears of it. */
const WITHOUT_PARTNERS = {
  host: '127.0.0.1',
  roles: ['web'],
  smtpUrl: undefined,
  // A backup's pages show the backup.
  databaseReadUrl: undefined,
  alertWebhookUrl: undefined,
  paypalBaseUrl: NOBODY,
  beaconUrls: [NOBODY],
} as const satisfies { [Field in keyof SettingValues]?: SettingValues[Field] }

function groupFaults(values: SettingValues): string[] {
  const keys = [values.emailjsPublicKey, values.emailjsServiceId, values.emailjsTemplateId]
  const given = keys.filter((one) => one !== undefined).length
  const faults =
    given === 0 || given === keys.length
      ? []
      : ['EMAILJS_PUBLIC_KEY, EMAILJS_SERVICE_ID, EMAILJS_TEMPLATE_ID: expected all three or none']
  if ((values.stampUrl === undefined) !== (values.stampCertificates === undefined))
    faults.push('STAMP_URL, STAMP_CERTIFICATES: expected both or none')
  const { alertWebhookUrl: webhook, alertWebhookFormat: format } = values
  if (webhook !== undefined && format === 'ntfy' && new URL(webhook).pathname === '/')
    faults.push(
      'ALERT_WEBHOOK_URL: expected the address of a topic of ntfy, such as https://ntfy.sh/your-topic, found none in it',
    )
  const { operatorName, operatorWords, operatorPictureUrl } = values
  if (operatorName === undefined && (operatorWords ?? operatorPictureUrl) !== undefined)
    faults.push(
      'OPERATOR_NAME: expected a name beside OPERATOR_WORDS and OPERATOR_PICTURE_URL, found nothing',
    )
  const { mode, paypalBaseUrl, secretKey: key, previousSecretKey: previous } = values
  if (previous && !key)
    faults.push('SECRET_KEY_PREVIOUS: expected the present key as SECRET_KEY beside it, found nothing')
  if (previous && previous === key) faults.push('SECRET_KEY_PREVIOUS: expected another key than SECRET_KEY')
  if (mode !== 'live' && paypalBaseUrl && isPayPalHost(paypalBaseUrl.replace(/^http:/, 'https:')))
    faults.push(
      "PAYPAL_BASE_URL: demo mode expects the emulator or https://api-m.sandbox.paypal.com, not PayPal's live address, which takes real money",
    )
  return faults
}

/**
 * Short durations are for seeing a draw in minutes. With real money they would take from holders the time to object and to
 * claim, and from everybody the time to keep a copy of the list before the round is known.
 */
const LEAST_IN_LIVE_MODE = [
  'drawObjectionMinutes',
  'drawSealMarginMinutes',
  'drawCloseMarginMinutes',
  'drawClaimMinutes',
  'drawAlternateDelayMinutes',
  'drawNoticeMinutes',
  'drawBeaconPatienceMinutes',
] as const

/** Settings that demo mode allows and live mode refuses. */
function liveFaults(values: SettingValues): string[] {
  const isOther = (address: string | undefined): boolean => address !== undefined && !isPayPalHost(address)
  const isDemo = (field: (typeof OWN)[number]): boolean => DEMO_VALUES.has(values[field])
  const own = "a value of your own, not the demo's"
  const faults: (readonly [isWrong: boolean, name: string, expected: string])[] = [
    [!values.publicUrl?.startsWith('https://'), 'PUBLIC_URL', 'an https:// address'],
    [!values.secretKey, 'SECRET_KEY', 'a secret of your own, at least 32 characters'],
    [!values.logKey, 'LOG_KEY', 'a secret of your own, 64 hexadecimal digits'],
    [
      isOther(values.paypalBaseUrl),
      'PAYPAL_BASE_URL',
      'https://api-m.paypal.com, neither an emulator nor the sandbox',
    ],
    [isOther(values.paypalSdkUrl), 'PAYPAL_SDK_URL', 'https://www.paypal.com, not an emulator'],
    ...OWN.map((field) => [isDemo(field), SETTINGS[field].name, own] as const),
    ...(isDemo('companyNumber') ? [] : [companyNumberFault(values)]),
    [!values.smtpUrl, 'SMTP_URL', 'a mail server, since receipts and new passwords go by e-mail'],
    [isUnverified(values.smtpUrl), 'SMTP_URL', 'a mail server whose certificate is verified'],
    [
      isPlainAbroad(values.alertWebhookUrl),
      'ALERT_WEBHOOK_URL',
      'an https:// address, or a host of your own network',
    ],
    [values.limitsFactor !== 1, 'LIMITS_FACTOR', '1'],
    [!isPublicChain(values.beaconChain), 'BEACON_CHAIN', 'quicknet, the public network'],
    ...LEAST_IN_LIVE_MODE.map((field) => {
      const { name, fallback = '' } = SETTINGS[field]
      return [values[field] < Number(fallback), name, `${fallback} or more`] as const
    }),
    [
      values.drawAlternatesDecided > Number(SETTINGS.drawAlternatesDecided.fallback),
      SETTINGS.drawAlternatesDecided.name,
      `${SETTINGS.drawAlternatesDecided.fallback} or fewer`,
    ],
  ]
  const listed = faults.filter(([isWrong]) => isWrong)
  const lines = listed.map(([, name, expected]) => `${name}: live mode expects ${expected}`)
  return values.dev ? [...lines, 'VOLANT_DEV: live mode does not run the development server'] : lines
}

const isPayPalHost = (address: string): boolean => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' && /(^|\.)paypal\.com$/.test(hostname) && !hostname.includes('sandbox')
}

/** All of it: under the hash of a public network another key would sign what its owner likes. */
const isPublicChain = (chain: SettingValues['beaconChain']): boolean =>
  isDeepStrictEqual(chain, publicChain(chain.hash))

const isUnverified = (smtpUrl: string | undefined): boolean =>
  smtpUrl !== undefined &&
  new URL(smtpUrl).searchParams.getAll('tls.rejectUnauthorized').some((value) => !/^(?:true|1)$/i.test(value))

/** Without TLS to a host that is not of a private network. */
function isPlainAbroad(address: string | undefined): boolean {
  if (address === undefined) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && hostname.includes('.') && !isInnerAddress(hostname)
}

const sdkUrl = (paypalBaseUrl: string): string =>
  /(^|\.)paypal\.com$/.test(new URL(paypalBaseUrl).hostname) ? 'https://www.paypal.com' : paypalBaseUrl

/** For the client of the payment provider. */
export const paypalSettings = (config: Config) => ({
  baseUrl: config.paypalBaseUrl,
  clientId: config.paypalClientId,
  clientSecret: config.paypalClientSecret,
  timeoutMs: config.paypalTimeoutMs,
})

/** Signs access tokens: SECRET_KEY, or in demo mode a generated file in DATA_DIR. */
export const secretKey = (config: Config): string =>
  config.secretKey ?? generatedOnce(config, SECRET_KEY_FILE, 'base64url')

/** Seed of the key that signs the logs of draws: LOG_KEY, or in demo mode a generated file in DATA_DIR. */
export const logKeySeed = (config: Config): string =>
  config.logKey ?? generatedOnce(config, LOG_KEY_FILE, 'hex')

/** Both keys without making a file of either: one that there is not yet fits nothing that another one has made. */
export function keptKeys(config: Config): { secret: string; logKeySeed: string } {
  const unused = randomBytes(32).toString('hex')
  return {
    secret: config.secretKey ?? keptFile(config, SECRET_KEY_FILE) ?? unused,
    logKeySeed: config.logKey ?? keptFile(config, LOG_KEY_FILE) ?? unused,
  }
}

/** Opens mailbox and emulators of a demonstration: DEMO_TOKEN, or a generated file in DATA_DIR. */
export const demoToken = (config: Config): string =>
  config.demoToken ?? generatedOnce(config, DEMO_TOKEN_FILE, 'base64url')

/** The same, without making a file: undefined before the first start. */
export const keptDemoToken = (config: Pick<Config, 'demoToken' | 'dataDir'>): string | undefined =>
  config.demoToken ?? keptFile(config, DEMO_TOKEN_FILE)

const SECRET_KEY_FILE = 'secret-key'
const LOG_KEY_FILE = 'log-key'
const DEMO_TOKEN_FILE = 'demo-token'

function keptFile({ dataDir }: Pick<Config, 'dataDir'>, name: string): string | undefined {
  const file = path.join(dataDir, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function generatedOnce({ dataDir }: Config, name: string, encoding: 'base64url' | 'hex'): string {
  const file = path.join(dataDir, name)
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, randomBytes(32).toString(encoding), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

function emailService(config: Config): PublicSettings['emailService'] {
  const { emailjsPublicKey, emailjsServiceId, emailjsTemplateId, emailjsOrigin } = config
  if (!emailjsPublicKey || !emailjsServiceId || !emailjsTemplateId) return null
  return {
    origin: emailjsOrigin,
    publicKey: emailjsPublicKey,
    serviceId: emailjsServiceId,
    templateId: emailjsTemplateId,
  }
}

const companyWords = (config: Config, word: 'place' | 'numberName'): InLanguages =>
  byLanguage((language) => companyIn(config, language)[word])

/** @returns null for none: only Companies House has an address for each number that never changes */
function registerAddress(config: Config): string | null {
  if (config.companyRegisterUrl !== undefined) return config.companyRegisterUrl
  if (config.companyCountry !== 'GB') return null
  return `${COMPANIES_HOUSE}${encodeURIComponent(config.companyNumber)}`
}

const COMPANIES_HOUSE = 'https://find-and-update.company-information.service.gov.uk/company/'

/** Somebody invented in a demonstration, so that the place is seen. */
const DEMO_OPERATOR = 'Nora Vandaele'

function operator(config: Config): PublicSettings['operator'] {
  const { operatorName: name, operatorWords: words } = config
  if (name !== undefined) return { name, words: words ?? null, isInvented: false }
  if (!config.demo) return null
  return {
    name: DEMO_OPERATOR,
    words: byLanguage((language) =>
      translate(language, 'policies.company.demoOperator', { brand: config.brand }),
    ),
    isInvented: true,
  }
}

export const publicSettings = (config: Config): PublicSettings => ({
  brand: config.brand,
  publicUrl: config.publicUrl,
  timeZone: config.timeZone,
  pricesIncludeVat: config.pricesIncludeVat,
  holdMinutes: config.holdMinutes,
  claimMinutes: config.drawClaimMinutes,
  passwordPolicy: config.passwordPolicy,
  registerCodeField: config.registerCodeField,
  videoUrl: config.videoUrl,
  socialUrl: config.socialUrl,
  adminUrl: config.adminUrl,
  partnerEmail: config.partnerEmail,
  contactEmail: config.contactEmail,
  company: {
    name: config.companyName,
    number: config.companyNumber,
    address: config.companyAddress,
    country: config.companyCountry,
    vatNumber: config.vatNumber ?? null,
    place: companyWords(config, 'place'),
    numberName: companyWords(config, 'numberName'),
    registerUrl: registerAddress(config),
    isInvented: config.companyNumber === SETTINGS.companyNumber.fallback,
  },
  operator: operator(config),
  developer: { name: config.developerName, url: config.developerUrl },
  emailService: emailService(config),
  demo: config.demo,
  pictures: {
    hero: config.heroPictureUrl ?? null,
    sport: config.sportPictureUrl ?? null,
    electric: config.electricPictureUrl ?? null,
    everyday: config.everydayPictureUrl ?? null,
    operator: config.operatorPictureUrl ?? null,
  },
  mailbox: config.demo && config.smtpUrl === undefined,
  paypal: {
    clientId: config.paypalClientId,
    sdkBaseUrl: config.paypalSdkUrl,
    funding: config.paypalFunding,
    ways: fundingMethods(config.paypalFunding).map((method) => FUNDING_NAMES[method] ?? method),
    flow: config.paypalFlow,
  },
})

/** Settings whose values nobody sees, not even staff. Addresses may contain a password. */
const SECRETS: ReadonlySet<string> = new Set([
  'secretKey',
  'previousSecretKey',
  'logKey',
  'demoToken',
  'metricsToken',
  'paypalClientSecret',
  'databaseUrl',
  'databaseReadUrl',
  'smtpUrl',
  'backupCopyCommand',
  'alertWebhookUrl',
] satisfies (keyof SettingValues)[])

/** A value that is wrong, for whoever set it: a start's lines end up in logs, which must not have secrets. */
const shownValue = (field: string, given: string): string =>
  SECRETS.has(field) ? `${given.length} characters` : JSON.stringify(given)

/** Names of the settings whose value may be in a file instead: `NAME_FILE` names it. */
export const SECRET_NAMES: readonly string[] = Object.entries(SETTINGS).flatMap(([field, { name }]) =>
  SECRETS.has(field) ? [name] : [],
)

/** Every setting with its value in force, for the console. */
export const settingsInForce = (config: Config) =>
  Object.entries(SETTINGS).map(([field, { name, schema, fallback }]) => {
    const value: unknown = config[field as keyof typeof config]
    const text = value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
    const is_secret = SECRETS.has(field)
    const isDefault = isDeepStrictEqual(value, schema.parse(fallback))
    return { name, value: is_secret ? null : text, is_secret, is_set: !isDefault }
  })

const MANIFEST = new URL('../../package.json', import.meta.url)

/** The version of this checkout. */
export const shopVersion = (): string =>
  (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version
