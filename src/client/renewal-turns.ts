const TURN = 'volant-renewal'
const REPLACED = 'volant-replaced'

/** In ms: how long a replaced token is announced, and how long a tab waits for the replacement. */
const REMEMBERED_MS = 5_000
const WAIT_MS = 2_000

/** Coordinates the tabs of a browser, so that one renews the session for all. */
export interface RenewalTurns {
  exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Announces to the next tabs that a token has been replaced in their storage. */
  announceReplacement: (token: string) => Promise<void>
  /** Waits for the replacement of an announced token in this tab's storage. */
  awaitReplacement: (token: string, isReplaced: () => boolean) => Promise<void>
}

const replacedName = (token: string): string => `${REPLACED} ${token.slice(-16)}`

/** Uses browser locks. A second lock announces storage changes, which reach a tab late (in Chromium nearly always). */
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
        // Without storage the browser grants no lock, and nothing needs protection.
        return await withoutLocks.exclusively(work)
      }
    },

    announceReplacement: (token) =>
      new Promise<void>((resolve) => {
        const remember = async (): Promise<void> => {
          resolve()
          await new Promise((forget) => setTimeout(forget, REMEMBERED_MS))
        }
        // A page that is being left gets no lock; the next tab then renews once more, without harm.
        locks.request(replacedName(token), { ifAvailable: true }, remember).catch(() => resolve())
      }).catch(() => undefined),

    async awaitReplacement(token, isReplaced) {
      if (isReplaced()) return
      const held = await heldLocks(locks)
      if (held.some(({ name }) => name === replacedName(token))) await changeOfStorage(isReplaced)
    },
  }
}

async function heldLocks(locks: LockManager): Promise<LockInfo[]> {
  try {
    return (await locks.query()).held ?? []
  } catch {
    return []
  }
}

/** By event, because timers of background tabs are delayed by minutes. */
function changeOfStorage(isReplaced: () => boolean): Promise<void> {
  if (isReplaced()) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = new AbortController()
    const end = (): void => {
      stop.abort()
      resolve()
    }
    setTimeout(end, WAIT_MS)
    window.addEventListener('storage', () => isReplaced() && end(), { signal: stop.signal })
  })
}

/** Turns within one tab, for a browser without locks (plain http). */
export function turnsOfOneTab(): RenewalTurns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    exclusively: (work) => {
      const run = last.then(work, work)
      last = run.catch(() => undefined)
      return run
    },
    announceReplacement: async () => undefined,
    awaitReplacement: async () => undefined,
  }
}
