import type { Favourite, Favourites, ReminderKind, Reminders } from '../favourites.contract.ts'

/** What somebody keeps of one contest. */
export type Kept = Pick<Favourite, 'isFavourite' | 'reminders'>

const NOTHING: Kept = { isFavourite: false, reminders: [] }

interface Calls {
  list: () => Promise<Favourites>
  mark: (offerId: number) => Promise<void>
  unmark: (offerId: number) => Promise<void>
  remind: (offerId: number, kinds: readonly ReminderKind[]) => Promise<Reminders>
  stopReminders: () => Promise<void>
}

/** Of a contest: what the server is known to keep, and what is shown because it is wanted. */
interface Entry {
  kept: Kept
  shown: Kept
}

const isSame = (one: readonly ReminderKind[], other: readonly ReminderKind[]): boolean =>
  one.length === other.length && one.every((kind) => other.includes(kind))

/**
 * What the account keeps, as this page shows it: a change is shown at once, and taken back where the server refuses it.
 * Calls about one contest follow each other, so that the last press counts.
 * @param failed is told of each refusal
 */
export function keptFavourites(calls: Calls, failed: (error: unknown) => void) {
  const listeners = new Set<() => void>()
  let entries: ReadonlyMap<number, Entry> | undefined
  let list: readonly Favourite[] | undefined
  let loading: Promise<void> | undefined
  /** Grows with each account: what was asked for another one is of no use. */
  let account = 0
  const busy = new Set<number>()

  const tell = (): void => listeners.forEach((listener) => listener())
  const entryOf = (offerId: number): Entry => entries?.get(offerId) ?? { kept: NOTHING, shown: NOTHING }
  function set(offerId: number, change: Partial<Entry>): void {
    entries = new Map(entries).set(offerId, { ...entryOf(offerId), ...change })
    tell()
  }

  async function load(): Promise<void> {
    const asked = account
    const { favourites } = await calls.list()
    if (asked !== account) return
    list = favourites
    entries = new Map(
      favourites.map(({ offer, isFavourite, reminders }) => {
        const kept = { isFavourite, reminders }
        return [offer.id, { kept, shown: kept }]
      }),
    )
    tell()
  }

  /** Sends the next difference between what is shown and what is kept. @returns whether there was one */
  async function send(offerId: number): Promise<boolean> {
    const { kept, shown } = entryOf(offerId)
    if (shown.isFavourite !== kept.isFavourite) {
      await (shown.isFavourite ? calls.mark(offerId) : calls.unmark(offerId))
      set(offerId, { kept: { ...kept, isFavourite: shown.isFavourite } })
      return true
    }
    if (isSame(shown.reminders, kept.reminders)) return false
    const { reminders } = await calls.remind(offerId, shown.reminders)
    const now = entryOf(offerId)
    const isWhatIsShown = now.shown.reminders === shown.reminders
    set(offerId, {
      kept: { ...now.kept, reminders },
      ...(isWhatIsShown && { shown: { ...now.shown, reminders } }),
    })
    return true
  }

  async function settle(offerId: number): Promise<void> {
    if (busy.has(offerId)) return
    const asked = account
    busy.add(offerId)
    try {
      while (asked === account && (await send(offerId)));
    } catch (error) {
      if (asked !== account) return
      set(offerId, { shown: entryOf(offerId).kept })
      failed(error)
    } finally {
      busy.delete(offerId)
    }
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** Of a contest; undefined until the list is there. */
    of: (offerId: number): Kept | undefined => (entries ? entryOf(offerId).shown : undefined),

    /** As it was loaded, the newest first; undefined until then. */
    list: (): readonly Favourite[] | undefined => list,

    /** Whether anything is kept or shown that would remind somebody. */
    hasReminders: (): boolean =>
      [...(entries?.values() ?? [])].some(({ shown }) => shown.reminders.length > 0),

    /** Loads the list once. @throws ApiError */
    ask: (): Promise<void> =>
      (loading ??= load().catch((error: unknown) => {
        loading = undefined
        throw error
      })),

    /** Loads the list anew. @throws ApiError */
    askAgain(): Promise<void> {
      loading = undefined
      return this.ask()
    },

    change(offerId: number, change: Partial<Kept>): Promise<void> {
      set(offerId, { shown: { ...entryOf(offerId).shown, ...change } })
      return settle(offerId)
    },

    /** Ends the reminders of every contest. @returns whether they ended */
    async stopReminders(): Promise<boolean> {
      const asked = account
      try {
        await calls.stopReminders()
      } catch (error) {
        failed(error)
        return false
      }
      if (asked !== account) return false
      const without = (kept: Kept): Kept => ({ ...kept, reminders: [] })
      entries = new Map(
        [...(entries ?? [])].map(([id, { kept, shown }]) => [
          id,
          { kept: without(kept), shown: without(shown) },
        ]),
      )
      tell()
      return true
    },

    /** Forgets everything: the session has ended, or is another one. */
    forget(): void {
      account += 1
      entries = list = loading = undefined
      tell()
    },
  }
}
