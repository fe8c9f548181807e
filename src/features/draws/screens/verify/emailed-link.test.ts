import { expect, test } from 'vitest'
import { parseKept } from './emailed-link.ts'

const hash = (byte: number): string => Buffer.alloc(32, byte).toString('base64url')

test('the link of an email has two hashes, and nothing else is one', () => {
  const link = `#kept.${hash(255)}.${hash(1)}`
  expect(parseKept(link)).toEqual({ termsHash: 'ff'.repeat(32), listHash: '01'.repeat(32) })
  for (const other of [
    '',
    '#kept',
    link.slice(0, -1),
    `${link}.x`,
    link.replace('.', ','),
    `#kept.${hash(1)}`,
  ])
    expect(parseKept(other)).toBeNull()
  // The unused bits of the last character are zero: each hash has one text.
  expect(parseKept(`${link.slice(0, -1)}B`)).toBeNull()
})
