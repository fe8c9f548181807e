import { isIP } from 'node:net'
import * as z from 'zod'
import { readAddress as readDatabaseAddress } from '#platform/database-address.ts'
import { WEBHOOK_FORMATS } from '#features/alerts/alerts.rules.ts'
import { publicChain } from '#platform/beacon/chains.ts'
import { isPublicKey } from '#platform/beacon/verify-round.ts'
import { type LimitStrength, STRENGTH_SCOPES } from '#platform/limits/limit-keys.ts'
import type { LimitRule } from '#platform/limits/limit-states.ts'
import type { InLanguages } from '#shared/localized-text.ts'
import { COUNTRIES } from '#shared/countries.ts'
import { readAddress } from '#shared/email-address.ts'
import { DEFAULT_LANGUAGE, LANGUAGES } from '#shared/languages.ts'
import { CLAIM_DAYS } from '#shared/promises.ts'
import { byLanguage } from '#shared/text-fields.ts'

interface Kind<Schema extends z.ZodType> {
  schema: Schema
  expected: string
}

const kind = <Schema extends z.ZodType>(schema: Schema, expected: string): Kind<Schema> => ({
  schema,
  expected,
})

const SCHEMES = { http: /^https?:$/, smtp: /^smtps?:$/ } as const

/** An address without the slash at its end. */
const url = (scheme: keyof typeof SCHEMES) =>
  z.string().transform((given, context) => {
    if (URL.canParse(given) && SCHEMES[scheme].test(new URL(given).protocol)) return given.replace(/\/+$/, '')
    context.addIssue('not an address')
    return z.NEVER
  })
const web = kind(url('http'), 'an address that begins with http:// or https://')

/** With the slash at its end, if it has one: receivers may know no other address. */
const webhook = kind(
  z.string().refine((given) => URL.canParse(given) && SCHEMES.http.test(new URL(given).protocol)),
  'an address that begins with https:// or http://',
)

const database = kind(
  z.string().refine((given) => readDatabaseAddress(given) !== undefined),
  'an address that begins with postgres://, of one server or of several (postgres://user@a:5432,b:5432/name)',
)

const isPicture = (given: string): boolean =>
  /^https?:\/\//.test(given) ? URL.canParse(given) : /^\/(?![/\\])[^\s"'<>\\]+$/.test(given)
/** An address, or a path of this shop. */
const picture = kind(
  z.string().refine(isPicture),
  'an address that begins with https:// or http://, or a path such as /media/hero.webp',
)

/** @param zero what 0 means */
const whole = (min: number, max: number, what = 'a number', zero?: string) => {
  const digits = z.string().regex(/^\d+$/).transform(Number)
  const range = digits.refine((number) => number >= min && number <= max)
  return kind(range, `${what} from ${min} to ${max}${zero === undefined ? '' : `; ${zero}`}`)
}

