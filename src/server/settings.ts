import * as z from 'zod'
import { type LimitStrength, STRENGTH_SCOPES } from '#platform/limits/limit-keys.ts'
import type { LimitRule } from '#platform/limits/limit-states.ts'
import {
  email,
  kind,
  list,
  oneOf,
  optional,
  picture,
  proxies,
  roles,
  setting,
  text,
  url,
  web,
  whole,
  yesNo,
  zone,
} from './setting-kinds.ts'

const DEFAULT_PICTURE = "left out, the shop's own."

/** Pictures of the home page that are stored elsewhere (decisions, "Category and hero pictures"). */
const PICTURE_SETTINGS = {
  heroPictureUrl: optional(
    'HERO_PICTURE_URL',
    picture,
    `Picture at the top of the home page; ${DEFAULT_PICTURE}`,
  ),
  sportPictureUrl: optional(
    'CATEGORY_SPORT_PICTURE_URL',
    picture,
    `Picture of the card "Sports Cars"; ${DEFAULT_PICTURE}`,
  ),
  electricPictureUrl: optional(
    'CATEGORY_ELECTRIC_PICTURE_URL',
    picture,
    `Picture of the card "Electric Vehicles"; ${DEFAULT_PICTURE}`,
  ),
  everydayPictureUrl: optional(
    'CATEGORY_EVERYDAY_PICTURE_URL',
    picture,
    `Picture of the card "Everyday Cars"; ${DEFAULT_PICTURE}`,
  ),
} as const

/** Who operates the shop, for the legal notices. The defaults are invented; live mode refuses them. */
const COMPANY_SETTINGS = {
  companyName: setting(
    'COMPANY_NAME',
    text('a name'),
    'Volant Demonstration Ltd',
    'Company that operates the shop, for the legal notices; live mode needs your own.',
  ),
  companyNumber: setting(
    'COMPANY_NUMBER',
    text('a registration number'),
    '00000000',
    'Registration number of the company; live mode needs your own.',
  ),
  companyAddress: setting(
    'COMPANY_ADDRESS',
    text('an address on one line'),
    '1 Invented Street, Exampleton ZZ99 9ZZ, United Kingdom',
    'Registered office of the company; live mode needs your own.',
  ),
  vatNumber: optional(
    'VAT_NUMBER',
    text('a VAT number'),
    'VAT number of the company; left out, the legal notices name none.',
  ),
  postalAddress: setting(
    'POSTAL_ADDRESS',
    text('an address on one line'),
    'Volant Free Entries, PO Box 0, Exampleton ZZ99 9ZZ, United Kingdom',
    'Where free entries are sent by post; live mode needs your own.',
  ),
} as const

/** PayPal or its emulator. */
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
    'Address that serves /sdk/js; left out, PAYPAL_BASE_URL for the emulator and https://www.paypal.com for PayPal.',
  ),
  paypalClientId: setting(
    'PAYPAL_CLIENT_ID',
    text('the client id of the PayPal app'),
    'volant-local-client',
    'Client id of the PayPal app.',
  ),
  paypalClientSecret: setting(
    'PAYPAL_CLIENT_SECRET',
    text('the secret of the PayPal app'),
    'volant-local-secret',
    'Secret of the PayPal app.',
  ),
  paypalWebhookId: setting(
    'PAYPAL_WEBHOOK_ID',
    text('the id of the webhook'),
    'WH-VOLANT-LOCAL',
    'Id of the webhook, part of what PayPal signs.',
  ),
  paypalFunding: setting(
    'PAYPAL_FUNDING',
    kind(z.string().regex(/^[a-z]*(,[a-z]+)*$/), 'names separated by commas'),
    'venmo,bancontact',
    'Further funding methods of the payment buttons.',
  ),
  paypalFlow: setting(
    'PAYPAL_FLOW',
    oneOf('buttons', 'redirect'),
    'buttons',
    'redirect never loads a script of PayPal.',
  ),
  paypalTimeoutMs: setting(
    'PAYPAL_TIMEOUT_MS',
    whole(500, 60_000, 'milliseconds'),
    '10000',
    'Longest wait for an answer of PayPal.',
  ),
} as const

