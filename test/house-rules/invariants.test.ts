import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ORDER_MOVES } from '#features/checkout/order-states.rules.ts'
import { readConfig } from '#server/config.ts'

const text = readFileSync(path.resolve(import.meta.dirname, '../../db/invariants.sql'), 'utf8')

test('I10 knows the moves that the code knows, the birth of an order, and the buyer who asks for more time', () => {
  const table = /^WITH moves [^]*?\n\), /m.exec(text)?.[0] ?? ''
  const known = [...table.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(([, from, to]) => `${from} ${to}`)
  const allowed = Object.entries(ORDER_MOVES).flatMap(([from, next]) => next.map((to) => `${from} ${to}`))
  expect(known.toSorted()).toEqual(['new held', 'held held', ...allowed].toSorted())
})

test('I7 leaves every hold alone that the settings can give, once extended, and a minute', () => {
  const longest = 180
  expect(readConfig({ HOLD_MINUTES: String(longest) }).holdMinutes).toBe(longest)
  expect(() => readConfig({ HOLD_MINUTES: String(longest + 1) })).toThrow('HOLD_MINUTES')
  expect(text).toContain(`hold_until > changed_at + interval '${2 * longest + 1} minutes'`)
})