const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  kind(z.enum(words), `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)

const flag = (yes: string, no: string) => z.enum([yes, no]).transform((given) => given === yes)
const yesNo = kind(flag('true', 'false'), 'true or false')

const text = (expected: string) => kind(z.string().min(1), expected)

const email = kind(
  z.string().transform((given, issues) => {
    const address = readAddress(given)
    if (address !== undefined) return address
    issues.addIssue('not an address')
    return z.NEVER
  }),
  'an e-mail address',
)

const parts = (given: string): string[] => given.split(',').map((one) => one.trim())
const list = z.string().transform((given) => parts(given).filter(Boolean))

/** An address, or a network as a prefix and its length: 10.0.0.0/8, 2001:db8::/32. All addresses are no network. */
function isNetwork(given: string): boolean {
  const [, address = '', , length] = /^([\d.]+|[\da-f:.]+)(\/([1-9]\d{0,2}))?$/i.exec(given) ?? []
  return isIP(address) !== 0 && Number(length ?? 1) <= (isIP(address) === 4 ? 32 : 128)
}

/** None, the number of hops, or the networks that have our proxies. */
const proxies = z.string().transform((given, context): false | number | string[] => {
  if (given === 'false') return false
  if (/^(?:true|[1-9]|10)$/.test(given)) return given === 'true' ? 1 : Number(given)
  const networks = parts(given)
  if (networks.every(isNetwork)) return networks
  context.addIssue('neither a number nor networks')
  return z.NEVER
})
const roles = z
  .string()
  .transform(parts)
  .pipe(z.array(z.enum(['web', 'worker'])).min(1))

/** A time zone that this Node knows. */
const zone = z.string().refine((name) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    return false
  }
})

/** @param name of its environment variable @param fallback value when it is missing */
const setting = <Schema extends z.ZodType<unknown, string | undefined>>(
  name: string,
  { schema, expected }: Kind<Schema>,
  fallback: string | undefined,
  purpose: string,
) => ({ name, schema, expected, fallback, purpose })

const optional = <Schema extends z.ZodType<unknown, string>>(
  name: string,
  { schema, expected }: Kind<Schema>,
  purpose: string,
) => setting(name, kind(schema.optional(), expected), undefined, purpose)

/** A picture of the home page that is stored elsewhere. */
const homePicture = (name: string, what: string) => optional(name, picture, `${what}; unset: the shop's own.`)

const PICTURE_SETTINGS = {
  heroPictureUrl: homePicture('HERO_PICTURE_URL', 'Picture at the top of the home page'),
  sportPictureUrl: homePicture('CATEGORY_SPORT_PICTURE_URL', 'Picture of "Sports Cars"'),
  electricPictureUrl: homePicture('CATEGORY_ELECTRIC_PICTURE_URL', 'Picture of "Electric Vehicles"'),
  everydayPictureUrl: homePicture('CATEGORY_EVERYDAY_PICTURE_URL', 'Picture of "Everyday Cars"'),
} as const

/** For the legal notices. Defaults are invented; live mode refuses them. */
const legal = (name: string, expected: string, fallback: string, what: string) =>
  setting(name, text(expected), fallback, `${what}; required in live mode.`)

const IN_LANGUAGES = `one text for all languages, or "${LANGUAGES.map((language) => `${language}: …`).join(' | ')}"`
const PART = new RegExp(String.raw`^(${LANGUAGES.join('|')}):\s*(\S.*)$`)

/** A text of the operator for all languages, or one for each. */
const textInLanguages = z.string().transform((given, context): InLanguages => {
  const parts = given.split('|').map((part) => PART.exec(part.trim()))
  if (parts.length === 1 && !parts[0] && !LANGUAGES.some((language) => given.startsWith(`${language}:`)))
    return byLanguage(() => given)
  const texts = Object.fromEntries(parts.flatMap((part) => (part ? [[part[1], part[2]]] : [])))
  const isWhole = parts.length === LANGUAGES.length && LANGUAGES.every((language) => language in texts)
  if (isWhole) return texts as unknown as InLanguages
  context.addIssue('not a text for each language')
  return z.NEVER
})

/** What the shop says of the company in a language; unset: what holds in its country. */
const companyText = (name: string, what: string, unset: string) =>
  optional(name, kind(textInLanguages, IN_LANGUAGES), `${what}; unset: ${unset}.`)

const DEMO_OFFICE = '1 Invented Street, Exampleton ZZ99 9ZZ, United Kingdom'
const DEMO_POST = 'Volant Free Entries, PO Box 0, Exampleton ZZ99 9ZZ, United Kingdom'

const COMPANY_SETTINGS = {
  companyName: legal('COMPANY_NAME', 'a name', 'Volant Demonstration Ltd', 'Company that operates the shop'),
  companyNumber: legal('COMPANY_NUMBER', 'a registration number', '00000000', "The company's number"),
  companyAddress: legal('COMPANY_ADDRESS', 'an address on one line', DEMO_OFFICE, "The company's address"),
  companyCountry: setting(
    'COMPANY_COUNTRY',
    kind(
      z.enum(COUNTRIES.map(({ code }) => code)),
      `a country: ${COUNTRIES.map(({ code }) => code).join(', ')}`,
    ),
    'GB',
    'Country in which the company is registered; rules, footer and receipts follow it.',
  ),
  companyForm: companyText(
    'COMPANY_FORM',
    'Legal form of the company, without an article',
    'a private limited company in GB, a company elsewhere',
  ),
  companyRegister: companyText(
    'COMPANY_REGISTER',
    'Register of the company',
    'that of BE, DE, FR, LU or NL, none elsewhere',
  ),
  companyRegisterUrl: optional(
    'COMPANY_REGISTER_URL',
    web,
    "The company's page there; unset: Companies House in GB, none elsewhere.",
  ),
  companyNumberName: companyText(
    'COMPANY_NUMBER_NAME',
    "What the company's number is called",
    'its name in BE, DE, FR, LU or NL, "company number" elsewhere',
  ),
  companyLaw: companyText(
    'COMPANY_LAW',
    'Law of the rules, without an article, such as "fr: droit anglais | nl: Engelse recht | en: English law"',
    'that of COMPANY_COUNTRY',
  ),
  companyCourts: companyText('COMPANY_COURTS', 'Courts for all but consumers', 'not named'),
  companyAuthority: companyText('COMPANY_AUTHORITY', 'Authority that supervises the company', 'not named'),
  operatorName: optional('OPERATOR_NAME', text('a name'), 'Who runs the shop; unset: nobody.'),
  operatorWords: companyText('OPERATOR_WORDS', 'A sentence of theirs', 'none'),
  operatorPictureUrl: optional('OPERATOR_PICTURE_URL', picture, 'Square portrait; unset: initials.'),
  vatNumber: optional('VAT_NUMBER', text('a VAT number'), "The company's VAT number; unset: not shown."),
  letterWindow: setting(
    'LETTER_WINDOW',
    oneOf('left', 'right'),
    'left',
    'Side of the window in the envelopes for letters.',
  ),
  postalReservePercent: setting(
    'POSTAL_RESERVE_PERCENT',
    whole(0, 50, 'a percentage'),
    '0',
    'Share of the numbers that a new draft keeps for entries by post.',
  ),
  postalAddress: legal('POSTAL_ADDRESS', 'an address on one line', DEMO_POST, 'Address for free entries'),
} as const

const CLIENT_ID = text('the client id of the PayPal app')
const CLIENT_SECRET = text('the secret of the PayPal app')

const PAYPAL_SETTINGS = {
  paypalBaseUrl: setting(
    'PAYPAL_BASE_URL',
    web,
    'http://localhost:3001',
    'PayPal REST API: the emulator, https://api-m.sandbox.paypal.com or https://api-m.paypal.com.',
  ),
  paypalSdkUrl: optional(
    'PAYPAL_SDK_URL',
    web,
    'Origin of /sdk/js; unset: PAYPAL_BASE_URL for the emulator, https://www.paypal.com for PayPal.',
  ),
  paypalClientId: setting('PAYPAL_CLIENT_ID', CLIENT_ID, 'volant-local-client', 'Client id at PayPal.'),
  paypalClientSecret: setting(
    'PAYPAL_CLIENT_SECRET',
    CLIENT_SECRET,
    'volant-local-secret',
    'Secret at PayPal.',
  ),
  paypalWebhookId: setting(
    'PAYPAL_WEBHOOK_ID',
    text('the id of the webhook'),
    'WH-VOLANT-LOCAL',
    'Webhook id at PayPal.',
  ),
  paypalFunding: setting(
    'PAYPAL_FUNDING',
    kind(
      z.string().regex(/^(?:[a-z\d]+(?::[A-Z]{2})?(?:,(?!$)|$))*$/),
      'names separated by commas, each for everybody (eps) or a country (eps:AT)',
    ),
    'bancontact:BE,ideal:NL,eps:AT,mybank:IT,p24:PL',
    'Additional funding methods of the payment buttons; with a country only for buyers billed there.',
  ),
  paypalFlow: setting(
    'PAYPAL_FLOW',
    oneOf('buttons', 'redirect'),
    'buttons',
    'redirect loads no script of PayPal.',
  ),
  paypalTimeoutMs: setting(
    'PAYPAL_TIMEOUT_MS',
    whole(500, 60_000, 'milliseconds'),
    '10000',
    'Timeout of a call to PayPal.',
  ),
} as const

const urls = z
  .string()
  .transform(parts)
  .pipe(z.array(url('http')).min(1))

const OtherChain = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  publicKey: z.string().refine(isPublicKey),
  genesis: z.int().min(0),
  period: z.int().positive(),
  scheme: z.literal('bls-unchained-g1-rfc9380'),
})
/** A public network by its name or hash, or another chain as JSON. */
const beaconChain = z.string().transform((given, context) => {
  const named = publicChain(given)
  if (named) return named
  try {
    return OtherChain.parse(JSON.parse(given))
  } catch {
    context.addIssue('not a chain')
    return z.NEVER
  }
})

