import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HOLDING, ORDER_MOVES, type OrderState, UNSETTLED, mayMove } from './order-states.rules.ts'

const states = Object.keys(ORDER_MOVES) as OrderState[]

test('every move leads to a known state', () => {
  for (const state of states) for (const next of ORDER_MOVES[state]) expect(states).toContain(next)
})

test('every state can be reached from a new order', () => {
  const reached = new Set<OrderState>(['held'])
  for (const state of reached) for (const next of ORDER_MOVES[state]) reached.add(next)
  expect([...reached].toSorted()).toEqual(states.toSorted())
})

test('from every state an end can be reached, and what was refunded is only refunded again or left to staff', () => {
  expect(ORDER_MOVES.refunded).toEqual(['refunding', 'review'])
  for (const start of states) {
    const reached = new Set<OrderState>([start])
    for (const state of reached) for (const next of ORDER_MOVES[state]) reached.add(next)
    expect([...reached].some((state) => state === 'completed' || state === 'refunded')).toBe(true)
  }
})

test('money that was asked for never ends in a lapsed hold', () => {
  expect(mayMove('capturing', 'expired')).toBe(false)
  expect(mayMove('pending', 'expired')).toBe(false)
  expect(UNSETTLED).not.toContain('held')
  expect(HOLDING).toEqual(['held', 'capturing', 'pending'])
})

test('the database knows the same states', () => {
  const sql = readFileSync(new URL('../../../db/migrations/0001-initial.sql', import.meta.url), 'utf8')
  const list = /state\s+text NOT NULL CHECK \(state IN \(([^)]*)\)/.exec(sql)?.[1] ?? ''
  expect([...list.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '').toSorted()).toEqual(states.toSorted())
})
