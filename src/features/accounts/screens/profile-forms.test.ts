import { describe, expect, test } from 'vitest'
import {
  contactFaults,
  passwordFaults,
  toContactForm,
  toPasswordBody,
  toProfileBody,
  withOwnWords,
} from './profile-forms.ts'

const email = 'camille@example.test'

describe('the stored number', () => {
  test.each([
    ['+33612345678', '+33', '612345678'],
    ['+32471234567', '+32', '471234567'],
    ['+35212345678', '+352', '12345678'],
    ['+4915112345678', '+49', '15112345678'],
    ['+31612345678', '+31', '612345678'],
    ['', '+33', ''],
    ['+15551234567', '+33', '+15551234567'],
  ])('%s is split into country code and digits', (phone, dialCode, digits) => {
    expect(toContactForm({ email, phone })).toEqual({ email, dialCode, phone: digits })
  })
})

describe('the contact form', () => {
  test.each(['', '   ', '612345678', '06 12 34 56 78', '+32 471 23 45 67'])(
    'takes the phone "%s"',
    (phone) => {
      expect(contactFaults({ email, dialCode: '+33', phone })).toEqual({})
    },
  )

  test.each([
    ['+33', 'errors.phone.FR'],
    ['+49', 'errors.phone.DE'],
    ['+32', 'errors.phone.BE'],
    ['+352', 'errors.phone.LU'],
    ['+31', 'errors.phone.NL'],
  ])('has a message of its own for a wrong number of %s', (dialCode, message) => {
    expect(contactFaults({ email, dialCode, phone: '12' })).toEqual({ phone: message })
  })

  test.each([
    ['', 'errors.email.required'],
    ['  ', 'errors.email.required'],
    ['camille', 'errors.email.invalid'],
  ])('names what is wrong with the e-mail "%s"', (wrong, message) => {
    expect(contactFaults({ email: wrong, dialCode: '+33', phone: '' })).toEqual({ email: message })
  })

  test.each([
    ['06 12 34 56 78', { phone: '612345678', countryCode: '+33' }],
    ['+32 471 23 45 67', { phone: '471234567', countryCode: '+32' }],
    ['  ', { phone: '', countryCode: '+33' }],
  ])('sends the phone "%s" as digits and country code', (phone, sent) => {
    expect(toProfileBody({ email: ` ${email} `, dialCode: '+33', phone })).toEqual({ email, ...sent })
  })
})

describe('the password form', () => {
  const strong = 'Correct1!'
  const faults = (change: object) =>
    passwordFaults({ current: 'old', replacement: strong, confirm: strong, ...change })

  test('takes a strong password and sends it under the names of the API', () => {
    expect(faults({})).toEqual({})
    expect(toPasswordBody({ current: 'old', replacement: strong, confirm: strong })).toEqual({
      current_password: 'old',
      new_password: strong,
      confirm_password: strong,
    })
  })

  test.each([
    ['Short1!', 'errors.password.tooShort'],
    ['correct1!', 'errors.password.noUppercase'],
    ['CORRECT1!', 'errors.password.noLowercase'],
    ['Correct!!', 'errors.password.noDigit'],
    ['Correct11', 'errors.password.noSpecial'],
  ])('says which rule %s breaks', (replacement, message) => {
    expect(faults({ replacement, confirm: replacement })).toEqual({ replacement: message })
  })

  test('asks for every field that is empty', () => {
    expect(faults({ current: '', replacement: '', confirm: '' })).toEqual({
      current: 'errors.password.currentRequired',
      replacement: 'errors.password.required',
      confirm: 'errors.password.confirmRequired',
    })
  })

  test('tells of a different confirmation beside whatever else is wrong', () => {
    expect(faults({ confirm: 'Correct2!' })).toEqual({ confirm: 'errors.password.mismatch' })
    expect(faults({ current: '', replacement: 'weak', confirm: 'week' })).toEqual({
      current: 'errors.password.currentRequired',
      replacement: 'errors.password.tooShort',
      confirm: 'errors.password.mismatch',
    })
  })
})

describe('a failure', () => {
  const failure = { status: 500, network: false, message: 'general' }

  test('without words of its own gets those of the form', () => {
    expect(withOwnWords(failure, 'Failed to update profile').message).toBe('Failed to update profile')
    expect(withOwnWords({ ...failure, detail: 'not for people' }, 'Failed').message).toBe('Failed')
  })

  test('with a reason keeps it', () => {
    expect(withOwnWords({ ...failure, network: true }, 'Failed').message).toBe('general')
    expect(withOwnWords({ ...failure, status: 503, detail: 'general' }, 'Failed').message).toBe('general')
  })
})
