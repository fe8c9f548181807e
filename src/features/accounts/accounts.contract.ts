import * as z from 'zod/mini'
import { type MessageKey, key } from '#i18n/keys.ts'
import { EMAIL_MAX, asAddress } from '#shared/email-address.ts'
import { emailField, typedLine, typedName } from '#shared/fields.ts'
import { parsePhone } from '#shared/phone.ts'
import { ONE_LINE_PATTERN } from '#shared/typed-text.ts'
import { NEW_PASSWORD_RULES, PASSWORD_MIN } from './accounts.rules.ts'

export const USERNAME_MAX = 150
export const PASSWORD_MAX = 256

/** Stops after the first fault, so that a missing value has no other. */
const filled = (required: MessageKey) => z.minLength(1, { error: key(required), abort: true })

const text = (required: MessageKey) => z.string(key(required)).check(filled(required))

export const Email = emailField()

/** POST /api/token/: `username` holds the e-mail (spec section 3, "Login payload"). */
export const LoginBody = z.object({
  username: typedLine('errors.email.required').check(
    filled('errors.email.required'),
    z.maxLength(EMAIL_MAX, key('errors.email.invalid')),
  ),
  password: text('formErrors.password.required').check(
    z.maxLength(PASSWORD_MAX, key('formErrors.password.tooLong')),
  ),
})
export type LoginBody = z.infer<typeof LoginBody>

export const TokenPair = z.object({ access: z.string(), refresh: z.string() })
export type TokenPair = z.infer<typeof TokenPair>

export const RefreshBody = z.object({
  refresh: text('errors.field.required').check(z.maxLength(512, key('errors.field.tooLong'))),
})
export const AccessToken = z.object({ access: z.string() })

/** POST /api/user/register/: `phone_number` is the country code followed by the number. */
export const RegisterBody = z.object({
  /** One that is an address is kept in the spelling of addresses. */
  username: typedName('formErrors.username.required', USERNAME_MAX, 'formErrors.username.tooLong').check(
    z.overwrite(asAddress),
  ),
  email: Email,
  password: text('formErrors.password.required').check(
    z.minLength(PASSWORD_MIN, key('formErrors.password.tooShort')),
    z.maxLength(PASSWORD_MAX, key('formErrors.password.tooLong')),
  ),
  phone_number: text('formErrors.phone.required').check(
    z.maxLength(40, { error: key('formErrors.phone.invalid'), abort: true }),
    z.refine((phone) => parsePhone(phone) !== undefined, key('formErrors.phone.invalid')),
  ),
  /** Optional partner code. */
  code: z.optional(
    typedLine('errors.field.text').check(
      z.maxLength(64, key('errors.field.tooLong')),
      z.regex(ONE_LINE_PATTERN, key('errors.field.invalid')),
    ),
  ),
})
export type RegisterBody = z.infer<typeof RegisterBody>

export const Registered = z.object({ username: z.string(), email: z.string(), phone_number: z.string() })

export const Profile = z.object({
  username: z.string(),
  email: z.string(),
  /** Country code followed by the number, or empty. */
  phone: z.string(),
  is_staff: z.boolean(),
  is_superuser: z.boolean(),
  /** Whether a link that was sent to the address was used. */
  email_confirmed: z.boolean(),
  /** The address of a change that waits, and whether it waits for a link sent to the present or to the new address. */
  pending_email: z.optional(z.string()),
  pending_link: z.optional(z.enum(['present', 'new'])),
})
export type Profile = z.infer<typeof Profile>

const CurrentPassword = text('formErrors.password.currentRequired').check(
  z.maxLength(PASSWORD_MAX, key('formErrors.password.tooLong')),
)

/** PUT /api/user/profile/: phone local or full, `countryCode` as "+33" or "FR". */
export const ProfileUpdateBody = z.object({
  email: Email,
  /** For another e-mail: without it, the change first waits for a link sent to the present address. */
  current_password: z.optional(CurrentPassword),
  phone: z.optional(
    z.nullable(
      z.string(key('formErrors.phone.format')).check(z.maxLength(40, key('formErrors.phone.format'))),
    ),
  ),
  countryCode: z.optional(
    z.nullable(
      z.string(key('formErrors.phone.format')).check(z.maxLength(8, key('formErrors.phone.format'))),
    ),
  ),
})
export type ProfileUpdateBody = z.infer<typeof ProfileUpdateBody>

/** A new password is always strong, and each rule has its own message (spec section 5). */
const NewPassword = text('formErrors.password.required').check(
  z.maxLength(PASSWORD_MAX, key('formErrors.password.tooLong')),
  ...NEW_PASSWORD_RULES.map((rule) => z.regex(rule.pattern, key(rule.message))),
)

const isRepeated = z.refine<{ new_password: string; confirm_password: string }>(
  (body) => body.new_password === body.confirm_password,
  { path: ['confirm_password'], message: key('formErrors.password.mismatch') },
)

/** PUT /api/user/change-password/; aliases: `canonicalPasswordFields`. */
export const ChangePasswordBody = z
  .object({
    current_password: CurrentPassword,
    new_password: NewPassword,
    confirm_password: text('formErrors.password.confirmRequired'),
  })
  .check(isRepeated)
export type ChangePasswordBody = z.infer<typeof ChangePasswordBody>

export const ForgotPasswordBody = z.object({ email: Email })
export type ForgotPasswordBody = z.infer<typeof ForgotPasswordBody>

/** POST /api/user/reset-password/ */
export const ResetPasswordBody = z
  .object({
    token: text('formErrors.reset.invalid').check(z.maxLength(512, key('formErrors.reset.invalid'))),
    new_password: NewPassword,
    confirm_password: text('formErrors.password.confirmRequired'),
  })
  .check(isRepeated)
export type ResetPasswordBody = z.infer<typeof ResetPasswordBody>

/** The login form starts with this address. */
export const PasswordReset = z.object({ detail: z.string(), email: z.string() })
export type PasswordReset = z.infer<typeof PasswordReset>

/** GET /api/user/sessions/: the open sessions of the caller, the last used first. */
export const OpenSession = z.object({
  id: z.string(),
  /** Such as "Firefox"; null when it is not known. */
  browser: z.nullable(z.string()),
  /** Such as "Windows" or "iPhone"; null when it is not known. */
  system: z.nullable(z.string()),
  /** ISO 8601 in UTC. */
  started_at: z.string(),
  /** To five minutes. */
  last_used_at: z.string(),
  /** The session of this call. */
  is_current: z.boolean(),
})
export type OpenSession = z.infer<typeof OpenSession>

/** POST /api/user/sessions/{sessionId}/end/ and /api/user/sessions/end-all/ */
export const EndSessionsBody = z.object({ current_password: CurrentPassword })
export type EndSessionsBody = z.infer<typeof EndSessionsBody>

export const Detail = z.object({ detail: z.string() })

/**
 * What a link about an address is for: to confirm the account's address, to allow a change from the present address, to
 * confirm the new address, to confirm one that staff corrected, to undo the change from the former one. A link's token begins with it.
 */
export const LINK_PURPOSES = ['confirm', 'allow', 'change', 'correct', 'undo'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

/** POST /api/user/email-link/ */
export const EmailLinkBody = z.object({
  token: text('errors.field.required').check(z.maxLength(512, key('errors.field.tooLong'))),
})

/** `email`: the address that was confirmed or is the account's now; of `allow` the one to which the next link went. */
export const UsedEmailLink = z.object({ purpose: z.enum(LINK_PURPOSES), email: z.string() })
export type UsedEmailLink = z.infer<typeof UsedEmailLink>
