import type { ApiFailure } from '#client/api-error.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { DEFAULT_DIAL_CODE, parsePhone } from '#shared/phone.ts'
import { ChangePasswordBody, Email, type Profile, type ProfileUpdateBody } from '../accounts.contract.ts'
import { readPhone } from '../accounts.rules.ts'
import { NEW_PASSWORD_FIELDS, type NewPassword, newPasswordFaults, toNewPassword } from './new-password.tsx'

/** The contact form of the profile as it is filled in (spec section 2, "Profile information"). */
export interface ContactForm {
  email: string
  dialCode: string
  /** May stay empty: the phone is optional here (spec section 5). */
  phone: string
}

/** The password form of the profile as it is filled in. */
export interface PasswordForm extends NewPassword {
  current: string
}

/** Splits what is stored ("+33612345678") into the two fields; a number of no known country stays whole. */
export function toContactForm({ email, phone }: Pick<Profile, 'email' | 'phone'>): ContactForm {
  const parsed = parsePhone(phone)
  return parsed
    ? { email, dialCode: parsed.country.dialCode, phone: parsed.digits }
    : { email, dialCode: DEFAULT_DIAL_CODE, phone }
}

/** What is wrong with the contact form; a wrong number gets the message of its country (spec section 5). */
export function contactFaults(form: ContactForm): Partial<Record<keyof ContactForm, MessageKey>> {
  const faults: Partial<Record<keyof ContactForm, MessageKey>> = {}
  const email = Email.safeParse(form.email)
  if (!email.success) faults.email = email.error.issues[0]?.message as MessageKey
  if (form.phone.trim() === '') return faults
  const phone = readPhone(form.phone, form.dialCode)
  if ('message' in phone) faults.phone = phone.message
  return faults
}

/** What the API takes; a number typed with its country counts for that country, whatever is selected. */
export function toProfileBody(form: ContactForm): ProfileUpdateBody {
  const phone = form.phone.trim() === '' ? undefined : readPhone(form.phone, form.dialCode)
  const known = phone && 'digits' in phone
  return {
    email: form.email.trim(),
    phone: known ? phone.digits : form.phone.trim(),
    countryCode: known ? phone.country.dialCode : form.dialCode,
  }
}

export const toPasswordBody = (form: PasswordForm): ChangePasswordBody => ({
  current_password: form.current,
  ...toNewPassword(form),
})

/** Where the API's password fields stand in the form. */
export const PASSWORD_FIELDS = {
  current_password: 'current',
  ...NEW_PASSWORD_FIELDS,
} as const satisfies Record<keyof ChangePasswordBody, keyof PasswordForm>

/** What is wrong with the password form. */
export const passwordFaults = (form: PasswordForm): Partial<Record<keyof PasswordForm, MessageKey>> =>
  newPasswordFaults(
    form,
    ChangePasswordBody.safeParse(toPasswordBody(form)).error?.issues ?? [],
    PASSWORD_FIELDS,
  )

/** A failure that brought no words of its own gets those of the form (spec section 8, "Profile update failure"). */
export function withOwnWords(failure: ApiFailure, fallback: string): ApiFailure {
  const speaks = failure.network || failure.message === failure.detail
  return speaks ? failure : { ...failure, message: fallback }
}
