import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { PublicSettings } from '#shared/public-settings.ts'
import { SETTINGS, type SettingValues } from './settings.ts'

/** Values that come with the demo and must never be used for real money. */
const DEMO_SECRETS = new Set([
  SETTINGS.paypalClientId.fallback,
  SETTINGS.paypalClientSecret.fallback,
  SETTINGS.paypalWebhookId.fallback,
])

/** The settings of one process, complete: what was left out is filled in. */
export type Config = Readonly<
  Omit<SettingValues, 'publicUrl' | 'paypalSdkUrl' | 'mailFrom'> & {
    publicUrl: string
    mailFrom: string
    paypalSdkUrl: string
    demo: boolean
  }
>

/** Everything that is wrong with the settings, one line each. */
export class ConfigFaults extends Error {
  override readonly name = 'ConfigFaults'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/**
 * Reads the settings once, whole.
 * @throws ConfigFaults with every fault: the name of the setting and what was expected
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const faults: string[] = []
  const read: Record<string, unknown> = {}
  for (const [field, { name, schema, expected, fallback }] of Object.entries(SETTINGS)) {
    const given = env[name]?.trim() || undefined
    const parsed = schema.safeParse(given ?? fallback)
    if (parsed.success) read[field] = parsed.data
    else
      faults.push(
        `${name}: expected ${expected}, found ${given === undefined ? 'nothing' : JSON.stringify(given)}`,
      )
  }
  const values = read as SettingValues
  faults.push(...groupFaults(values))
  if (values.mode === 'live') faults.push(...liveFaults(values))
  if (faults.length > 0) throw new ConfigFaults(faults)

  return Object.freeze({
    ...values,
    publicUrl: values.publicUrl ?? `http://localhost:${values.port}`,
    mailFrom: values.mailFrom ?? values.contactEmail,
    paypalSdkUrl: values.paypalSdkUrl ?? sdkUrl(values.paypalBaseUrl),
    demo: values.mode === 'demo',
  })
}

/** Settings that belong together and were given in part. */
function groupFaults(values: SettingValues): string[] {
  const keys = [values.emailjsPublicKey, values.emailjsServiceId, values.emailjsTemplateId]
  const given = keys.filter((one) => one !== undefined).length
  return given === 0 || given === keys.length
    ? []
    : ['EMAILJS_PUBLIC_KEY, EMAILJS_SERVICE_ID, EMAILJS_TEMPLATE_ID: expected all three or none']
}

/** What demo mode allows and live mode refuses. */
function liveFaults(values: SettingValues): string[] {
  const faults: string[] = []
  if (!values.publicUrl?.startsWith('https://'))
    faults.push('PUBLIC_URL: live mode expects an https:// address')
  if (!values.secretKey)
    faults.push('SECRET_KEY: live mode expects a secret of your own, at least 32 characters')
  if (values.paypalBaseUrl && !isPayPalHost(values.paypalBaseUrl)) {
    faults.push(
      'PAYPAL_BASE_URL: live mode expects https://api-m.paypal.com, neither an emulator nor the sandbox',
    )
  }
  if (values.paypalSdkUrl && !isPayPalHost(values.paypalSdkUrl)) {
    faults.push('PAYPAL_SDK_URL: live mode expects https://www.paypal.com, not an emulator')
  }
  const secrets = [
    ['PAYPAL_CLIENT_ID', values.paypalClientId],
    ['PAYPAL_CLIENT_SECRET', values.paypalClientSecret],
    ['PAYPAL_WEBHOOK_ID', values.paypalWebhookId],
  ] as const
  for (const [name, value] of secrets) {
    if (DEMO_SECRETS.has(value)) faults.push(`${name}: live mode expects a value of your own, not the demo's`)
  }
  for (const field of ['companyName', 'companyNumber', 'companyAddress', 'postalAddress'] as const) {
    const { name, fallback } = SETTINGS[field]
    if (values[field] === fallback)
      faults.push(`${name}: live mode expects a value of your own, not the demo's`)
  }
  if (!values.smtpUrl)
    faults.push('SMTP_URL: live mode expects a mail server, since receipts and new passwords go by e-mail')
  if (values.limitsFactor !== 1) faults.push('LIMITS_FACTOR: live mode expects 1')
  if (values.dev) faults.push('VOLANT_DEV: live mode does not run the development server')
  return faults
}

const isPayPalHost = (address: string): boolean => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' && /(^|\.)paypal\.com$/.test(hostname) && !hostname.includes('sandbox')
}

const sdkUrl = (paypalBaseUrl: string): string =>
  /(^|\.)paypal\.com$/.test(new URL(paypalBaseUrl).hostname) ? 'https://www.paypal.com' : paypalBaseUrl

/**
 * The key that signs access tokens: SECRET_KEY, or in demo mode one made at the first start and kept in DATA_DIR,
 * so that a restart does not log everybody out.
 */
export function secretKey(config: Config): string {
  if (config.secretKey) return config.secretKey
  const file = path.join(config.dataDir, 'secret-key')
  mkdirSync(config.dataDir, { recursive: true })
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

/** The e-mail service of the contact form, where its three keys are given. */
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

/** The part of the settings that a browser may see. */
export const publicSettings = (config: Config): PublicSettings => ({
  brand: config.brand,
  publicUrl: config.publicUrl,
  timeZone: config.timeZone,
  pricesIncludeVat: config.pricesIncludeVat,
  holdMinutes: config.holdMinutes,
  passwordPolicy: config.passwordPolicy,
  registerCodeField: config.registerCodeField,
  videoUrl: config.videoUrl,
  socialUrl: config.socialUrl,
  adminUrl: config.adminUrl,
  partnerEmail: config.partnerEmail,
  contactEmail: config.contactEmail,
  company: { name: config.companyName, number: config.companyNumber, address: config.companyAddress },
  developer: { name: config.developerName, url: config.developerUrl },
  emailService: emailService(config),
  demo: config.demo,
  pictures: {
    hero: config.heroPictureUrl ?? null,
    sport: config.sportPictureUrl ?? null,
    electric: config.electricPictureUrl ?? null,
    everyday: config.everydayPictureUrl ?? null,
  },
  mailbox: config.demo && config.smtpUrl === undefined,
  paypal: {
    clientId: config.paypalClientId,
    sdkBaseUrl: config.paypalSdkUrl,
    funding: config.paypalFunding,
    flow: config.paypalFlow,
  },
})
