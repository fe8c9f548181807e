const TURN = 'volant-renewal'
const REPLACED = 'volant-replaced'

/** How long a replaced token is remembered, and how long at most a tab waits for its replacement, in milliseconds. */
const REMEMBERED_MS = 5_000
const WAIT_MS = 2_000

/** What the tabs of one browser agree upon, so that one of them renews the session for all. */
export interface RenewalTurns {
  /** Runs work while no other tab runs it. */
  exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Lets the tabs whose turn comes next know that a token has been replaced in the storage they share. */
  tellReplaced: (token: string) => Promise<void>
  /** Waits until this tab sees the replacement of a token that another tab has just replaced; at once if none has. */
  awaitReplacement: (token: string, isHere: () => boolean) => Promise<void>
}

/** Only the end of a token is told: no other page can ask for these names, but nobody needs the rest either. */
const replacedName = (token: string): string => `${REPLACED} ${token.slice(-16)}`

/**
 * Turns by the browser's locks. Local storage may tell a tab of a change later than a lock tells it that its turn has
 * come (in Chromium nearly always, when tabs are at it together), so a second lock tells that there is a change to
 * wait for.
 */
export function turnsOfTabs(locks: LockManager): RenewalTurns {
  const withoutLocks = turnsOfOneTab()
  return {
    async exclusively(work) {
      let isBegun = false
      const begin = (): ReturnType<typeof work> => {
        isBegun = true
        return work()
      }
      try {
        return await locks.request(TURN, begin)
      } catch (error) {
        if (isBegun) throw error
        // Where all storage is forbidden no lock is granted, and nothing is shared that it would guard.
        return await withoutLocks.exclusively(work)
      }
    },

    tellReplaced: (token) =>
      new Promise((told) => {
        const remember = async (): Promise<void> => {
          told()
          await new Promise((forget) => setTimeout(forget, REMEMBERED_MS))
        }
        // A page that is being left gets no lock any more; the next tab then renews once more, which harms nobody.
        locks.request(replacedName(token), { ifAvailable: true }, remember).catch(() => told())
      }),

    async awaitReplacement(token, isHere) {
      if (isHere()) return
      const { held = [] } = await locks.query().catch((): LockManagerSnapshot => ({}))
      if (held.some(({ name }) => name === replacedName(token))) await changeOfStorage(isHere)
    },
  }
}

/** An event, not a look every now and then: the timers of a tab in the background are slowed down to minutes. */
function changeOfStorage(isHere: () => boolean): Promise<void> {
  if (isHere()) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = new AbortController()
    const end = (): void => {
      stop.abort()
      resolve()
    }
    const timer = setTimeout(end, WAIT_MS)
    stop.signal.addEventListener('abort', () => clearTimeout(timer))
    window.addEventListener('storage', () => isHere() && end(), { signal: stop.signal })
  })
}

/** Turns of this tab's own calls alone, for a browser without locks (plain http). */
export function turnsOfOneTab(): RenewalTurns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    exclusively: (work) => {
      const run = last.then(work, work)
      last = run.catch(() => undefined)
      return run
    },
    tellReplaced: async () => undefined,
    awaitReplacement: async () => undefined,
  }
}
