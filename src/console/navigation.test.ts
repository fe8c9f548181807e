import { matchPath } from 'react-router'
import { expect, test } from 'vitest'
import { SEARCH_KINDS, type SearchHit } from '#shared/staff-search.ts'
import { recordPath } from './kit/record-path.ts'
import { ALL_SCREENS, RECORD_SCREENS } from './navigation.ts'

const hit = (kind: SearchHit['kind']): SearchHit => ({
  kind,
  id: '12',
  title: 'AB-12',
  matched: 'id',
  state: null,
  total: null,
  at: null,
  contest: null,
  order: kind === 'ticket' ? { id: '1', number: 'AB-12' } : null,
  customer: { id: 12, name: 'Ann', email: '' },
})

test('every record that the search finds has a screen, and every screen of a record is found', () => {
  const paths = [...SEARCH_KINDS.map((kind) => recordPath(hit(kind)).replace(/[?#].*/, '')), '/draws/12']
  const screenOf = (path: string) =>
    ALL_SCREENS.find(({ to }) => to === path)?.to ?? RECORD_SCREENS.find((to) => matchPath(to, path))
  expect(paths.filter((path) => screenOf(path) === undefined)).toEqual([])
  expect(RECORD_SCREENS.filter((to) => !paths.some((path) => screenOf(path) === to))).toEqual([])
})