/** The public randomness that decides the draws. */
const BEACON_SETTINGS = {
  beaconUrls: setting(
    'BEACON_URLS',
    kind(urls, 'addresses that begin with http:// or https://, separated by commas'),
    'https://api.drand.sh,https://api2.drand.sh,https://api3.drand.sh,https://drand.cloudflare.com',
    'Relays of drand, tried in this order.',
  ),
  beaconChain: setting(
    'BEACON_CHAIN',
    kind(beaconChain, 'quicknet, its hash, or JSON with hash, publicKey, genesis, period and scheme'),
    'quicknet',
    'Chain of drand whose rounds decide draws: quicknet, or JSON with hash, publicKey, genesis, period and scheme; live mode requires quicknet.',
  ),
  beaconTimeoutMs: setting(
    'BEACON_TIMEOUT_MS',
    whole(500, 60_000, 'milliseconds'),
    '5000',
    'Timeout of a call to one relay.',
  ),
} as const

const minutes = whole(1, 525_600, 'a number of minutes')

/** What the terms of a draw promise (docs/draw-v1.md, section 3). Terms that are published keep theirs. */
const DRAW_SETTINGS = {
  drawObjectionMinutes: setting(
    'DRAW_OBJECTION_MINUTES',
    minutes,
    '1440',
    'Time for objections between the provisional and the sealed list; live mode refuses less than 1440.',
  ),
  drawSealMarginMinutes: setting(
    'DRAW_SEAL_MARGIN_MINUTES',
    minutes,
    '120',
    'The list is sealed so long before the draw at the latest; live mode refuses less than 120.',
  ),
  drawCloseMarginMinutes: setting(
    'DRAW_CLOSE_MARGIN_MINUTES',
    minutes,
    '120',
    'Time for payments under way that a new contest leaves after its closing; live mode refuses less than 120.',
  ),
  drawClaimMinutes: setting(
    'DRAW_CLAIM_MINUTES',
    minutes,
    String(CLAIM_DAYS * 1440),
    'How long a winner may wait with the claim; live mode refuses less than 10080, seven days.',
  ),
  drawAlternateDelayMinutes: setting(
    'DRAW_ALTERNATE_DELAY_MINUTES',
    minutes,
    '1440',
    'Least time between a published forfeiture and the draw of the alternate; live mode refuses less than 1440.',
  ),
  drawNoticeMinutes: setting(
    'DRAW_NOTICE_MINUTES',
    minutes,
    '60',
    'From so long before a draw on, staff cannot cancel a sealed contest, and a void counts as decided by the shop; live mode refuses less than 60.',
  ),
  drawBeaconPatienceMinutes: setting(
    'DRAW_BEACON_PATIENCE_MINUTES',
    minutes,
    '10080',
    'How long after the draw instant a silent beacon is waited for; live mode refuses less than 10080, seven days.',
  ),
  drawAlternatesDecided: setting(
    'DRAW_ALTERNATES_DECIDED',
    whole(0, 100),
    '3',
    'How many winners of a contest staff may reject; live mode refuses more than 3.',
  ),
  witnessPolicy: optional(
    'WITNESS_POLICY',
    text('the path of a file'),
    'File with the witnesses that confirm the register of the draws, and how many suffice (https://c2sp.org/tlog-policy); each with its address. New terms name it; unset: only the shop vouches for its times.',
  ),
  stampUrl: optional(
    'STAMP_URL',
    webhook,
    'Authority of time stamps (RFC 3161) that is asked to stamp the terms and the sealed list of each draw; with STAMP_CERTIFICATES. New terms name it.',
  ),
  stampCertificates: optional(
    'STAMP_CERTIFICATES',
    text('the path of a file'),
    'File with the certificates in PEM that anchor that authority, as it publishes them.',
  ),
  logKey: optional(
    'LOG_KEY',
    kind(z.string().regex(/^[0-9a-f]{64}$/), '64 hexadecimal digits'),
    'Signs the logs of draws (seed of an Ed25519 key), required in live mode; unset: one is generated in DATA_DIR. It must never change.',
  ),
} as const