/** The e-mail service of the contact form, and the mail server. */
const MAIL_SETTINGS = {
  emailjsOrigin: setting(
    'EMAILJS_ORIGIN',
    web,
    'https://api.emailjs.com',
    'E-mail service of the contact form, used once its three keys are given; else the shop emails the messages.',
  ),
  emailjsPublicKey: optional(
    'EMAILJS_PUBLIC_KEY',
    text('the public key'),
    'Public key of the e-mail service.',
  ),
  emailjsServiceId: optional(
    'EMAILJS_SERVICE_ID',
    text('the service id'),
    'Service id of the e-mail service.',
  ),
  emailjsTemplateId: optional(
    'EMAILJS_TEMPLATE_ID',
    text('the template id'),
    'Template id of the e-mail service.',
  ),
  contactBlocked: optional(
    'CONTACT_BLOCKED',
    kind(list, 'addresses and @domains separated by commas'),
    'Senders whose messages the contact form refuses; a set-up e-mail service has its own list.',
  ),
  smtpUrl: optional(
    'SMTP_URL',
    kind(url('smtp'), 'an address that begins with smtp:// or smtps://'),
    'Mail server; left out, the demonstration keeps its emails and shows them under /demo/mailbox. Live mode needs one.',
  ),
  mailFrom: optional('MAIL_FROM', email, 'Address that emails come from; left out, it is CONTACT_EMAIL.'),
} as const

/** Seconds of the units of a limit. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400
const RULE = /^([a-z]+) (\d{1,9})\/(\d{1,4})([smhd])$/

/** Reads "account 10/1h, address 200/1h, all 6000/1h"; undefined unless each part is there exactly once. */
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

/** A named strength of limits (ADR 0019). */
const strength = (name: string, fallback: string, purpose: string) =>
  setting(
    name,
    kind(
      z.string().transform((given, context) => {
        const read = parseStrength(given)
        if (read) return read
        context.addIssue('not a limit')
        return z.NEVER
      }),
      'counts with s, m, h or d: account 9/1h, address 9/1h, all 9/1h',
    ),
    fallback,
    purpose,
  )

const LIMIT_SETTINGS = {
  limitsFactor: setting(
    'LIMITS_FACTOR',
    kind(
      z
        .string()
        .regex(/^\d{1,7}(\.\d{1,3})?$/)
        .transform(Number)
        .refine((factor) => factor >= 0.001 && factor <= 1_000_000),
      'a number from 0.001 to 1000000',
    ),
    '1',
    'Multiplies every count of the limits, for load tests; live mode needs 1.',
  ),
  limitStrict: strength(
    'LIMIT_STRICT',
    'account 10/1h, address 200/1h, all 6000/1h',
    'Calls that guess a password, reveal whether an address is known or send mail: registering, a forgotten or changed password, another e-mail address, the contact form.',
  ),
  limitNormal: strength(
    'LIMIT_NORMAL',
    'account 120/10m, address 6000/10m, all 600000/10m',
    'Calls that cost work: logins and changes with the right password, wrong answers to a contest, changes of the profile, logouts of sessions that do not exist.',
  ),
  limitGenerous: strength(
    'LIMIT_GENEROUS',
    'account 240/10m, address 60000/10m, all 6000000/10m',
    'Calls that a crowd makes at the same moment: orders, payments, the return from PayPal, renewals of an access token, calls with an `Idempotency-Key`.',
  ),
} as const

/** Operating the shop. */
const OPERATION_SETTINGS = {
  metricsToken: optional(
    'METRICS_TOKEN',
    kind(z.string().min(16), 'at least 16 characters'),
    'Token that Prometheus shows at /metrics; left out, nobody gets the figures.',
  ),
  alertEmail: optional(
    'ALERT_EMAIL',
    email,
    'Gets a mail for each new alert; left out, alerts are in the log and listed for staff only.',
  ),
  mergePurchases: setting(
    'MERGE_PURCHASES',
    whole(1, 1_000),
    '128',
    'Most purchases that share a transaction; 1 gives each its own, which is slower: to compare, or to look for a fault.',
  ),
  shedDelayMs: setting(
    'SHED_DELAY_MS',
    whole(0, 60_000, 'milliseconds', '0 for no bound'),
    '2000',
    'Delay of the event loop above which a process turns requests away, payments last.',
  ),
  shedRequests: setting(
    'SHED_REQUESTS',
    whole(0, 1_000_000, 'a number', '0 for no bound'),
    '12000',
    'Requests under way above which a process turns further ones away, payments last.',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    whole(0, 300, 'a number of seconds'),
    '0',
    'How long a process that was told to stop still takes requests, not ready, so that a balancer turns to others.',
  ),
} as const

/** How long personal data is kept; the rules page says the same. */
const RETENTION_SETTINGS = {
  keepEmailDays: setting(
    'KEEP_EMAIL_DAYS',
    whole(1, 365, 'a number of days'),
    '30',
    'After that many days the text and address of a sent mail are erased.',
  ),
  keepNotificationDays: setting(
    'KEEP_NOTIFICATION_DAYS',
    whole(4, 365, 'a number of days'),
    '30',
    "After that many days what PayPal's notifications said is erased.",
  ),
  keepOrderYears: setting(
    'KEEP_ORDER_YEARS',
    whole(1, 30, 'a number of years'),
    '6',
    'That many years after the end of its calendar year, an order and its tickets name no buyer any more.',
  ),
} as const

