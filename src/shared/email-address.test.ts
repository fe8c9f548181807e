import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EMAIL_MAX, hasForeignLocalPart, isSameAddress, readAddress } from './email-address.ts'

test.each([
  ['a@b.be', 'a@b.be'],
  ['A.B+c@Sub.Example.TEST', 'A.B+c@sub.example.test'],
  ['u@münchen.example.de', 'u@xn--mnchen-3ya.example.de'],
  ['u@MÜNCHEN.Example.DE', 'u@xn--mnchen-3ya.example.de'],
  ['u@mu\u0308nchen.example.de', 'u@xn--mnchen-3ya.example.de'],
  ['u@xn--mnchen-3ya.example.de', 'u@xn--mnchen-3ya.example.de'],
  ['u@faß.example', 'u@xn--fa-hia.example'],
  ['u@例え.テスト', 'u@xn--r8jz45g.xn--zckzah'],
  ['u@例え。テスト', 'u@xn--r8jz45g.xn--zckzah'],
  ['u＠ｅｘａｍｐｌｅ．com', 'u@example.com'],
  ['\u202au@example.com\u202c', 'u@example.com'],
  [' \ufeffu@exam\u00adple.com\u200b\u00a0', 'u@example.com'],
  ['mailto:u@example.com', 'u@example.com'],
  ["a/b'c@x.example", "a/b'c@x.example"],
  ['x@invalid.example', 'x@invalid.example'],
  [`${'a'.repeat(64)}@b.example`, `${'a'.repeat(64)}@b.example`],
  [`u@${'b'.repeat(63)}.example`, `u@${'b'.repeat(63)}.example`],
])('%j is the address %s [spec 5.2]', (typed, address) => expect(readAddress(typed)).toBe(address))

test.each([
  ...' a a@b a@b.c a@b@c.de a,b@c.de <a@b.de> a\0@b.de \ud800@b.de a@.b.de a@b.de. a@b..de .a@b.de'.split(
    ' ',
  ),
  ...'a.@b.de a..b@c.de @b.de a@ a@-b.de a@b-.de a@b_c.de a@b.1 a@1.2 a@192.0.2.77 a@[::1] a@0x10.1'.split(
    ' ',
  ),
  ...'kim@exa\\mple.test ki\\m@example.test kim@exam.te\\st kim@1.2.3:a.test kim@a/b.example'.split(' '),
  ...'a@b%2ecom.de a@b.de?x a@b.de#x kim@example.te/st kim@1.2.34 a@xn--zzzzzz.de.xn--'.split(' '),
  ...'erased@erased.invalid x@ERASED.INVALID x@erased.invalıd jörg@example.com'.split(' ').slice(0, 2),
  'a b@c.de',
  '"a b"@c.de',
  'a\r\nbcc:x@y.de',
  `${'a'.repeat(65)}@b.example`,
  `u@${'b'.repeat(64)}.example`,
  `u@${'b.'.repeat(125)}example`,
])('%j is no e-mail address', (typed) => expect(readAddress(typed)).toBeUndefined())

test.each([
  ['jörg@example.com', true],
  ['иван@пример.рф', true],
  ['ｕ@example.com', true],
  ['jörg@example..com', false],
  ['jorg@example.com', false],
  ['j ö@example.com', false],
])('%s is refused for its letters before the @: %s', (typed, isForeign) => {
  expect(hasForeignLocalPart(typed)).toBe(isForeign)
  expect(readAddress(typed) === undefined).toBe(typed !== 'jorg@example.com')
})

test('an address is read from its own spelling as itself, and the case of its domain never matters', () => {
  const label = fc.stringMatching(/^[a-zà-öø-ÿα-ωа-я0-9]{1,12}$/)
  const typed = fc
    .tuple(fc.stringMatching(/^[\w+]{1,20}$/), label, label)
    .map(([local, one, two]) => `${local}@${one}.${two}.example`)
  fc.assert(
    fc.property(typed, (text) => {
      const address = readAddress(text)
      fc.pre(address !== undefined)
      expect(address.length).toBeLessThanOrEqual(EMAIL_MAX)
      expect(address).toMatch(/^[\x21-\x7e]+$/)
      expect(readAddress(address)).toBe(address)
      const [local = '', domain = ''] = text.split('@')
      expect(readAddress(`${local}@${domain.normalize('NFD')}`)).toBe(address)
      expect(isSameAddress(text, address.toUpperCase())).toBe(true)
    }),
  )
})

const odd = fc
  .array(fc.constantFrom(...Array.from('ab.@@-_%[]:/?# \t\0\ud800ü\u0308\u200d\u202e。＠xn--1')), {
    maxLength: 40,
  })
  .map((characters) => characters.join(''))

test('no text makes reading fail, and what is read has one @ and no space', () => {
  fc.assert(
    fc.property(odd, odd, (one, two) => {
      for (const text of [one, `${one}@${two}`, `u@${one}.example`])
        expect(readAddress(text) ?? 'u@b.example').toMatch(/^[^@\s]+@[a-z0-9.-]+$/)
    }),
  )
})
