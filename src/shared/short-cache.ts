import { nowMs } from './clock.ts'

interface ShortCacheOptions {
  /** Counted from the start of the work. */
  ttlMs: number
  /** The oldest entry is removed first. */
  capacity: number
  now?: () => number
}

interface Entry<Value> {
  madeAt: number
  making: Promise<Value>
  /** Set when it is ready and worth keeping. */
  value?: Value
}

/** Caches values briefly, and makes each once for concurrent callers. */
export class ShortCache<Value> {
  readonly #kept = new Map<string, Entry<Value>>()
  readonly #ttlMs: number
  readonly #capacity: number
  readonly #now: () => number

  constructor({ ttlMs, capacity, now = nowMs }: ShortCacheOptions) {
    this.#ttlMs = ttlMs
    this.#capacity = capacity
    this.#now = now
  }

  get size(): number {
    return this.#kept.size
  }

  find(name: string): Value | undefined {
    const found = this.#kept.get(name)
    return found && this.#isFresh(found) ? found.value : undefined
  }

  /** The next caller makes it anew. */
  forget(name: string): void {
    this.#kept.delete(name)
  }

  /** @param name has all that the value depends on @param worthKeeping other values go to waiting callers only */
  async get(
    name: string,
    make: () => Promise<Value>,
    worthKeeping: (value: Value) => boolean = () => true,
  ): Promise<Value> {
    const found = this.#kept.get(name)
    if (found && this.#isFresh(found)) return await found.making
    const entry: Entry<Value> = { madeAt: this.#now(), making: make() }
    this.#keep(name, entry)
    try {
      const value = await entry.making
      if (worthKeeping(value)) entry.value = value
      else this.#drop(name, entry)
      return value
    } catch (error) {
      this.#drop(name, entry)
      throw error
    }
  }

  #isFresh({ madeAt }: Entry<Value>): boolean {
    return this.#now() - madeAt < this.#ttlMs
  }

  #keep(name: string, entry: Entry<Value>): void {
    this.#kept.delete(name)
    this.#kept.set(name, entry)
    for (const [oldest, { madeAt }] of this.#kept) {
      const isOver = this.#kept.size > this.#capacity || entry.madeAt - madeAt >= this.#ttlMs
      if (!isOver) break
      this.#kept.delete(oldest)
    }
  }

  #drop(name: string, entry: object): void {
    if (this.#kept.get(name) === entry) this.#kept.delete(name)
  }
}