const MAIL_SETTINGS = {
  emailjsOrigin: setting(
    'EMAILJS_ORIGIN',
    web,
    'https://api.emailjs.com',
    'E-mail service of the contact form; without its three keys the shop sends messages itself.',
  ),
  emailjsPublicKey: optional('EMAILJS_PUBLIC_KEY', text('the public key'), 'Public key of that service.'),
  emailjsServiceId: optional('EMAILJS_SERVICE_ID', text('the service id'), 'Service id of that service.'),
  emailjsTemplateId: optional('EMAILJS_TEMPLATE_ID', text('the template id'), 'Template id of that service.'),
  contactBlocked: optional(
    'CONTACT_BLOCKED',
    kind(list, 'addresses and @domains separated by commas'),
    'Senders that the contact form refuses; an e-mail service has its own list.',
  ),
  smtpUrl: optional(
    'SMTP_URL',
    kind(url('smtp'), 'an address that begins with smtp:// or smtps://'),
    'Mail server, required in live mode, with TLS (smtp:// with STARTTLS); unset: emails are shown at /demo/mailbox.',
  ),
  mailFrom: optional('MAIL_FROM', email, 'Sender address of emails; unset: CONTACT_EMAIL.'),
} as const

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400
const RULE = /^([a-z]+) (\d{1,9})\/(\d{1,4})([smhd])$/