/** Every setting the shop reads. Nothing else of the environment is looked at. */
export const SETTINGS = {
  mode: setting(
    'MODE',
    oneOf('demo', 'live'),
    'demo',
    'Live mode refuses emulators, default secrets and plain http.',
  ),
  host: setting('HOST', text('a host name or IP address'), '127.0.0.1', 'Address the shop listens on.'),
  port: setting('PORT', whole(1, 65535), '3000', 'Port the shop listens on.'),
  publicUrl: optional(
    'PUBLIC_URL',
    web,
    'Address under which browsers reach the shop; left out, it is http://localhost and PORT.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    kind(url('postgres'), 'an address that begins with postgres://'),
    'PostgreSQL server; left out, the embedded one keeps its files in DATA_DIR.',
  ),
  databasePool: setting('DATABASE_POOL', whole(2, 100), '10', 'Connections of one process to the database.'),
  dataDir: setting(
    'DATA_DIR',
    text('a folder'),
    './data',
    'Folder of the embedded database, the secrets and the uploaded pictures.',
  ),
  roles: setting(
    'ROLES',
    kind(roles, 'web, worker or both, separated by a comma'),
    'web,worker',
    'What this process does: answer requests, run background work, or both.',
  ),
  secretKey: optional(
    'SECRET_KEY',
    kind(z.string().min(32), 'at least 32 characters'),
    'Signs the access tokens. Demo mode makes one and keeps it in DATA_DIR; live mode needs it.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    'Least severe log line that is written.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    kind(proxies, 'true, false, or the number of proxies up to 10'),
    'false',
    'Reverse proxies in front, each of which adds to X-Forwarded-For; true is one. Further left nobody is believed.',
  ),
  brand: setting('BRAND', text('a name'), 'Volant', 'Name of the shop in titles, emails and documents.'),
  timeZone: setting(
    'TIME_ZONE',
    kind(zone, 'a zone such as Europe/Brussels'),
    'Europe/Brussels',
    'Zone in which every date is shown.',
  ),
  passwordPolicy: setting(
    'PASSWORD_POLICY',
    oneOf('basic', 'strong'),
    'basic',
    'strong enforces the four composition rules at registration, and refuses well-known passwords everywhere.',
  ),
  registerCodeField: setting(
    'REGISTER_CODE_FIELD',
    yesNo,
    'false',
    'Shows the partner code field on the registration form.',
  ),
  hideAnswer: setting(
    'HIDE_ANSWER',
    yesNo,
    'false',
    'Leaves the correct answer out of every answer of the API.',
  ),
  pricesIncludeVat: setting(
    'PRICES_INCLUDE_VAT',
    yesNo,
    'false',
    'Whether the ticket price contains the VAT.',
  ),
  holdMinutes: setting(
    'HOLD_MINUTES',
    whole(5, 180, 'a number of minutes'),
    '20',
    'How long tickets stay reserved for an order.',
  ),
  videoUrl: setting(
    'VIDEO_URL',
    web,
    'https://www.youtube.com/',
    'Video platform where the draws are held live.',
  ),
  socialUrl: setting(
    'SOCIAL_URL',
    web,
    'https://www.tiktok.com/',
    'Social video platform where the draws are held live.',
  ),
  adminUrl: setting('ADMIN_URL', text('an address or a path'), '/admin/', 'Target of the staff link.'),
  contactEmail: setting('CONTACT_EMAIL', email, 'contact@volant.example', 'Address shown to customers.'),
  partnerEmail: setting(
    'PARTNER_EMAIL',
    text('an e-mail address'),
    'partners@volant.example',
    'Address of the partner call-to-action.',
  ),
  ...PICTURE_SETTINGS,
  ...COMPANY_SETTINGS,
  developerName: setting('DEVELOPER_NAME', text('a name'), 'Volant', 'Developer credit in the footer.'),
  developerUrl: setting('DEVELOPER_URL', web, 'https://volant.example', 'Link of the developer credit.'),
  ...PAYPAL_SETTINGS,
  ...MAIL_SETTINGS,
  ...LIMIT_SETTINGS,
  ...OPERATION_SETTINGS,
  ...RETENTION_SETTINGS,
  dev: setting(
    'VOLANT_DEV',
    kind(
      z.enum(['', '1']).transform((text) => text === '1'),
      '1 or nothing',
    ),
    '',
    'Set by npm run dev: pages are built as they are asked for.',
  ),
} as const

type Settings = typeof SETTINGS

/** The value of every setting, typed. */
export type SettingValues = { [Name in keyof Settings]: z.output<Settings[Name]['schema']> }
