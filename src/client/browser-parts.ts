/**
 * Parts of the browser that some lack, forbid or break. Blocked cookies forbid both storages, in Firefox channels too;
 * lockdown mode has no service workers; plain http has no locks, no clipboard and no `randomUUID`. Nothing here throws,
 * and no other file touches these parts (test/house-rules).
 */

export interface KeyedStore {
  getItem: (name: string) => string | null
  setItem: (name: string, value: string) => void
  removeItem: (name: string) => void
  clear: () => void
}

/** What the browser gives; undefined where it gives nothing, or throws. */
function attempt<Part>(read: () => Part | null | undefined): Part | undefined {
  try {
    return read() ?? undefined
  } catch {
    return undefined
  }
}

type Area = 'localStorage' | 'sessionStorage'

export function memoryStorage(): KeyedStore {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  }
}

/** Keeps each value in the first area that takes it, or else in memory; the newest value is in the last of them. */
function storeOf(...areas: Area[]): KeyedStore & { forgetMemory: () => void } {
  const memory = memoryStorage()
  const inArea = <Result>(area: Area, act: (storage: Storage) => Result): Result | undefined =>
    attempt(() => act(window[area]))
  // The module runs before the methods of newer browsers are lent.
  const newestFirst = [...areas].reverse()
  const removeItem = (name: string): void => {
    memory.removeItem(name)
    for (const area of areas) inArea(area, (storage) => storage.removeItem(name))
  }
  return {
    getItem(name) {
      const kept = memory.getItem(name)
      if (kept !== null) return kept
      for (const area of newestFirst) {
        const value = inArea(area, (storage) => storage.getItem(name))
        if (value !== undefined) return value
      }
      return null
    },
    setItem(name, value) {
      const taking = areas.findIndex((area) => takes(area, name, value))
      const newer = taking < 0 ? [] : areas.slice(taking + 1)
      for (const area of newer) inArea(area, (storage) => storage.removeItem(name))
      if (taking < 0) memory.setItem(name, value)
      else memory.removeItem(name)
    },
    removeItem,
    clear() {
      memory.clear()
      for (const area of areas) inArea(area, (storage) => storage.clear())
    },
    forgetMemory: () => memory.clear(),
  }
}

/** Whether an area of the browser has kept a value: some take it without an error and keep nothing. */
const takes = (area: Area, name: string, value: string): boolean =>
  attempt(() => {
    window[area].setItem(name, value)
    return window[area].getItem(name) === value
  }) === true

/** For all tabs; for this tab where the local storage is full or forbidden; for this page where both storages are. */
export const localStore = storeOf('localStorage', 'sessionStorage')

/** For this tab, or for this page where the session storage is forbidden. */
export const tabStore = storeOf('sessionStorage')

let isKeeping: boolean | undefined

const PROBE = 'volant-probe'

/** Whether anything outlives this page. Without that a login lasts as long as the document. */
export function keepsBetweenPages(): boolean {
  isKeeping ??= (['localStorage', 'sessionStorage'] as const).some((area) => {
    const taken = takes(area, PROBE, '1')
    attempt(() => window[area].removeItem(PROBE))
    return taken
  })
  return isKeeping
}

/**
 * Sends to the other tabs and hears them; by the local storage in a browser without channels.
 * @returns sends a value that JSON can write
 */
export function openChannel(name: string, hear: (data: unknown) => void): (data: unknown) => void {
  const channel = attempt(() => new BroadcastChannel(name))
  if (channel) {
    channel.addEventListener('message', ({ data }) => hear(data))
    return (data) => {
      attempt(() => channel.postMessage(data))
    }
  }
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === name && newValue !== null) attempt(() => hear(JSON.parse(newValue)))
  })
  return (data) => {
    attempt(() => window.localStorage.setItem(name, JSON.stringify(data)))
    // Only a change is an event: the next message may be the same.
    attempt(() => window.localStorage.removeItem(name))
  }
}

/** The locks that tabs share. */
export const sharedLocks = (): LockManager | undefined => attempt(() => navigator.locks)

/** A browser that forbids cookies may throw. @returns whether it allows them */
export const allowsCookies = (): boolean => attempt(() => navigator.cookieEnabled) !== false

/** @param cookie as `document.cookie` takes it */
export const keepCookie = (cookie: string): void => void attempt(() => (document.cookie = cookie))

/** @returns whether there is a cookie of this name that scripts may read */
export const hasCookie = (name: string): boolean =>
  attempt(() => document.cookie)?.includes(`${name}=`) === true

/** Whether a media query holds; false in a browser that cannot tell. */
export const matchesMedia = (query: string): boolean =>
  attempt(() => window.matchMedia(query).matches) === true

/** Hears when a media query begins or ceases to hold. @returns stops it */
export function onMediaChange(query: string, listener: () => void): () => void {
  const found = attempt(() => window.matchMedia(query))
  attempt(() => found?.addEventListener('change', listener))
  return () => {
    attempt(() => found?.removeEventListener('change', listener))
  }
}

/** In ms: when the work is done in a browser without idle callbacks, such as Safari. */
const STILL_MS = 1_500

/** Does something when the page is idle. @returns stops it */
export function whenIdle(work: () => void): () => void {
  const handle = attempt(() => window.requestIdleCallback(work))
  if (handle !== undefined) return () => window.cancelIdleCallback(handle)
  const timer = setTimeout(work, STILL_MS)
  return () => clearTimeout(timer)
}

/** Opens the system's sheet for sharing, where there is one. */
export const shareSheet = (): Navigator['share'] | undefined => attempt(() => navigator.share.bind(navigator))

/** @returns whether the clipboard has the text: browsers give it to pages with https only */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** A random UUID; `randomUUID` needs https, which a demonstration in the local network has not. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  // Version 4, variant 1 (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A stream of server-sent events; undefined in a browser without them. */
export const eventSource = (path: string): EventSource | undefined => attempt(() => new EventSource(path))
