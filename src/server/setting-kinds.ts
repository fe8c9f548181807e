import * as z from 'zod'
import { EMAIL_PATTERN } from '#shared/email-address.ts'

/** How a setting is read, and what an operator is told to write. */
interface Kind<Schema extends z.ZodType> {
  schema: Schema
  expected: string
}

/** A kind that only one or two settings have. */
export const kind = <Schema extends z.ZodType>(schema: Schema, expected: string): Kind<Schema> => ({
  schema,
  expected,
})

const SCHEMES = { http: /^https?:$/, postgres: /^postgres(ql)?:$/, smtp: /^smtps?:$/ } as const

/** An address of that scheme, without the slash at its end. */
export const url = (scheme: keyof typeof SCHEMES) =>
  z.string().transform((given, context) => {
    if (URL.canParse(given) && SCHEMES[scheme].test(new URL(given).protocol)) return given.replace(/\/+$/, '')
    context.addIssue('not an address')
    return z.NEVER
  })
/** The address of a web site. */
export const web = kind(url('http'), 'an address that begins with http:// or https://')

/** Where a picture lies: a complete address, or a path of this shop. */
export const picture = kind(
  z
    .string()
    .refine((given) =>
      /^https?:\/\//.test(given) ? URL.canParse(given) : /^\/(?![/\\])[^\s"'<>\\]+$/.test(given),
    ),
  'an address that begins with https:// or http://, or a path such as /media/hero.webp',
)

/** A whole number from `min` to `max`. @param zero what 0 means */
export const whole = (min: number, max: number, what = 'a number', zero?: string) =>
  kind(
    z
      .string()
      .regex(/^\d+$/)
      .transform(Number)
      .refine((number) => number >= min && number <= max),
    `${what} from ${min} to ${max}${zero === undefined ? '' : `; ${zero}`}`,
  )

/** One of several words. */
export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  kind(z.enum(words), `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)

export const yesNo = kind(
  z.enum(['true', 'false']).transform((given) => given === 'true'),
  'true or false',
)

/** Any text but an empty one. */
export const text = (expected: string) => kind(z.string().min(1), expected)

export const email = kind(z.string().regex(EMAIL_PATTERN), 'an e-mail address')

/** How many proxies are trusted, as Fastify takes it: none, or so many seen from here. */
export const proxies = z
  .string()
  .regex(/^(true|false|[1-9]|10)$/)
  .transform((given): false | number => (given === 'false' ? false : given === 'true' ? 1 : Number(given)))

/** Any number of texts, separated by commas. */
export const list = z.string().transform((given) =>
  given
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
  .transform((given) => given.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(['web', 'worker'])).min(1))

/**
 * One setting.
 * @param name in the environment
 * @param fallback what stands in the environment when nothing does
 */
export const setting = <Schema extends z.ZodType<unknown, string | undefined>>(
  name: string,
  { schema, expected }: Kind<Schema>,
  fallback: string | undefined,
  purpose: string,
) => ({ name, schema, expected, fallback, purpose })

/** A setting that may be left out. */
export const optional = <Schema extends z.ZodType<unknown, string>>(
  name: string,
  { schema, expected }: Kind<Schema>,
  purpose: string,
) => setting(name, kind(schema.optional(), expected), undefined, purpose)
