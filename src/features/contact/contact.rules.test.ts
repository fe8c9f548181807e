import { expect, test } from 'vitest'
import { ContactMessage, MESSAGE_MAX, NAME_MAX, messageFaults } from './contact.contract.ts'
import { isBlocked } from './contact.rules.ts'

const GOOD = { user_name: 'Jo', user_email: 'jo@example.test', message: 'Ten letter' }
const SHORT_NAME = { user_name: 'formErrors.contact.nameTooShort' }
const NO_ADDRESS = { user_email: 'errors.email.invalid' }
const SHORT_MESSAGE = { message: 'formErrors.contact.messageTooShort' }
const EVERY_FAULT = { ...SHORT_NAME, ...NO_ADDRESS, ...SHORT_MESSAGE }

test('a message is trimmed, and accepted with the shortest name and text [spec 5.38, 5.40, 9.2]', () => {
  expect(messageFaults(GOOD)).toEqual({})
  const padded = { user_name: '  Jo ', user_email: ' jo@example.test ', message: '\n Ten letter \n' }
  expect(ContactMessage.parse(padded)).toEqual(GOOD)
})

test.each<[object, object]>([
  [{ user_name: ' J ' }, SHORT_NAME],
  [{ message: '  Nine char  ' }, SHORT_MESSAGE],
  ...['jo', 'jo@example', '@example.test', 'jo @example.test', 'jo@example.test,a@b.test'].map(
    (user_email): [object, object] => [{ user_email }, NO_ADDRESS],
  ),
  [{ user_name: '', user_email: '', message: '' }, EVERY_FAULT],
  [{ user_name: undefined, user_email: undefined, message: undefined }, EVERY_FAULT],
  [{ user_name: 7, user_email: null, message: ['a'] }, EVERY_FAULT],
  [{ user_name: 'J'.repeat(NAME_MAX + 1) }, { user_name: 'errors.field.tooLong' }],
  [{ message: 'm'.repeat(MESSAGE_MAX + 1) }, { message: 'errors.field.tooLong' }],
  [{ user_name: 'Jo\r\nBcc: all@example.test' }, { user_name: 'errors.field.invalid' }],
])('a message with %j has one fault for each field [spec 5.38-5.41, 9.2]', (change, faults) => {
  expect(messageFaults({ ...GOOD, ...change })).toEqual(faults)
})

test.each([
  ['bad@ONE.test', true],
  ['good@one.test', false],
  ['anybody@Two.test', true],
  ['anybody@not-two.test', false],
  ['anybody@sub.two.test', false],
])('the sender %s is blocked: %s', (email, expected) => {
  expect(isBlocked(email, ['Bad@one.test', '@two.test'])).toBe(expected)
})
