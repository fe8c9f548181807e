import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  OFFER_ACTORS,
  OFFER_EVENTS,
  OFFER_GUARDS,
  OFFER_STATES,
  type OfferState,
  UNPUBLISHED,
  allowedOfferMoves,
  isPublished,
  offerMovesAsSql,
  offerStatesAsTable,
} from './offer-states.rules.ts'

const projectDir = path.resolve(import.meta.dirname, '../../..')
const read = (file: string): string => readFileSync(path.join(projectDir, file), 'utf8')
const MIGRATION = read('db/migrations/0003-contest-states.sql') + read('db/migrations/0016-draws.sql')
const states = Object.keys(OFFER_STATES) as OfferState[]
const events = Object.entries(OFFER_EVENTS)

const files = globSync('src/features/**/server/*.ts', { cwd: projectDir }).filter(
  (file) => !/\.test(-support)?\.ts$/.test(file),
)
const sources = new Map(files.map((file) => [file, read(file)]))

describe('the life of a contest', () => {
  test('reaches every state from the first one', () => {
    const reached = new Set<string>(['new'])
    for (let size = 0; size !== reached.size;) {
      size = reached.size
      for (const [from, to] of allowedOfferMoves()) if (reached.has(from)) reached.add(to)
    }
    expect([...reached].toSorted()).toEqual([...states, 'new', 'deleted'].toSorted())
  })

  test.each(Object.keys(OFFER_EVENTS))('event %s has a caller', (event) => {
    const callers = [...sources.values()].filter((source) => source.includes(`'${event}'`))
    expect(callers).not.toEqual([])
  })

  test('uses every guard and every actor', () => {
    const used = new Set(events.flatMap(([, event]) => ('guard' in event ? [event.guard] : [])))
    expect([...used].toSorted()).toEqual(Object.keys(OFFER_GUARDS).toSorted())
    const actors = new Set(events.flatMap(([, event]) => event.who))
    expect([...actors].toSorted()).toEqual([...OFFER_ACTORS].toSorted())
  })

  test('never leads a contest that was published back to where nobody sees it', () => {
    const hidden: readonly string[] = [...UNPUBLISHED, 'deleted']
    const back = allowedOfferMoves().filter(
      ([from, to]) => from !== 'new' && isPublished(from as OfferState) && hidden.includes(to),
    )
    expect(back.filter(([from]) => !hidden.includes(from))).toEqual([])
  })

  test('never leaves the state cancelled', () => {
    expect(allowedOfferMoves().filter(([from]) => from === 'cancelled')).toEqual([])
  })

  test('ends a sale before its time by a cancellation alone, but for a restored backup', () => {
    const leaving = events.filter(([, { from }]) => (from as readonly string[]).includes('open'))
    expect(leaving.map(([event, { who }]) => [event, who])).toEqual([
      ['close', ['system']],
      ['stop', ['command line']],
      ['cancel', ['staff', 'system']],
    ])
    expect(OFFER_EVENTS.close.guard).toBe('endPassed')
  })

  test('has the states that the database allows', () => {
    const [, list = ''] = /ADD CONSTRAINT offers_state CHECK \(\s+state IN \(([^)]*)\)/.exec(MIGRATION) ?? []
    expect([...list.matchAll(/'(\w+)'/g)].map(([, state = '']) => state)).toEqual(states)
    expect(MIGRATION).toContain(`state IN (${UNPUBLISHED.map((state) => `'${state}'`).join(', ')})`)
  })

  test('is what invariant I12 checks, and the table in ARCHITECTURE.md', () => {
    expect(read('db/invariants.sql')).toContain(offerMovesAsSql())
    expect(read('ARCHITECTURE.md')).toContain(offerStatesAsTable())
  })

  test('has one writer of the state', () => {
    const writers = [...sources].filter(([, source]) =>
      /UPDATE offers \w*\s*SET (?:(?!WHERE|FROM)[^`])*\bstate = |updateTable\('offers'\)(?:(?!\n\n|execute)[^])*?\bstate:/.test(
        source,
      ),
    )
    expect(writers.map(([file]) => file)).toEqual(['src/features/offers/server/offer-moves.repository.ts'])
  })
})
