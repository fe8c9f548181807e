import { describe, expect, test } from 'vitest'
import { type Registration, registrationFaults, toRegisterBody } from './registration.ts'

const GOOD: Registration = {
  username: 'Camille',
  email: ' camille@example.test ',
  dialCode: '+33',
  phone: '06 12 34 56 78',
  password: 'abcdefgh',
  confirm: 'abcdefgh',
  code: '',
}
const faults = (change: Partial<Registration>, policy: 'basic' | 'strong' = 'basic') =>
  registrationFaults({ ...GOOD, ...change }, policy)

test('a good form has no faults and is sent without confirmation and country code [spec 3.20, 7.11]', () => {
  expect(faults({})).toEqual({})
  expect(toRegisterBody(GOOD)).toEqual({
    username: 'Camille',
    email: 'camille@example.test',
    password: 'abcdefgh',
    phone_number: '+33612345678',
  })
})

test('an empty form names every required field', () => {
  const empty = { username: ' ', email: '', phone: '', password: '', confirm: '' }
  expect(faults(empty)).toEqual({
    username: 'errors.username.required',
    email: 'errors.email.required',
    phone: 'errors.phone.required',
    password: 'errors.password.required',
    confirm: 'errors.password.confirmRequired',
  })
})

describe.each([
  ['email', { email: 'nobody' }, 'errors.email.invalid'],
  ['phone', { phone: '12' }, 'errors.phone.invalid'],
  ['phone', { dialCode: '+352', phone: '612345678' }, 'errors.phone.invalid'],
  ['password', { password: 'short12', confirm: 'short12' }, 'errors.password.tooShort'],
  ['confirm', { confirm: 'abcdefgi' }, 'errors.password.mismatch'],
] as const)('%s', (field, change, message) => {
  test(`${JSON.stringify(change)} is told`, () => expect(faults(change)).toEqual({ [field]: message }))
})

test('the composition rules block only where the shop says so [spec 5.12]', () => {
  expect(faults({})).toEqual({})
  expect(faults({}, 'strong')).toEqual({ password: 'errors.password.noUppercase' })
  const strong = 'Abcdef1!'
  expect(faults({ password: strong, confirm: strong }, 'strong')).toEqual({})
})

test('a partner code is sent only when filled [spec 1.26]', () => {
  expect(toRegisterBody({ ...GOOD, code: ' GARAGE ' })).toMatchObject({ code: 'GARAGE' })
  expect(toRegisterBody(GOOD)).not.toHaveProperty('code')
})
