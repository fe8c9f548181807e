import { beforeEach, describe, expect, test, vi } from 'vitest'
import { turnsOfOneTab, turnsOfTabs } from './renewal-turns.ts'

let count = 0
let window: EventTarget
/** A token of its own for each test: the locks of this process outlive them. */
let token: string

beforeEach(() => {
  count += 1
  token = `head.claims.signature-that-is-long-${count}`
  window = new EventTarget()
  vi.stubGlobal('window', window)
  return () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

/** A tab that waits for a replacement, and sees it in its storage once `seen` is true. */
function waitingTab() {
  const tab = { seen: false, done: false }
  const turn = turnsOfTabs(navigator.locks).awaitReplacement(token, () => tab.seen)
  void turn.then(() => (tab.done = true))
  const storageEvent = (seen: boolean): void => {
    tab.seen = seen
    window.dispatchEvent(new Event('storage'))
  }
  return { tab, turn, storageEvent }
}

const someTime = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))
const refused = async (): Promise<never> => {
  throw new DOMException('The request was denied.', 'SecurityError')
}

const KINDS = {
  'two tabs with locks': () => [turnsOfTabs(navigator.locks), turnsOfTabs(navigator.locks)] as const,
  'one tab': () => {
    const turns = turnsOfOneTab()
    return [turns, turns] as const
  },
  'one tab of a browser that refuses locks': () => {
    const turns = turnsOfTabs({ request: refused, query: refused } as unknown as LockManager)
    return [turns, turns] as const
  },
}

test.each(Object.entries(KINDS))(
  'turns in %s are taken one after the other, also after a failure',
  async (_, make) => {
    const [first, second] = make()
    const log: string[] = []
    const failing = vi.fn<() => Promise<never>>(async () => {
      await first.awaitReplacement(token, () => false)
      await someTime()
      log.push('first')
      throw new Error('no network')
    })
    const turn = first.exclusively(failing)
    const next = second.exclusively(async () => log.push('second'))
    await expect(turn).rejects.toThrow('no network')
    await next
    expect(log).toEqual(['first', 'second'])
    expect(failing).toHaveBeenCalledOnce()
  },
)

describe('a tab', () => {
  test('waits until its storage shows the replacement that another tab announced', async () => {
    await turnsOfTabs(navigator.locks).announceReplacement(token)
    const { tab, turn, storageEvent } = waitingTab()
    await someTime()
    expect(tab.done).toBe(false)
    storageEvent(false)
    await someTime()
    expect(tab.done, 'after another change').toBe(false)
    storageEvent(true)
    await turn
  })

  test('does not wait without a replacement of this token, or when the storage shows it', async () => {
    vi.useFakeTimers()
    await turnsOfTabs(navigator.locks).announceReplacement(`${token} of another session`)
    const { tab, turn } = waitingTab()
    await turn
    expect(tab.seen).toBe(false)
    await turnsOfTabs(navigator.locks).announceReplacement(token)
    await turnsOfTabs(navigator.locks).awaitReplacement(token, () => true)
  })

  test('waits two seconds at most', async () => {
    await turnsOfTabs(navigator.locks).announceReplacement(token)
    vi.useFakeTimers()
    const { tab, turn } = waitingTab()
    await vi.advanceTimersByTimeAsync(1_999)
    expect(tab.done).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await turn
  })
})

test('an announcement may be repeated, does not contain the token, and ends', async () => {
  vi.useFakeTimers()
  const turns = turnsOfTabs(navigator.locks)
  await turns.announceReplacement(token)
  await turns.announceReplacement(token)
  const names = async () => (await navigator.locks.query()).held?.map(({ name }) => name)
  expect(await names()).toContain(`volant-replaced ${token.slice(-16)}`)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await names()).not.toContain(`volant-replaced ${token.slice(-16)}`)
})

test('an announcement of a page that gets no lock is given up', async () => {
  const request = vi.fn<() => Promise<never>>(refused)
  await turnsOfTabs({ request } as unknown as LockManager).announceReplacement(token)
  expect(request).toHaveBeenCalledOnce()
})
