import { localStore } from '#client/browser-parts.ts'

/** In the local storage; what is stored in browsers stands in src/features/policies/server/texts/. */
const NAME = 'draw_register'

/** What this browser has seen of the shop's register of draws. */
export interface Watched {
  /** `NAME+KEYID+KEY` */
  key: string
  /** ISO 8601, by the clock of the browser. */
  since: string
  /** The last checkpoint that continued the others. */
  note: string
}

/** Null when nothing is kept, or what is kept is no such thing. */
export function watched(): Watched | null {
  try {
    const { key, since, note } = JSON.parse(localStore.getItem(NAME) ?? 'null') as Record<string, unknown>
    const isWatched =
      typeof key === 'string' &&
      typeof note === 'string' &&
      typeof since === 'string' &&
      !Number.isNaN(Date.parse(since))
    return isWatched ? { key, since, note } : null
  } catch {
    return null
  }
}

/** Where nothing can be kept, nothing is. */
export const keepWatched = (now: Watched): void => localStore.setItem(NAME, JSON.stringify(now))