/** Reads "account 10/1h, address 200/1h, all 6000/1h"; each part exactly once. */
function parseStrength(given: string): LimitStrength | undefined {
  const parts = given.split(',').map((part): [string, LimitRule] | undefined => {
    const [, scope = '', count = '', number = '', unit = ''] = RULE.exec(part.trim()) ?? []
    const seconds = Number(number) * (UNITS[unit] ?? 0)
    const isRule = Number(count) >= 1 && seconds >= 1 && seconds <= LONGEST_SECONDS
    return isRule ? [scope, { count: Number(count), seconds }] : undefined
  })
  const rules = Object.fromEntries(parts.filter((part) => part !== undefined))
  const isWhole = parts.length === STRENGTH_SCOPES.length && STRENGTH_SCOPES.every((scope) => scope in rules)
  return isWhole ? (rules as unknown as LimitStrength) : undefined
}

const strengthText = z.string().transform((given, context) => {
  const read = parseStrength(given)
  if (read) return read
  context.addIssue('not a limit')
  return z.NEVER
})
const strengthKind = kind(strengthText, 'counts with s, m, h or d: account 9/1h, address 9/1h, all 9/1h')
/** A named strength of limits (ADR 0019). */
const strength = (name: string, fallback: string, purpose: string) =>
  setting(name, strengthKind, fallback, purpose)

const factor = z
  .string()
  .regex(/^\d{1,7}(\.\d{1,3})?$/)
  .transform(Number)
  .refine((number) => number >= 0.001 && number <= 1_000_000)

const LIMIT_SETTINGS = {
  limitsFactor: setting(
    'LIMITS_FACTOR',
    kind(factor, 'a number from 0.001 to 1000000'),
    '1',
    'Multiplies the counts of all limits, for load tests; live mode requires 1.',
  ),
  limitStrict: strength(
    'LIMIT_STRICT',
    'account 10/1h, address 200/1h, all 6000/1h',
    'Registration, forgotten and changed passwords and addresses, contact messages, downloads of one’s own data.',
  ),
  limitNormal: strength(
    'LIMIT_NORMAL',
    'account 120/10m, address 6000/10m, all 600000/10m',
    'Correct passwords, wrong answers, profile changes, PDFs, claims of prizes.',
  ),
  limitGenerous: strength(
    'LIMIT_GENEROUS',
    'account 240/10m, address 60000/10m, all 6000000/10m',
    'Orders, payments, returns from PayPal, token renewals, calls with an `Idempotency-Key`.',
  ),
} as const

