import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '#server/config.ts'

const text = readFileSync(path.resolve(import.meta.dirname, '../../db/invariants.sql'), 'utf8')

test('I7 leaves every hold alone that the settings can give, once extended, and a minute', () => {
  const longest = 180
  expect(readConfig({ HOLD_MINUTES: String(longest) }).holdMinutes).toBe(longest)
  expect(() => readConfig({ HOLD_MINUTES: String(longest + 1) })).toThrow('HOLD_MINUTES')
  expect(text).toContain(`hold_until > changed_at + interval '${2 * longest + 1} minutes'`)
})
