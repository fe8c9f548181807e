import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  CLOSED,
  HOLDING,
  ORDER_EVENTS,
  ORDER_GUARDS,
  ORDER_STATES,
  type OrderState,
  PAID,
  RELEASED,
  AWAITING_PROVIDER,
  allowedMoves,
  machineAsTable,
  movesAsSql,
} from './order-machine.rules.ts'

const projectDir = path.resolve(import.meta.dirname, '../../../..')
const read = (file: string): string => readFileSync(path.join(projectDir, file), 'utf8')
const MIGRATION = read('db/migrations/0001-initial.sql')
const states = Object.keys(ORDER_STATES) as OrderState[]
const events = Object.entries(ORDER_EVENTS)

/** The code of the slices that moves orders or decides that, apart from the machine itself and tests. */
const callers = globSync('src/features/**/*.ts', { cwd: projectDir })
  .filter(
    (file) => /\/server\/|\.rules\.ts$/.test(file) && !/order-machine|\.test(-support)?\.ts$/.test(file),
  )
  .map(read)
  .join('\n')

describe('the machine of an order', () => {
  test('reaches every state from the first one', () => {
    const reached = new Set<string>(['new'])
    for (let size = 0; size !== reached.size;) {
      size = reached.size
      for (const [from, to] of allowedMoves()) if (reached.has(from)) reached.add(to)
    }
    expect([...reached].toSorted()).toEqual([...states, 'new'].toSorted())
  })

  test('has an event out of every state, so that no money is locked in', () => {
    for (const start of states) {
      const reached = new Set<string>([start])
      for (const state of reached)
        for (const [from, to] of allowedMoves()) if (from === state) reached.add(to)
      expect(allowedMoves().some(([from, to]) => from === start && to !== start)).toBe(true)
      expect([...reached].some((state) => state === 'completed' || state === 'refunded')).toBe(true)
    }
  })

  const codes = events.flatMap(([event, { reasons }]) => [event, ...reasons])
  test.each([...new Set(codes)])('event or reason code %s has a caller', (code) => {
    expect(callers.includes(`'${code}'`)).toBe(true)
  })

  test('uses every guard', () => {
    const used = new Set(events.flatMap(([, event]) => ('guard' in event ? [event.guard] : [])))
    expect([...used].toSorted()).toEqual(Object.keys(ORDER_GUARDS).toSorted())
  })

  test('issues tickets from every state in which money can arrive, and from no other', () => {
    const sources = allowedMoves().flatMap(([from, to]) => (to === 'completed' ? [from] : []))
    expect(sources.toSorted()).toEqual([...HOLDING, ...RELEASED].toSorted())
  })

  test('has no state beside HOLDING, refunding, review and CLOSED, or HOLDING, refunding, RELEASED and PAID', () => {
    expect([...HOLDING, 'refunding', 'review', ...CLOSED].toSorted()).toEqual(states.toSorted())
    expect([...HOLDING, 'refunding', ...RELEASED, ...PAID].toSorted()).toEqual(states.toSorted())
  })

  test('never expires or supersedes an order that was asked for money', () => {
    for (const to of ['expired', 'superseded'])
      expect(allowedMoves().flatMap((move) => (move[1] === to ? [move[0]] : []))).toEqual(['held'])
  })

  test('has the states that the database allows', () => {
    const [, list = ''] = /state\s+text NOT NULL CHECK \(state IN \(([^)]*)\)/.exec(MIGRATION) ?? []
    expect([...list.matchAll(/'(\w+)'/g)].map(([, state = '']) => state).toSorted()).toEqual(
      states.toSorted(),
    )
  })

  test.each([
    ['orders_one_open', HOLDING],
    ['orders_awaiting_provider', AWAITING_PROVIDER],
  ])('has the states that index %s covers', (index, covered) => {
    const list = covered.map((state) => `'${state}'`).join(', ')
    expect(MIGRATION).toMatch(new RegExp(`INDEX ${index} ON [^;]* WHERE state IN \\(${list}\\);`))
  })

  test('is what invariant I10 checks', () => {
    expect(read('db/invariants.sql')).toContain(movesAsSql())
  })

  test('is the table in ARCHITECTURE.md', () => {
    expect(machineAsTable().split('\n')).toHaveLength(events.length + 2)
    expect(read('ARCHITECTURE.md')).toContain(machineAsTable())
  })
})
