import { expect, test, vi } from 'vitest'

const METHODS = ['toSorted', 'toReversed', 'toSpliced', 'findLast'] as const

/** What the pages do with the methods. */
const results = (): unknown[] => {
  const list = [3, 1, 2]
  return [
    ['c', 'a', 'b'].toSorted((one, other) => one.localeCompare(other)),
    list.toSorted((one, other) => other - one),
    list.toReversed(),
    list.toSpliced(1, 1, 7, 8),
    list.toSpliced(0, 2),
    list.findLast((one, index, all) => one < 3 && index > 0 && all === list),
    list.findLast((one) => one > 3),
    list,
    Object.keys(list),
    [...Map.groupBy(list, (one) => one % 2)],
  ]
}

test('a browser without the newer methods of lists gets them, with the same results', async () => {
  const expected = results()
  const own = METHODS.map((name) => Object.getOwnPropertyDescriptor(Array.prototype, name)!)
  const groupBy = Object.getOwnPropertyDescriptor(Map, 'groupBy')!
  try {
    for (const name of METHODS) Reflect.deleteProperty(Array.prototype, name)
    Reflect.deleteProperty(Map, 'groupBy')
    vi.resetModules()
    await vi.importActual('./older-browsers.ts')
    expect(results()).toEqual(expected)
  } finally {
    METHODS.forEach((name, index) => void Object.defineProperty(Array.prototype, name, own[index]!))
    Object.defineProperty(Map, 'groupBy', groupBy)
  }
})
