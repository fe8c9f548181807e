import { describe, expect, test } from 'vitest'
import { ContactMessage, MESSAGE_MAX, NAME_MAX, messageFaults } from './contact.contract.ts'

const GOOD = { user_name: 'Jo', user_email: 'jo@example.test', message: 'Ten letter' }

describe('a message', () => {
  test('of the shortest name and text allowed is right [spec 5.38, 5.40, 9.2]', () => {
    expect(messageFaults(GOOD)).toEqual({})
  })

  test('is trimmed before it is judged and before it is sent [spec 5.38, 5.40, 9.2]', () => {
    const padded = { user_name: '  Jo ', user_email: ' jo@example.test ', message: '\n Ten letter \n' }
    expect(ContactMessage.parse(padded)).toEqual(GOOD)
    expect(messageFaults({ ...GOOD, user_name: ' J ' })).toEqual({ user_name: 'errors.contact.nameTooShort' })
    expect(messageFaults({ ...GOOD, message: '  Nine char  ' })).toEqual({
      message: 'errors.contact.messageTooShort',
    })
  })

  test.each(['', 'jo', 'jo@example', '@example.test', 'jo @example.test', 'jo@example.test,a@b.test'])(
    'from %j is told that this is no address [spec 5.39]',
    (user_email) => {
      expect(messageFaults({ ...GOOD, user_email })).toEqual({ user_email: 'errors.email.invalid' })
    },
  )

  test('has one fault for each empty or missing field [spec 5.41]', () => {
    const all = {
      user_name: 'errors.contact.nameTooShort',
      user_email: 'errors.email.invalid',
      message: 'errors.contact.messageTooShort',
    }
    expect(messageFaults({ user_name: '', user_email: '', message: '' })).toEqual(all)
    expect(messageFaults({})).toEqual(all)
    expect(messageFaults({ user_name: 7, user_email: null, message: ['a'] })).toEqual(all)
  })

  test('may not be endless, nor its name break a line', () => {
    expect(messageFaults({ ...GOOD, user_name: 'J'.repeat(NAME_MAX + 1) })).toEqual({
      user_name: 'errors.field.tooLong',
    })
    expect(messageFaults({ ...GOOD, message: 'm'.repeat(MESSAGE_MAX + 1) })).toEqual({
      message: 'errors.field.tooLong',
    })
    expect(messageFaults({ ...GOOD, user_name: 'Jo\r\nBcc: all@example.test' })).toEqual({
      user_name: 'errors.field.invalid',
    })
  })
})
