import * as z from 'zod'
import { EMAIL_PATTERN } from '#shared/email-address.ts'

const SCHEMES = { http: /^https?:$/, postgres: /^postgres(ql)?:$/, smtp: /^smtps?:$/ } as const

/** An address of that scheme, without the slash at its end. */
export const url = (scheme: keyof typeof SCHEMES) =>
  z.string().transform((text, context) => {
    if (URL.canParse(text) && SCHEMES[scheme].test(new URL(text).protocol)) return text.replace(/\/+$/, '')
    context.addIssue('not an address')
    return z.NEVER
  })
/** Where a picture lies: a complete address, or a path of this shop. */
export const pictureAddress = z
  .string()
  .refine((text) => (/^https?:\/\//.test(text) ? URL.canParse(text) : /^\/(?![/\\])[^\s"'<>\\]+$/.test(text)))
/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((number) => number >= min && number <= max)
/** true or false. */
export const yesNo = z.enum(['true', 'false']).transform((text) => text === 'true')
/** How many proxies are believed, as Fastify takes it: none, or so many seen from here. */
export const proxies = z
  .string()
  .regex(/^(true|false|[1-9]|10)$/)
  .transform((text): false | number => (text === 'false' ? false : text === 'true' ? 1 : Number(text)))
/** Any text but an empty one. */
export const filled = z.string().min(1)
/** One e-mail address. */
export const email = z.string().regex(EMAIL_PATTERN)

/** Any number of texts, separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean),
)

/** A time zone that this Node knows. */
export const zone = z.string().refine((name) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    return false
  }
})

/** What a process does, as a list. */
export const roles = z
  .string()
  .transform((list) => list.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(['web', 'worker'])).min(1))

/** One setting: its name in the environment, its schema, what is expected, the fallback and what it is for. */
export function setting<Schema extends z.ZodType<unknown, string | undefined>>(
  name: string,
  schema: Schema,
  expected: string,
  fallback: string | undefined,
  purpose: string,
): { name: string; schema: Schema; expected: string; fallback: string | undefined; purpose: string } {
  return { name, schema, expected, fallback, purpose }
}

export const WEB = 'an address that begins with http:// or https://'
export const YES_NO = 'true or false'
