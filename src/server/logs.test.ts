import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scrub } from './logs.ts'

/** As people type addresses, and as accounts had them before there was one spelling. */
const TYPED = /^[^\s\p{C}@,;<>()"\\]+@[^\s\p{C}@,;<>()"\\/:']+\.(?=[^.]*\p{L})[^\s\p{C}@.,;<>()"\\/:']{2,}$/iu

const RANDOM = 'bai3JiMo4dT-qZan5-hg-XKtffmJqMw1Ccn_o2IiLcE'

test.each([
  ['(lower(email))=(kim.o-hara+x@mail.example.co.uk) exists', '(lower(email))=([e-mail]) exists'],
  ['"to":"<kim@example.test>"', '"to":"<[e-mail]>"'],
  ['"to kim@example.test: refused, or lee@example.test."', '"to [e-mail]: refused, or [e-mail]."'],
  ['"url":"/x?email=kim@example.test"', '"url":"/[e-mail]"'],
  ["to 'kim@example.test'", "to '[e-mail]'"],
  [`Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_1 x`, 'Bearer [secret] x'],
  [`"refresh":"${RANDOM}"`, '"refresh":"[secret]"'],
  [`/reset-password#${RANDOM}\\n`, '/reset-password#[secret]\\n'],
  ['(kestrel,+33698765432,x)', '(kestrel,[phone],x)'],
  ['$argon2id$v=19$m=8,t=1,p=1$abc$def/+ end', '[secret] end'],
])('%j becomes %j', (line, clean) => {
  expect(scrub(line)).toBe(clean)
})

test.each([
  '"reqId":"0191f0a2-7c3e-7b1a-9c55-2f1c3a5b7d90"',
  'at handle (file:///srv/volant/node_modules/@fastify/cookie/plugin.js:12:5)',
  'node_modules/kysely@0.29.9/dist/index.js',
  '.pnpm/@swc+core@1.16.22/node_modules/@swc/core/index.js',
  "Cannot find package '@fastify/cookie.js'",
  'at 12:00 @ noon',
  '"payment":"0191f0a2-7c3e-7b1a-9c55-2f1c3a5b7d90:cap:1"',
  'a'.repeat(64),
  '2026-11-21T18:00:00.000+01:00 1795284204985',
])('%j is not changed', (line) => {
  expect(scrub(line)).toBe(line)
})

describe('an address', () => {
  const LONG = 'abcdefghijklmnopqrstuvwxyz'
  const ADDRESSES = [
    'x@exämple.example u@пример.example иван@пример.рф x@xn--e1afmkfd.xn--p1ai x@stranger.exämple',
    "o'brien@stranger.example jürgen@stranger.example a/b@x.example 𝔘𝔫𝔦@stranger.example",
    `x@a.b.c.d.e.f.g.h.i.j.k.example x@very.${LONG} ${LONG.repeat(3)}@stranger.example`,
    'x@example.c! +@stranger.example x!#$%&=?^`{|}~@stranger.example e\u0301@stranger.example',
  ].flatMap((line) => line.split(' '))

  test.each(ADDRESSES)('%s is removed from a message and its details', (address) => {
    expect(address).toMatch(TYPED)
    const lineOf = (one: string) => ({
      told: `Key (lower(email))=(${one}) already exists`,
      list: `first\n${one}\t"${one}"`,
      address: one,
    })
    const [line, clean] = [lineOf(address), lineOf('[e-mail]')]
    expect(scrub(line.told)).toBe(clean.told)
    expect(JSON.parse(scrub(JSON.stringify(line)))).toEqual(clean)
  })

  test('is removed whatever its characters are, and JSON stays JSON', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    const address = fc
      .tuple(part, part, part)
      .map(([name, domain, top]) => `q9z${name}@${domain}x.w${top}`)
      .filter((text) => TYPED.test(text))
    fc.assert(
      fc.property(address, fc.string({ unit: 'grapheme' }), (one, around) => {
        const clean = JSON.parse(scrub(JSON.stringify({ msg: `${around} ${one} end` }))) as { msg: string }
        expect(clean.msg).not.toContain('q9z')
        expect(clean.msg).toContain('[e-mail]')
        expect(clean.msg).toMatch(/ end$/)
      }),
      { numRuns: 2_000 },
    )
  })
})

test.each([
  ['letters', 'a'],
  ['at signs', '@'],
  ['addresses without an end', 'a@a.'],
  ['dots after an at sign', '.'],
  ['labels', 'a@b.c.'],
  ['backslashes', '\\'],
  ['plus signs', '+1'],
  ['beginnings of tokens', 'eyJaaaaaaaa-'],
  ['hashes', '$argon2id$'],
])('a megabyte of %s takes linear time', (_, text) => {
  const long = `x@${text.repeat(1_000_000 / text.length)}`
  expect(scrub(long).length).toBeLessThanOrEqual(long.length * 8)
})
