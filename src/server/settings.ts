import * as z from 'zod'
import { COMPANY_SETTINGS } from './company-settings.ts'

const SCHEMES = { http: /^https?:$/, postgres: /^postgres(ql)?:$/, smtp: /^smtps?:$/ } as const

const url = (scheme: keyof typeof SCHEMES) =>
  z.string().transform((text, context) => {
    if (URL.canParse(text) && SCHEMES[scheme].test(new URL(text).protocol)) return text.replace(/\/+$/, '')
    context.addIssue('not an address')
    return z.NEVER
  })
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((number) => number >= min && number <= max)
const yesNo = z.enum(['true', 'false']).transform((text) => text === 'true')
const filled = z.string().min(1)

const zone = z.string().refine((name) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    return false
  }
})

const roles = z
  .string()
  .transform((list) => list.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(['web', 'worker'])).min(1))

function setting<Schema extends z.ZodType<unknown, string | undefined>>(
  name: string,
  schema: Schema,
  expected: string,
  fallback: string | undefined,
  purpose: string,
): { name: string; schema: Schema; expected: string; fallback: string | undefined; purpose: string } {
  return { name, schema, expected, fallback, purpose }
}

const WEB = 'an address that begins with http:// or https://'
const YES_NO = 'true or false'

/** Every setting the shop reads. Nothing else of the environment is looked at. */
export const SETTINGS = {
  mode: setting(
    'MODE',
    z.enum(['demo', 'live']),
    'demo or live',
    'demo',
    'Live mode refuses emulators, default secrets and plain http.',
  ),
  host: setting('HOST', filled, 'a host name or IP address', '127.0.0.1', 'Address the shop listens on.'),
  port: setting('PORT', whole(1, 65535), 'a number from 1 to 65535', '3000', 'Port the shop listens on.'),
  publicUrl: setting(
    'PUBLIC_URL',
    url('http').optional(),
    WEB,
    undefined,
    'Address under which browsers reach the shop; left out, it is http://localhost and PORT.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    url('postgres').optional(),
    'an address that begins with postgres://',
    undefined,
    'PostgreSQL server; left out, the embedded one keeps its files in DATA_DIR.',
  ),
  databasePool: setting(
    'DATABASE_POOL',
    whole(2, 100),
    'a number from 2 to 100',
    '10',
    'Connections of one process to the database.',
  ),
  dataDir: setting(
    'DATA_DIR',
    filled,
    'a folder',
    './data',
    'Folder of the embedded database, the secrets and the uploaded pictures.',
  ),
  roles: setting(
    'ROLES',
    roles,
    'web, worker or both, separated by a comma',
    'web,worker',
    'What this process does: answer requests, run background work, or both.',
  ),
  secretKey: setting(
    'SECRET_KEY',
    z.string().min(32).optional(),
    'at least 32 characters',
    undefined,
    'Signs the access tokens. Demo mode makes one and keeps it in DATA_DIR; live mode needs it.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    'fatal, error, warn, info, debug or silent',
    'info',
    'Least severe log line that is written.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    yesNo,
    YES_NO,
    'false',
    'Whether a reverse proxy in front sets X-Forwarded-For and X-Forwarded-Proto.',
  ),
  brand: setting('BRAND', filled, 'a name', 'Volant', 'Name of the shop in titles, mails and documents.'),
  timeZone: setting(
    'TIME_ZONE',
    zone,
    'a zone such as Europe/Brussels',
    'Europe/Brussels',
    'Zone in which every date is shown.',
  ),
  passwordPolicy: setting(
    'PASSWORD_POLICY',
    z.enum(['basic', 'strong']),
    'basic or strong',
    'basic',
    'strong enforces the four composition rules at registration.',
  ),
  registerCodeField: setting(
    'REGISTER_CODE_FIELD',
    yesNo,
    YES_NO,
    'false',
    'Shows the partner code field on the registration form.',
  ),
  hideAnswer: setting(
    'HIDE_ANSWER',
    yesNo,
    YES_NO,
    'false',
    'Leaves the correct answer out of every answer of the API.',
  ),
  pricesIncludeVat: setting(
    'PRICES_INCLUDE_VAT',
    yesNo,
    YES_NO,
    'false',
    'Whether the ticket price contains the VAT.',
  ),
  holdMinutes: setting(
    'HOLD_MINUTES',
    whole(5, 180),
    'a number of minutes from 5 to 180',
    '20',
    'How long tickets stay reserved for an order.',
  ),
  videoUrl: setting(
    'VIDEO_URL',
    url('http'),
    WEB,
    'https://www.youtube.com/',
    'Video platform where the draws are held live.',
  ),
  socialUrl: setting(
    'SOCIAL_URL',
    url('http'),
    WEB,
    'https://www.tiktok.com/',
    'Social video platform where the draws are held live.',
  ),
  adminUrl: setting('ADMIN_URL', filled, 'an address or a path', '/admin/', 'Target of the staff link.'),
  contactEmail: setting(
    'CONTACT_EMAIL',
    filled,
    'an e-mail address',
    'contact@volant.example',
    'Address shown to customers.',
  ),
  partnerEmail: setting(
    'PARTNER_EMAIL',
    filled,
    'an e-mail address',
    'partners@volant.example',
    'Address of the partner call-to-action.',
  ),
  ...COMPANY_SETTINGS,
  developerName: setting('DEVELOPER_NAME', filled, 'a name', 'Volant', 'Developer credit in the footer.'),
  developerUrl: setting(
    'DEVELOPER_URL',
    url('http'),
    WEB,
    'https://volant.example',
    'Link of the developer credit.',
  ),
  paypalBaseUrl: setting(
    'PAYPAL_BASE_URL',
    url('http'),
    WEB,
    'http://localhost:3001',
    'PayPal REST API: the emulator, https://api-m.sandbox.paypal.com or https://api-m.paypal.com.',
  ),
  paypalSdkUrl: setting(
    'PAYPAL_SDK_URL',
    url('http').optional(),
    WEB,
    undefined,
    'Address that serves /sdk/js; left out, PAYPAL_BASE_URL for the emulator and https://www.paypal.com for PayPal.',
  ),
  paypalClientId: setting(
    'PAYPAL_CLIENT_ID',
    filled,
    'the client id of the PayPal app',
    'volant-local-client',
    'Client id of the PayPal app.',
  ),
  paypalClientSecret: setting(
    'PAYPAL_CLIENT_SECRET',
    filled,
    'the secret of the PayPal app',
    'volant-local-secret',
    'Secret of the PayPal app.',
  ),
  paypalWebhookId: setting(
    'PAYPAL_WEBHOOK_ID',
    filled,
    'the id of the webhook',
    'WH-VOLANT-LOCAL',
    'Id of the webhook, part of what PayPal signs.',
  ),
  paypalFunding: setting(
    'PAYPAL_FUNDING',
    z.string().regex(/^[a-z]*(,[a-z]+)*$/),
    'names separated by commas',
    'venmo,bancontact',
    'Further funding methods of the payment buttons.',
  ),
  paypalFlow: setting(
    'PAYPAL_FLOW',
    z.enum(['buttons', 'redirect']),
    'buttons or redirect',
    'buttons',
    'redirect never loads a script of PayPal.',
  ),
  paypalTimeoutMs: setting(
    'PAYPAL_TIMEOUT_MS',
    whole(500, 60_000),
    'milliseconds from 500 to 60000',
    '10000',
    'Longest wait for an answer of PayPal.',
  ),
  emailjsOrigin: setting(
    'EMAILJS_ORIGIN',
    url('http').optional(),
    WEB,
    undefined,
    'E-mail service of the contact form.',
  ),
  emailjsPublicKey: setting(
    'EMAILJS_PUBLIC_KEY',
    filled.optional(),
    'the public key',
    undefined,
    'Public key of the e-mail service.',
  ),
  emailjsServiceId: setting(
    'EMAILJS_SERVICE_ID',
    filled.optional(),
    'the service id',
    undefined,
    'Service id of the e-mail service.',
  ),
  emailjsTemplateId: setting(
    'EMAILJS_TEMPLATE_ID',
    filled.optional(),
    'the template id',
    undefined,
    'Template id of the e-mail service.',
  ),
  smtpUrl: setting(
    'SMTP_URL',
    url('smtp').optional(),
    'an address that begins with smtp:// or smtps://',
    undefined,
    'Mail server.',
  ),
  dev: setting(
    'VOLANT_DEV',
    z.enum(['', '1']).transform((text) => text === '1'),
    '1 or nothing',
    '',
    'Set by npm run dev: pages are built as they are asked for.',
  ),
} as const

type Settings = typeof SETTINGS

/** The value of every setting, typed. */
export type SettingValues = { [Name in keyof Settings]: z.output<Settings[Name]['schema']> }
