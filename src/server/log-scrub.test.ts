import { expect, test } from 'vitest'
import { scrub } from './log-scrub.ts'

const RANDOM = 'bai3JiMo4dT-qZan5-hg-XKtffmJqMw1Ccn_o2IiLcE'

test.each([
  [
    'Key (lower(email))=(kim.o-hara+x@mail.example.co.uk) already exists',
    'Key (lower(email))=([e-mail]) already exists',
  ],
  ['"to":"<kim@example.test>"', '"to":"<[e-mail]>"'],
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
  '"payment":"0191f0a2-7c3e-7b1a-9c55-2f1c3a5b7d90:cap:1"',
  'a'.repeat(64),
  '2026-11-21T18:00:00.000+01:00 1795284204985',
])('%j stays', (line) => {
  expect(scrub(line)).toBe(line)
})
