import type { ApiFailure } from '#client/api-error.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { isSameAddress } from '#shared/email-address.ts'
import { DEFAULT_DIAL_CODE, parsePhone } from '#shared/phone.ts'
import { ChangePasswordBody, Email, type Profile, type ProfileUpdateBody } from '../accounts.contract.ts'
import { readPhone } from '../accounts.rules.ts'
import { NEW_PASSWORD_FIELDS, type NewPassword, newPasswordFaults, toNewPassword } from './new-password.tsx'

export interface ContactForm {
  email: string
  /** Asked for with another e-mail only. */
  current: string
  dialCode: string
  phone: string
}

export interface PasswordForm extends NewPassword {
  current: string
}

/** Splits a stored number ("+33612345678") into two fields; a number of an unknown country stays whole. */
export function toContactForm({ email, phone }: Pick<Profile, 'email' | 'phone'>): ContactForm {
  const parsed = parsePhone(phone)
  return parsed
    ? { email, current: '', dialCode: parsed.country.dialCode, phone: parsed.digits }
    : { email, current: '', dialCode: DEFAULT_DIAL_CODE, phone }
}

/** Whether a typed e-mail differs from the account's in more than its case. */
export const isOtherEmail = (typed: string, { email }: Pick<Profile, 'email'>): boolean =>
  !isSameAddress(typed, email)

export function contactFaults(
  form: ContactForm,
  user: Pick<Profile, 'email'>,
): Partial<Record<keyof ContactForm, MessageKey>> {
  const faults: Partial<Record<keyof ContactForm, MessageKey>> = {}
  const email = Email.safeParse(form.email)
  if (!email.success) faults.email = email.error.issues[0]?.message as MessageKey
  else if (form.current === '' && isOtherEmail(form.email, user))
    faults.current = 'formErrors.password.currentRequired'
  if (form.phone.trim() === '') return faults
  const phone = readPhone(form.phone, form.dialCode)
  if ('message' in phone) faults.phone = phone.message
  return faults
}

/** The body for the API; a country code typed with the number takes precedence over the selected one. */
export function toProfileBody(form: ContactForm, user: Pick<Profile, 'email'>): ProfileUpdateBody {
  const phone = form.phone.trim() === '' ? undefined : readPhone(form.phone, form.dialCode)
  const known = phone && 'digits' in phone
  return {
    email: form.email.trim(),
    ...(isOtherEmail(form.email, user) && { current_password: form.current }),
    phone: known ? phone.digits : form.phone.trim(),
    countryCode: known ? phone.country.dialCode : form.dialCode,
  }
}

export const toPasswordBody = (form: PasswordForm): ChangePasswordBody => ({
  current_password: form.current,
  ...toNewPassword(form),
})

export const PASSWORD_FIELDS = {
  current_password: 'current',
  ...NEW_PASSWORD_FIELDS,
} as const satisfies Record<keyof ChangePasswordBody, keyof PasswordForm>

export const passwordFaults = (form: PasswordForm): Partial<Record<keyof PasswordForm, MessageKey>> =>
  newPasswordFaults(
    form,
    ChangePasswordBody.safeParse(toPasswordBody(form)).error?.issues ?? [],
    PASSWORD_FIELDS,
  )

/** Replaces a general message by that of the form (spec section 8, "Profile update failure"). */
export function withFallback(failure: ApiFailure, fallback: string): ApiFailure {
  const isSpecific = failure.network || failure.message === failure.detail
  return isSpecific ? failure : { ...failure, message: fallback }
}
