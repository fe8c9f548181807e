import { nowMs } from './clock.ts'

interface ShortCacheOptions {
  /** How long something is kept, from the moment its making began. */
  ttlMs: number
  /** Most entries kept at a time; the oldest goes first. */
  capacity: number
  now?: () => number
}

interface Entry<Value> {
  madeAt: number
  making: Promise<Value>
  /** The value, once it is there and worth keeping. */
  value?: Value
}

/** Keeps values for a moment, and makes each only once however many ask at the same time. */
export class ShortCache<Value> {
  /** The oldest first. */
  readonly #kept = new Map<string, Entry<Value>>()
  readonly #ttlMs: number
  readonly #capacity: number
  readonly #now: () => number

  constructor({ ttlMs, capacity, now = nowMs }: ShortCacheOptions) {
    this.#ttlMs = ttlMs
    this.#capacity = capacity
    this.#now = now
  }

  /** How many entries take room. */
  get size(): number {
    return this.#kept.size
  }

  /** The value if it is there: for who cannot wait for a promise, however short. */
  find(name: string): Value | undefined {
    const found = this.#kept.get(name)
    return found && this.#isFresh(found) ? found.value : undefined
  }

  /**
   * @param name all that the value depends on
   * @param worthKeeping values that are not are still shared by those who wait for them
   */
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
