import { nowMs } from '#shared/clock.ts'

/** Pages change with every sale: none is older than this when it is sent (storefront.md, P7). */
const TTL_MS = 1000

/** Most pages kept at a time; the oldest goes first. */
const CAPACITY = 1000

/** Keeps values for a second, and makes each only once however many ask at the same time. */
export class PageCache<Page> {
  readonly #kept = new Map<string, { page: Promise<Page>; madeAt: number }>()
  readonly #now: () => number

  constructor(now: () => number = nowMs) {
    this.#now = now
  }

  /**
   * @param name what the page depends on
   * @param worthKeeping pages that are not are still shared by those who wait for them
   */
  async get(name: string, make: () => Promise<Page>, worthKeeping: (page: Page) => boolean): Promise<Page> {
    const found = this.#kept.get(name)
    if (found && this.#now() - found.madeAt < TTL_MS) return await found.page
    const entry = { page: make(), madeAt: this.#now() }
    this.#keep(name, entry)
    try {
      const page = await entry.page
      if (!worthKeeping(page)) this.#drop(name, entry)
      return page
    } catch (error) {
      this.#drop(name, entry)
      throw error
    }
  }

  /** Forgets every page: what they show has changed. */
  invalidate(): void {
    this.#kept.clear()
  }

  #keep(name: string, entry: { page: Promise<Page>; madeAt: number }): void {
    this.#kept.delete(name)
    this.#kept.set(name, entry)
    if (this.#kept.size > CAPACITY) this.#kept.delete(this.#kept.keys().next().value as string)
  }

  #drop(name: string, entry: object): void {
    if (this.#kept.get(name) === entry) this.#kept.delete(name)
  }
}