const OPERATION_SETTINGS = {
  metricsToken: optional(
    'METRICS_TOKEN',
    kind(z.string().min(16), 'at least 16 characters'),
    'Bearer token for /metrics; unset: the address does not exist.',
  ),
  alertEmail: optional('ALERT_EMAIL', email, 'Recipient of e-mails about alerts, one for all of a kind.'),
  alertWebhookUrl: optional(
    'ALERT_WEBHOOK_URL',
    webhook,
    'Where messages about alerts are posted, with user and password for Basic authentication.',
  ),
  alertWebhookFormat: setting(
    'ALERT_WEBHOOK_FORMAT',
    oneOf(...WEBHOOK_FORMATS),
    'alertmanager',
    'What ALERT_WEBHOOK_URL takes: alertmanager, ntfy or slack.',
  ),
  alertLanguage: setting(
    'ALERT_LANGUAGE',
    oneOf(...LANGUAGES),
    DEFAULT_LANGUAGE,
    'Language of messages about alerts.',
  ),
  alertRepeatHours: setting(
    'ALERT_REPEAT_HOURS',
    whole(0, 720, 'a number of hours', '0 for never'),
    '24',
    'After how long a message about an alert that nobody looks after is repeated.',
  ),
  checkpointsEmail: optional(
    'CHECKPOINTS_EMAIL',
    email,
    'Recipient outside of the shop of a daily e-mail with the signed checkpoints of all draws.',
  ),
  mergePurchases: setting(
    'MERGE_PURCHASES',
    whole(1, 1_000),
    '128',
    'Largest number of purchases in one transaction; 1 turns batching off.',
  ),
  shedDelayMs: setting(
    'SHED_DELAY_MS',
    whole(0, 60_000, 'milliseconds', '0 for no bound'),
    '2000',
    'Event loop delay above which a process responds with 503, payments last.',
  ),
  shedRequests: setting(
    'SHED_REQUESTS',
    whole(0, 1_000_000, 'a number', '0 for no bound'),
    '12000',
    'Concurrent requests above which a process responds with 503, payments last.',
  ),
  waitingRoomRequests: setting(
    'WAITING_ROOM_REQUESTS',
    whole(0, 1_000_000, 'a number', '0 for no waiting rooms'),
    '500',
    'Concurrent requests of a process above which buyers of a contest in a rush enter in turn.',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    whole(0, 300, 'a number of seconds'),
    '0',
    'How long a stopping process serves requests while it reports "not ready".',
  ),
} as const

/** Decisions of two people (ADR 0046). */
const STAFF_SETTINGS = {
  refundAloneMax: setting(
    'REFUND_ALONE_MAX',
    whole(0, 9_999_999, 'euros'),
    '100',
    'Most euros of one order that one person of staff refunds alone.',
  ),
  refundDayAloneMax: setting(
    'REFUND_DAY_ALONE_MAX',
    whole(0, 9_999_999, 'euros'),
    '500',
    'Most euros that one person of staff refunds alone within 24 hours.',
  ),
  refundAmountAloneMax: setting(
    'REFUND_AMOUNT_ALONE_MAX',
    whole(0, 9_999_999, 'euros'),
    '0',
    'Most euros of one order that one person of staff refunds alone while its tickets stay valid.',
  ),
} as const

/** Caps on tickets that are held and not paid (ADR 0037). */
const HOLD_SETTINGS = {
  holdMaxTickets: setting(
    'HOLD_MAX_TICKETS',
    whole(10, 1_000_000),
    '100',
    'Most unpaid tickets of a contest that an account holds at a time.',
  ),
  holdMaxPercent: setting(
    'HOLD_MAX_PERCENT',
    whole(0, 100, 'a percentage'),
    '5',
    'The same as a share of the contest; the smaller number counts, at least 10.',
  ),
  holdNetworkPercent: setting(
    'HOLD_NETWORK_PERCENT',
    whole(0, 100, 'a percentage'),
    '20',
    'Largest share of a contest that one network holds, at least 50.',
  ),
  holdNewcomersPercent: setting(
    'HOLD_NEWCOMERS_PERCENT',
    whole(0, 100, 'a percentage'),
    '50',
    'Largest share of the unsold tickets that accounts without a purchase hold together, at least 10.',
  ),
  holdUnpaidMinutes: setting(
    'HOLD_UNPAID_MINUTES',
    whole(20, 1_440, 'a number of minutes'),
    '120',
    'Minutes of a day that an account may hold tickets without paying.',
  ),
  holdUnconfirmedTickets: setting(
    'HOLD_UNCONFIRMED_TICKETS',
    whole(1, 1_000_000),
    '20',
    'Most unpaid tickets that an account without a confirmed address holds at a time.',
  ),
} as const

