import { expect, test } from 'vitest'
import { keepPlace } from './keep-place.ts'

const rowsOf = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((id) => ({ id, state: 'old' }))

/** Rows as "a b", new ones with their new state as "a!"; the news as "+added -gone ~". */
function follow(shown: string, newest: string, ends: { shown?: boolean; newest?: boolean } = {}) {
  const { rows, news } = keepPlace(
    { items: rowsOf(shown), isEnd: ends.shown ?? false },
    { items: rowsOf(newest).map((row) => ({ ...row, state: 'new' })), isEnd: ends.newest ?? false },
    ({ id }) => id,
  )
  const told = news && `+${news.added} -${[...news.gone].join('')}${news.isReordered ? ' ~' : ''}`
  return [rows.map(({ id, state }) => (state === 'new' ? `${id}!` : id)).join(' '), told]
}

test.each<[string, ReturnType<typeof follow>, [string, string | undefined]]>([
  ['nothing happened', follow('a b c', 'a b c'), ['a! b! c!', undefined]],
  ['a new row pushes the last one out', follow('a b c', 'n a b'), ['a! b! c', '+1 -']],
  ['all rows are pushed out', follow('a b', 'm n'), ['a b', '+2 -']],
  ['a row leaves, and the next page moves up', follow('a b c', 'a c d'), ['a! b c!', '+0 -b']],
  ['one comes and one leaves', follow('a b c', 'n a c'), ['a! b c!', '+1 -b']],
  ['the last of all leaves', follow('a b', 'a', { shown: true, newest: true }), ['a! b', '+0 -b']],
  ['all of them leave', follow('a b', '', { shown: true, newest: true }), ['a b', '+0 -ab']],
  ['one comes at the end of the whole list', follow('a b', 'a b c', { shown: true }), ['a! b!', '+1 -']],
  ['the next page, which is not shown, is no news', follow('a b', 'a b c'), ['a! b!', undefined]],
  ['two change places', follow('a b c', 'b a c'), ['a! b! c!', '+0 - ~']],
  ['one moves to the end', follow('a b c', 'b c a'), ['a! b! c!', '+0 - ~']],
])('rows stay where they are when %s', (_, found, expected) => {
  expect(found).toEqual(expected)
})
