import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStorage } from './browser-parts.ts'

const refuse = (): never => {
  throw new DOMException('forbidden', 'SecurityError')
}

/** Storage of a browser, and what a test makes of it. */
const full = (): ReturnType<typeof memoryStorage> => ({ ...memoryStorage(), setItem: refuse })

/** The module in a browser that has these parts only; a function is a getter. */
async function inBrowser(parts: Record<string, unknown>) {
  vi.resetModules()
  const window: Record<string, unknown> = {
    addEventListener: vi.fn<Window['addEventListener']>(),
    removeEventListener: vi.fn<Window['removeEventListener']>(),
  }
  for (const [name, part] of Object.entries(parts))
    Object.defineProperty(
      window,
      name,
      typeof part === 'function' ? { get: part as () => unknown } : { value: part },
    )
  vi.stubGlobal('window', window)
  return { window, ...(await import('./browser-parts.ts')) }
}

beforeEach(() => void vi.stubGlobal('BroadcastChannel', undefined))
afterEach(() => void vi.unstubAllGlobals())

describe('what is stored', () => {
  test.each([
    ['nothing is missing', { localStorage: memoryStorage(), sessionStorage: memoryStorage() }, true],
    ['both storages are forbidden', { localStorage: refuse, sessionStorage: refuse }, false],
    ['there is no storage', {}, false],
    ['the storages are null, as in a web view', { localStorage: null, sessionStorage: null }, false],
    ['the local storage is full', { localStorage: full(), sessionStorage: memoryStorage() }, true],
    ['both are full', { localStorage: full(), sessionStorage: full() }, false],
    [
      'nothing is kept without an error',
      { localStorage: { ...memoryStorage(), setItem: () => undefined }, sessionStorage: null },
      false,
    ],
  ])('is read again, replaced and removed where %s', async (_, parts, isKept) => {
    const { localStore, tabStore, keepsBetweenPages } = await inBrowser(parts)
    for (const store of [localStore, tabStore]) {
      expect(store.getItem('name')).toBeNull()
      store.setItem('name', 'first')
      store.setItem('name', 'second')
      store.setItem('other', 'x')
      expect(store.getItem('name')).toBe('second')
      store.removeItem('name')
      expect([store.getItem('name'), store.getItem('other')]).toEqual([null, 'x'])
      store.clear()
      expect(store.getItem('other')).toBeNull()
    }
    expect(keepsBetweenPages()).toBe(isKept)
  })

  test('is the newest value, also when the browser begins or ceases to take it', async () => {
    const local = memoryStorage()
    const { localStore } = await inBrowser({ localStorage: local, sessionStorage: memoryStorage() })
    localStore.setItem('name', 'first')
    const { setItem } = local
    local.setItem = refuse
    localStore.setItem('name', 'second')
    expect([localStore.getItem('name'), local.getItem('name')]).toEqual(['second', 'first'])
    local.setItem = setItem
    localStore.setItem('name', 'third')
    expect([localStore.getItem('name'), local.getItem('name')]).toEqual(['third', 'third'])
  })

  test('is gone when the browser has cleared it', async () => {
    const local = memoryStorage()
    const { localStore } = await inBrowser({ localStorage: local, sessionStorage: memoryStorage() })
    localStore.setItem('name', 'value')
    local.clear()
    expect(localStore.getItem('name')).toBeNull()
  })
})

test.each([
  ['no channels', undefined],
  ['channels that are forbidden', refuse],
])('a message reaches the other tabs of a browser with %s', async (_, constructor) => {
  if (constructor) vi.stubGlobal('BroadcastChannel', constructor)
  const written: [string, string][] = []
  const local = {
    ...memoryStorage(),
    setItem: (name: string, value: string) => void written.push([name, value]),
  }
  const { window, openChannel } = await inBrowser({ localStorage: local })
  const heard: unknown[] = []
  const send = openChannel('volant-x', (data) => heard.push(data))
  send({ version: 3 })
  const [, listen] = vi.mocked(window['addEventListener'] as Window['addEventListener']).mock.calls[0]!
  const [[key, newValue] = []] = written
  for (const event of [
    { key, newValue },
    { key, newValue: null },
    { key: 'other', newValue: '1' },
    { key, newValue: '{' },
  ])
    (listen as (event: unknown) => void)(event)
  expect(heard).toEqual([{ version: 3 }])
})

test('nothing throws in a browser that has no part at all', async () => {
  vi.stubGlobal('navigator', undefined)
  const parts = await inBrowser({})
  expect(parts.sharedLocks()).toBeUndefined()
  expect(parts.allowsCookies()).toBe(true)
  expect(parts.matchesMedia('print')).toBe(false)
  expect(parts.eventSource('/x')).toBeUndefined()
  expect(await parts.copyText('x')).toBe(false)
  parts.keepCookie('a=b')
  parts.onMediaChange('print', () => undefined)()
  parts.openChannel('x', () => undefined)('y')
  parts.whenIdle(() => undefined)()
  expect(parts.randomId()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})