/** Retention periods, as the rules page states them. */
const RETENTION_SETTINGS = {
  keepEmailDays: setting(
    'KEEP_EMAIL_DAYS',
    whole(1, 365, 'a number of days'),
    '30',
    'Retention of the text and address of a sent e-mail.',
  ),
  keepMessageMonths: setting(
    'KEEP_MESSAGE_MONTHS',
    whole(1, 60, 'a number of months'),
    '12',
    'Retention of messages of the contact form, after the last answer.',
  ),
  keepNotificationDays: setting(
    'KEEP_NOTIFICATION_DAYS',
    whole(4, 365, 'a number of days'),
    '30',
    "Retention of the content of PayPal's notifications.",
  ),
  keepOrderYears: setting(
    'KEEP_ORDER_YEARS',
    whole(1, 30, 'a number of years'),
    '6',
    "Retention of names on orders and tickets, after the order's calendar year.",
  ),
  keepPostDays: setting(
    'KEEP_POST_DAYS',
    whole(1, 365, 'a number of days'),
    '30',
    'Retention of name, address and birthday on entries by post, after the time for the claim.',
  ),
  keepClaimDays: setting(
    'KEEP_CLAIM_DAYS',
    whole(1, 3_650, 'a number of days'),
    '365',
    'Retention of name, address and phone of a winner, after handover or forfeiture.',
  ),
  keepSecurityDays: setting(
    'KEEP_SECURITY_DAYS',
    whole(30, 730, 'a number of days'),
    '180',
    'Retention of the security log; what staff did stays as long as orders.',
  ),
} as const

/** Of the keys of age, a file format and program for encryption: one of X25519, or of a hybrid that includes ML-KEM. */
const RECIPIENT = /^age1[0-9a-z]{50,}$/

/** What `npm run backup` reads. */
export const BACKUP_SETTINGS = {
  backupDir: optional(
    'BACKUP_DIR',
    text('a folder'),
    'Where npm run backup writes; unset: in DATA_DIR, which a broken disk takes as well.',
  ),
  backupPublicKey: setting(
    'BACKUP_PUBLIC_KEY',
    kind(
      z
        .string()
        .transform((given) => given.split(/[\s,]+/).filter(Boolean))
        .pipe(z.array(z.string().regex(RECIPIENT))),
      'public keys of age (age1…), separated by commas',
    ),
    '',
    'Backups are encrypted for these keys, of which any one opens them.',
  ),
  backupKeep: setting(
    'BACKUP_KEEP',
    kind(
      z
        .string()
        .regex(/^[1-9]\d{0,3} \d{1,3} \d{1,3}$/)
        .transform((given) => {
          const [days = 0, weeks = 0, months = 0] = given.split(' ').map(Number)
          return { days, weeks, months }
        }),
      'three numbers: of days, weeks and months, the first 1 or more',
    ),
    '7 5 12',
    'Of how many days, weeks and months the newest backup is kept, besides all of the last two days.',
  ),
  backupCopyCommand: optional(
    'BACKUP_COPY_COMMAND',
    text('a program and its arguments, separated by spaces'),
    'Copies a backup away, without a shell; {} stands for its folder.',
  ),
} as const

const ZONE = kind(zone, 'a zone such as Europe/Brussels')

