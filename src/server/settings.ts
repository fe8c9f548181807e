import * as z from 'zod'
import { COMPANY_SETTINGS } from './company-settings.ts'
import { LIMIT_SETTINGS } from './limit-settings.ts'
import { MAIL_SETTINGS } from './mail-settings.ts'
import { OPERATION_SETTINGS } from './operation-settings.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import { PAYPAL_SETTINGS } from './paypal-settings.ts'
import { PICTURE_SETTINGS } from './picture-settings.ts'
import {
  email,
  filled,
  proxies,
  roles,
  setting,
  url,
  WEB,
  whole,
  yesNo,
  YES_NO,
  zone,
} from './setting-kinds.ts'

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
    proxies,
    'true, false, or the number of proxies up to 10',
    'false',
    'Reverse proxies in front, each of which adds to X-Forwarded-For; true is one. Further left nobody is believed.',
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
    'strong enforces the four composition rules at registration, and refuses well-known passwords everywhere.',
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
    email,
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
  ...PICTURE_SETTINGS,
  ...COMPANY_SETTINGS,
  developerName: setting('DEVELOPER_NAME', filled, 'a name', 'Volant', 'Developer credit in the footer.'),
  developerUrl: setting(
    'DEVELOPER_URL',
    url('http'),
    WEB,
    'https://volant.example',
    'Link of the developer credit.',
  ),
  ...PAYPAL_SETTINGS,
  ...MAIL_SETTINGS,
  ...LIMIT_SETTINGS,
  ...OPERATION_SETTINGS,
  ...RETENTION_SETTINGS,
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
