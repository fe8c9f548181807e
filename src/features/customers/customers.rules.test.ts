import { expect, test } from 'vitest'
import { type Blocker, mayClose, readSearch } from './customers.rules.ts'

test.each([
  ['', undefined],
  ['   ', undefined],
  ['#12', { by: 'id', id: 12 }],
  ['# 12', { by: 'text', text: '# 12', phones: [] }],
  [' Ann ', { by: 'text', text: 'Ann', phones: [] }],
  ['ann@exa', { by: 'text', text: 'ann@exa', phones: [] }],
  ['12', { by: 'text', text: '12', phones: [] }],
  ['+33 6 12', { by: 'text', text: '+33 6 12', phones: ['+33612'] }],
  ['+33 (0)6 12', { by: 'text', text: '+33 (0)6 12', phones: ['+33612'] }],
  ['0032471', { by: 'text', text: '0032471', phones: ['+32471'] }],
  ['+44 20', { by: 'text', text: '+44 20', phones: ['+4420'] }],
  ['06.12', { by: 'text', text: '06.12', phones: ['+33612', '+49612', '+32612', '+352612', '+31612'] }],
])('the search for “%s” is %j', (typed, expected) => {
  expect(readSearch(typed)).toEqual(expected)
})

const ORDER: Blocker = { kind: 'order', number: 'K7QM-2F9P', state: 'held' }
const REFUND: Blocker = { kind: 'refund', number: 'K7QM-2F9P' }
const TICKETS: Blocker = {
  kind: 'tickets',
  slug: 'a',
  title: 'A',
  tickets: 1,
  ends_at: '2026-12-01T12:00:00.000Z',
  is_running: true,
}

test.each<[Blocker[], without: boolean, given: boolean]>([
  [[], true, true],
  [[TICKETS], false, true],
  [[ORDER], false, false],
  [[REFUND], false, false],
  [[TICKETS, ORDER], false, false],
])('an account with %j may be closed: %s, with its tickets given up: %s', (blockers, without, given) => {
  expect(mayClose(blockers, false)).toBe(without)
  expect(mayClose(blockers, true)).toBe(given)
})