/** The shop reads nothing else of the environment. */
export const SETTINGS = {
  mode: setting(
    'MODE',
    oneOf('demo', 'live'),
    'demo',
    'live refuses emulators, demo secrets and plain http.',
  ),
  demoToken: optional(
    'DEMO_TOKEN',
    kind(z.string().regex(/^[\w-]{16,}$/), 'at least 16 letters, digits, hyphens and underscores'),
    'Opens mailbox and emulators of a demonstration; unset: one is made, which npm start prints.',
  ),
  host: setting('HOST', text('a host name or IP address'), '127.0.0.1', 'Address the shop listens on.'),
  port: setting('PORT', whole(1, 65535), '3000', 'Port the shop listens on.'),
  publicUrl: optional(
    'PUBLIC_URL',
    web,
    'Address of the shop for browsers; unset: http://localhost and PORT.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    database,
    'PostgreSQL server, a pooler, or several servers, of which the one that takes writes is used; unset: an embedded one in DATA_DIR.',
  ),
  databaseReadUrl: optional(
    'DATABASE_READ_URL',
    database,
    'A standby of that server, for lists, reports and public pages; unset: all is read where it is written.',
  ),
  databasePool: setting(
    'DATABASE_POOL',
    whole(2, 100),
    '10',
    'Database connections of one process, to each of the servers.',
  ),
  dataDir: setting('DATA_DIR', text('a folder'), './data', 'Embedded database, secrets, uploaded pictures.'),
  roles: setting(
    'ROLES',
    kind(roles, 'web, worker or both, separated by a comma'),
    'web,worker',
    'What this process does: respond to requests, run background jobs, or both.',
  ),
  secretKey: optional(
    'SECRET_KEY',
    kind(z.string().min(32), 'at least 32 characters'),
    'Signs access tokens, required in live mode; unset: one is generated in DATA_DIR.',
  ),
  previousSecretKey: optional(
    'SECRET_KEY_PREVIOUS',
    kind(z.string().min(32), 'at least 32 characters'),
    'The key before SECRET_KEY, while it is replaced: what it made is still accepted.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    'Lowest level of the log: fatal, error, warn, info, debug or silent.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    kind(
      proxies,
      'true, false, the number of proxies up to 10, or a list of addresses and networks such as 10.0.0.0/8,2001:db8::/32',
    ),
    'false',
    'Proxies whose X-Forwarded-For is believed: how many (true is one), or the addresses from which they connect.',
  ),
  brand: setting('BRAND', text('a name'), 'Volant', 'Name of the shop in titles, emails and documents.'),
  timeZone: setting('TIME_ZONE', ZONE, 'Europe/Brussels', 'Time zone of every date that is shown.'),
  passwordPolicy: setting(
    'PASSWORD_POLICY',
    oneOf('basic', 'strong'),
    'basic',
    'strong requires four kinds of characters at registration. Common passwords are refused in both.',
  ),
  offlinePage: setting(
    'OFFLINE_PAGE',
    yesNo,
    'true',
    'Browsers get a page of ours for when there is no connection; false removes it.',
  ),
  registerCodeField: setting('REGISTER_CODE_FIELD', yesNo, 'false', 'Registration asks for a partner code.'),
  hideAnswer: setting('HIDE_ANSWER', yesNo, 'false', 'The API never returns the correct answer.'),
  pricesIncludeVat: setting('PRICES_INCLUDE_VAT', yesNo, 'false', 'The ticket price includes VAT.'),
  holdMinutes: setting(
    'HOLD_MINUTES',
    whole(5, 180, 'a number of minutes'),
    '20',
    'How long tickets are held.',
  ),
  ...HOLD_SETTINGS,
  videoUrl: setting('VIDEO_URL', web, 'https://www.youtube.com/', 'Video platform of the live draws.'),
  socialUrl: setting('SOCIAL_URL', web, 'https://www.tiktok.com/', 'Social platform of the live draws.'),
  adminUrl: setting('ADMIN_URL', text('an address or a path'), '/admin/', 'Target of the staff link.'),
  contactEmail: setting(
    'CONTACT_EMAIL',
    email,
    'contact@volant.example',
    'Address shown to customers; required in live mode.',
  ),
  partnerEmail: setting(
    'PARTNER_EMAIL',
    text('an e-mail address'),
    'partners@volant.example',
    'Address shown to partners.',
  ),
  ...PICTURE_SETTINGS,
  ...COMPANY_SETTINGS,
  developerName: setting('DEVELOPER_NAME', text('a name'), 'Volant', 'Developer credit in the footer.'),
  developerUrl: setting('DEVELOPER_URL', web, 'https://volant.example', 'Link of the developer credit.'),
  ...PAYPAL_SETTINGS,
  ...BEACON_SETTINGS,
  ...DRAW_SETTINGS,
  ...MAIL_SETTINGS,
  ...LIMIT_SETTINGS,
  ...STAFF_SETTINGS,
  ...OPERATION_SETTINGS,
  ...RETENTION_SETTINGS,
  ...BACKUP_SETTINGS,
  dev: setting(
    'VOLANT_DEV',
    kind(flag('1', ''), '1 or nothing'),
    '',
    'Set by npm run dev: pages are built on request.',
  ),
  demoHistory: setting(
    'VOLANT_DEMO_HISTORY',
    kind(flag('1', ''), '1 or nothing'),
    '',
    'Set by npm start beside its PayPal emulator: an empty demonstration begins with a fortnight of sales.',
  ),
  rehearsal: setting(
    'VOLANT_REHEARSAL',
    kind(flag('1', ''), '1 or nothing'),
    '',
    'Set by npm run backup:rehearse: the process serves pages and calls nobody.',
  ),
} as const

type Settings = typeof SETTINGS

export type SettingValues = { [Name in keyof Settings]: z.output<Settings[Name]['schema']> }
