/** Random decisions that can be repeated: all of them follow from a seed. */
export interface Random {
  /** From 0 to below 1. */
  next(this: void): number
  /** True with the given probability. */
  chance(rate: number): boolean
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<Item>(items: readonly Item[]): Item
  /** A generator of its own for a part of the run, so that one part does not shift the decisions of another. */
  fork(name: string): Random
}

/** mulberry32: small, fast, and good enough for fault injection and invented sales. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (rate) => next() < rate,
    pick: (items) => items[between(0, items.length - 1)]!,
    fork(name) {
      let hash = seed
      for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
      return seededRandom(hash)
    },
  }
}
