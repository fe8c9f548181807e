/**
 * What the pages use and browsers lack that read our scripts all the same: Chrome up to 109, the last for Windows 7, and Firefox
 * up to 114 above all. Imported first by every program for a browser.
 */

/** Adds a method to the lists of a browser that has none of that name. */
function lend(name: string, method: (this: unknown[], ...given: never[]) => unknown): void {
  if (typeof Reflect.get(Array.prototype, name) === 'function') return
  Object.defineProperty(Array.prototype, name, { value: method, configurable: true, writable: true })
}

lend('toSorted', function (compare: (one: unknown, other: unknown) => number) {
  return [...this].sort(compare)
})
lend('toReversed', function () {
  return [...this].reverse()
})
lend('toSpliced', function (...given: [start: number, count: number, ...added: unknown[]]) {
  const copy = [...this]
  copy.splice(...given)
  return copy
})
lend('findLast', function (fits: (one: unknown, index: number, all: unknown[]) => boolean) {
  for (let index = this.length - 1; index >= 0; index -= 1)
    if (fits(this[index], index, this)) return this[index]
  return undefined
})

if (typeof Map.groupBy !== 'function')
  Object.assign(Map, {
    groupBy: (items: Iterable<unknown>, keyOf: (item: unknown, index: number) => unknown) => {
      const groups = new Map<unknown, unknown[]>()
      let index = 0
      for (const item of items) {
        const key = keyOf(item, index)
        groups.set(key, [...(groups.get(key) ?? []), item])
        index += 1
      }
      return groups
    },
  })
