import type { MessageKey } from '#i18n/keys.ts'
import { findPhoneCountry, fullNumber, readNumber } from '#shared/phone.ts'
import { cleanLine } from '#shared/typed-text.ts'
import { RegisterBody } from '../accounts.contract.ts'
import { NEW_PASSWORD_RULES } from '../accounts.rules.ts'

export interface Registration {
  username: string
  email: string
  dialCode: string
  phone: string
  password: string
  confirm: string
  code: string
}

export type RegistrationFaults = Partial<Record<keyof Registration, MessageKey>>

export function toRegisterBody(form: Registration): RegisterBody {
  const read = readNumber(form.phone, findPhoneCountry(form.dialCode))
  return {
    username: form.username.trim(),
    email: form.email.trim(),
    password: form.password,
    phone_number: read ? fullNumber(read.country, read.digits) : form.phone,
    ...(form.code.trim() !== '' && { code: form.code.trim() }),
  }
}

/** One message for each faulty field (spec section 5, "Registration"). */
export function registrationFaults(form: Registration, policy: 'basic' | 'strong'): RegistrationFaults {
  const faults: RegistrationFaults = {}
  const parsed = RegisterBody.safeParse(toRegisterBody(form))
  for (const issue of parsed.error?.issues ?? []) {
    const field = issue.path[0] === 'phone_number' ? 'phone' : (issue.path[0] as keyof Registration)
    faults[field] ??= issue.message as MessageKey
  }
  if (cleanLine(form.phone) === '') faults.phone = 'formErrors.phone.required'
  else if (!readNumber(form.phone, findPhoneCountry(form.dialCode))) faults.phone = 'formErrors.phone.invalid'
  if (policy === 'strong')
    faults.password ??= NEW_PASSWORD_RULES.find((rule) => !rule.pattern.test(form.password))?.message
  if (form.confirm === '') faults.confirm = 'formErrors.password.confirmRequired'
  else if (form.confirm !== form.password) faults.confirm = 'formErrors.password.mismatch'
  const fields = Object.keys(form) as (keyof Registration)[]
  return Object.fromEntries(
    fields.flatMap((field) => (faults[field] === undefined ? [] : [[field, faults[field]]])),
  )
}
