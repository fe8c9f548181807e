import * as z from 'zod/mini'
import { type MessageKey, key } from '#i18n/keys.ts'
import { EMAIL_MAX, asAddress, hasForeignLocalPart, readAddress } from './email-address.ts'
import { ONE_LINE_PATTERN, VISIBLE_PATTERN, cleanLine, cleanText } from './typed-text.ts'

/** A field of one line, as people type or paste it: see `cleanLine`. */
export const typedLine = (required: MessageKey) => z.string(key(required)).check(z.overwrite(cleanLine))

/** A field of several lines: see `cleanText`. */
export const typedText = (required: MessageKey) => z.string(key(required)).check(z.overwrite(cleanText))

/**
 * The name of a person or an account: one line with something to see. Spaces of any kind become one. An override of
 * direction, which nobody's name needs, is refused: it is there to deceive.
 */
export const typedName = (required: MessageKey, max: number, tooLong: MessageKey, min = 1) =>
  z.string(key(required)).check(
    z.refine((typed) => !/[\u{202D}\u{202E}]/u.test(typed), {
      error: key('errors.field.invalid'),
      abort: true,
    }),
    z.overwrite(cleanLine),
    z.overwrite((name) => name.replaceAll(/[\p{Zs}\t]+/gu, ' ')),
    z.minLength(min, { error: key(required), abort: true }),
    z.maxLength(max, key(tooLong)),
    z.regex(ONE_LINE_PATTERN, key('errors.field.invalid')),
    z.regex(VISIBLE_PATTERN, key('errors.field.invalid')),
  )

/** The one grammar of e-mail addresses (spec section 5), wherever one is typed; its value is the stored spelling. */
export const emailField = (required: MessageKey = 'errors.email.required') =>
  typedLine(required).check(
    z.minLength(1, { error: key(required), abort: true }),
    z.maxLength(EMAIL_MAX, { error: key('errors.email.invalid'), abort: true }),
    z.refine((typed) => !hasForeignLocalPart(typed), {
      error: key('errors.email.foreignLetters'),
      abort: true,
    }),
    z.refine((typed) => readAddress(typed) !== undefined, {
      error: key('errors.email.invalid'),
      abort: true,
    }),
    z.overwrite(asAddress),
  )
