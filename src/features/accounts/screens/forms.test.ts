import { describe, expect, test } from 'vitest'
import {
  contactFaults,
  passwordFaults,
  toContactForm,
  toPasswordBody,
  toProfileBody,
  withFallback,
} from './profile-forms.ts'
import { type Registration, registrationFaults, toRegisterBody } from './registration.ts'
import { readFormFailure } from './use-account-form.ts'

const email = 'camille@example.test'

describe('a refused form', () => {
  const failureOf = (fields?: Record<string, string>) => ({
    status: 400,
    network: false,
    message: 'No.',
    ...(fields && { fields }),
  })
  const RENAME = { username: 'email', phone_number: 'phone' } as const

  test.each([
    ['its messages under their fields', { email: 'Taken.' }, {}, { fields: { email: 'Taken.' } }],
    ['a username error under the e-mail', { username: 'Taken.' }, RENAME, { fields: { email: 'Taken.' } }],
    [
      'a message for a hidden field as a banner',
      { code: 'Unknown.', email: 'Taken.' },
      {},
      { fields: { email: 'Taken.' }, banner: 'Unknown.' },
    ],
    ['a response without fields as a banner', undefined, {}, { fields: {}, banner: 'No.' }],
  ])('shows %s', (_, fields, rename, shown) => {
    expect(readFormFailure(failureOf(fields), ['username', 'email', 'phone'], rename)).toEqual(shown)
  })

  const failure = { status: 500, network: false, message: 'general' }
  test.each([
    [failure, 'Failed'],
    [{ ...failure, detail: 'not for people' }, 'Failed'],
    [{ ...failure, network: true }, 'general'],
    [{ ...failure, status: 503, detail: 'general' }, 'general'],
  ])('gets the text of the form only without a reason of its own: %j', (given, message) => {
    expect(withFallback(given, 'Failed').message).toBe(message)
  })
})

describe('the contact form', () => {
  const form = (change: object) => ({ email, current: '', dialCode: '+33', phone: '', ...change })

  test.each([
    ['+33612345678', '+33', '612345678'],
    ['+35212345678', '+352', '12345678'],
    ['', '+33', ''],
    ['+15551234567', '+33', '+15551234567'],
  ])('splits the stored number %s into country code and digits', (phone, dialCode, digits) => {
    expect(toContactForm({ email, phone })).toEqual(form({ dialCode, phone: digits }))
  })

  test.each([
    [{ phone: '' }, {}],
    [{ phone: '   ' }, {}],
    [{ phone: '06 12 34 56 78' }, {}],
    [{ phone: '+32 471 23 45 67' }, {}],
    [{ phone: '12' }, { phone: 'formErrors.phone.FR' }],
    [{ phone: '12', dialCode: '+352' }, { phone: 'formErrors.phone.LU' }],
    [{ email: '  ' }, { email: 'errors.email.required' }],
    [{ email: 'camille' }, { email: 'errors.email.invalid' }],
    [{ email: 'other@example.test' }, { current: 'formErrors.password.currentRequired' }],
    [{ email: 'other@example.test', current: 'secret' }, {}],
    [{ email: email.toUpperCase() }, {}],
  ])('with %j has the faults %j [spec 5.25-5.28]', (change, faults) => {
    expect(contactFaults(form(change), { email })).toEqual(faults)
  })

  test.each([
    ['06 12 34 56 78', { phone: '612345678', countryCode: '+33' }],
    ['+32 471 23 45 67', { phone: '471234567', countryCode: '+32' }],
    ['  ', { phone: '', countryCode: '+33' }],
  ])('sends the phone "%s" as digits and country code', (phone, sent) => {
    const typed = form({ email: ` ${email} `, current: 'not sent', phone })
    expect(toProfileBody(typed, { email })).toEqual({ email, ...sent })
  })

  test('sends the current password with another e-mail only', () => {
    const typed = form({ email: 'other@example.test', current: 'secret' })
    expect(toProfileBody(typed, { email })).toMatchObject({ current_password: 'secret' })
  })
})

describe('the password form', () => {
  const STRONG = { current: 'old', replacement: 'Correct1!', confirm: 'Correct1!' }
  const mismatch = 'formErrors.password.mismatch'

  test('sends its fields under the names of the API', () => {
    expect(toPasswordBody(STRONG)).toEqual({
      current_password: 'old',
      new_password: 'Correct1!',
      confirm_password: 'Correct1!',
    })
  })

  test.each<[object, object]>([
    [{}, {}],
    [{ replacement: 'Correct11', confirm: 'Correct11' }, { replacement: 'formErrors.password.noSpecial' }],
    [
      { current: '', replacement: '', confirm: '' },
      {
        current: 'formErrors.password.currentRequired',
        replacement: 'formErrors.password.required',
        confirm: 'formErrors.password.confirmRequired',
      },
    ],
    [{ confirm: 'Correct2!' }, { confirm: mismatch }],
    [
      { current: '', replacement: 'weak', confirm: 'week' },
      {
        current: 'formErrors.password.currentRequired',
        replacement: 'formErrors.password.tooShort',
        confirm: mismatch,
      },
    ],
  ])('with %j has the faults %j', (change, faults) => {
    expect(passwordFaults({ ...STRONG, ...change })).toEqual(faults)
  })
})

describe('the registration form', () => {
  const GOOD: Registration = {
    username: 'Camille',
    email: ` ${email} `,
    dialCode: '+33',
    phone: '06 12 34 56 78',
    password: 'abcdefgh',
    confirm: 'abcdefgh',
    code: '',
  }

  test('is sent without confirmation and country code, and with a code only when filled [spec 1.26, 3.20, 7.11]', () => {
    const body = { username: 'Camille', email, password: 'abcdefgh', phone_number: '+33612345678' }
    expect(toRegisterBody(GOOD)).toEqual(body)
    expect(toRegisterBody({ ...GOOD, code: ' GARAGE ' })).toEqual({ ...body, code: 'GARAGE' })
  })

  test.each([
    ['basic', {}, {}],
    [
      'basic',
      { username: ' ', email: '', phone: '', password: '', confirm: '' },
      {
        username: 'formErrors.username.required',
        email: 'errors.email.required',
        phone: 'formErrors.phone.required',
        password: 'formErrors.password.required',
        confirm: 'formErrors.password.confirmRequired',
      },
    ],
    ['basic', { email: 'nobody' }, { email: 'errors.email.invalid' }],
    ['basic', { phone: '12' }, { phone: 'formErrors.phone.invalid' }],
    ['basic', { dialCode: '+352', phone: '612345678' }, { phone: 'formErrors.phone.invalid' }],
    ['basic', { password: 'short12', confirm: 'short12' }, { password: 'formErrors.password.tooShort' }],
    ['basic', { confirm: 'abcdefgi' }, { confirm: 'formErrors.password.mismatch' }],
    ['strong', {}, { password: 'formErrors.password.noUppercase' }],
    ['strong', { password: 'Abcdef1!', confirm: 'Abcdef1!' }, {}],
  ] as const)('with the %s policy and %j has the faults %j [spec 5.12]', (policy, change, faults) => {
    expect(registrationFaults({ ...GOOD, ...change }, policy)).toEqual(faults)
  })
})
