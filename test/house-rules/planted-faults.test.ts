import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Fault } from '../planted-faults/run.ts'

const inProject = (file: string): string => path.resolve(import.meta.dirname, '../..', file)
const read = (file: string): string => readFileSync(inProject(file), 'utf8')
const faults = JSON.parse(read('test/planted-faults/faults.json')) as Fault[]

/** Ids of the faults that cannot be planted: their text does not occur exactly once, or they change nothing. */
const unplantable = (list: readonly Fault[], textOf: (file: string) => string): string[] =>
  list
    .filter(({ file, find, replace }) => textOf(file).split(find).length !== 2 || find === replace)
    .map(({ id }) => id)

test('every planted fault fits the source as it is, and names tests that exist', () => {
  expect(unplantable(faults, read)).toEqual([])
  expect(faults.flatMap(({ tests }) => tests).filter((file) => !existsSync(inProject(file)))).toEqual([])
  expect(faults.filter(({ tests }) => tests.length === 0)).toEqual([])
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
})

test('a fault whose text is gone, occurs twice, or stays the same is refused', () => {
  const fault = (id: string, find: string, replace = ''): Fault => ({
    id,
    what: 'x',
    file: 'x',
    find,
    replace,
    tests: ['x'],
  })
  const list = [fault('fits', 'b'), fault('gone', 'c'), fault('twice', 'a'), fault('same', 'b', 'b')]
  expect(unplantable(list, () => 'a b a')).toEqual(['gone', 'twice', 'same'])
})
