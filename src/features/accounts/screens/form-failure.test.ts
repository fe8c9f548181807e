import { expect, test } from 'vitest'
import { readFormFailure } from './form-failure.ts'

const SHOWN = ['username', 'email', 'phone'] as const
const RENAME = { username: 'email', phone_number: 'phone' } as const
const failure = (fields?: Record<string, string>) => ({
  status: 400,
  network: false,
  message: 'No.',
  ...(fields && { fields }),
})

test('each message stands under its field', () => {
  expect(readFormFailure(failure({ email: 'Taken.' }), SHOWN)).toEqual({ fields: { email: 'Taken.' } })
})

test('a username error stands under the e-mail field', () => {
  expect(readFormFailure(failure({ username: 'Taken.' }), SHOWN, RENAME)).toEqual({
    fields: { email: 'Taken.' },
  })
})

test('a message for a field the form does not show is a banner', () => {
  expect(readFormFailure(failure({ code: 'Unknown.', email: 'Taken.' }), SHOWN)).toEqual({
    fields: { email: 'Taken.' },
    banner: 'Unknown.',
  })
})

test('an answer without fields is a banner', () => {
  expect(readFormFailure(failure(), SHOWN)).toEqual({ fields: {}, banner: 'No.' })
})
