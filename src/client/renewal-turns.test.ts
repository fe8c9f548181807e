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

/** A tab as it waits for its turn, whose storage shows `here.now` only when the event says so. */
function waitingTab() {
  const here = { now: false, gone: false }
  const turn = turnsOfTabs(navigator.locks).awaitReplacement(token, () => here.now)
  void turn.then(() => (here.gone = true))
  const hear = (now: boolean): void => {
    here.now = now
    window.dispatchEvent(new Event('storage'))
  }
  return { here, turn, hear }
}

const someTime = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

describe('tabs that take turns by locks', () => {
  test('work one after the other', async () => {
    const log: string[] = []
    const work = (name: string) => async (): Promise<void> => {
      log.push(`${name} starts`)
      await someTime()
      log.push(`${name} ends`)
    }
    const tabs = [turnsOfTabs(navigator.locks), turnsOfTabs(navigator.locks)]
    await Promise.all(tabs.map((turns, index) => turns.exclusively(work(String(index)))))
    expect(log).toEqual(['0 starts', '0 ends', '1 starts', '1 ends'])
  })

  test('wait for the replacement that another has told of until the storage shows it', async () => {
    await turnsOfTabs(navigator.locks).tellReplaced(token)
    const tab = waitingTab()
    await someTime()
    expect(tab.here.gone).toBe(false)
    tab.hear(false)
    await someTime()
    expect(tab.here.gone, 'of another change').toBe(false)
    tab.hear(true)
    await tab.turn
  })

  test('wait for nothing when nobody has replaced this token, or the storage shows it already', async () => {
    vi.useFakeTimers()
    await turnsOfTabs(navigator.locks).tellReplaced(`${token} of another session`)
    const tab = waitingTab()
    await tab.turn
    expect(tab.here.now).toBe(false)
    await turnsOfTabs(navigator.locks).tellReplaced(token)
    await turnsOfTabs(navigator.locks).awaitReplacement(token, () => true)
  })

  test('do not wait for ever for a tab that was closed before its change was written', async () => {
    await turnsOfTabs(navigator.locks).tellReplaced(token)
    vi.useFakeTimers()
    const tab = waitingTab()
    await vi.advanceTimersByTimeAsync(1_999)
    expect(tab.here.gone).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await tab.turn
  })

  test('tell twice of one token, tell nobody the token itself, and forget it', async () => {
    vi.useFakeTimers()
    const turns = turnsOfTabs(navigator.locks)
    await turns.tellReplaced(token)
    await turns.tellReplaced(token)
    const names = async () => (await navigator.locks.query()).held?.map(({ name }) => name)
    expect(await names()).toContain(`volant-replaced ${token.slice(-16)}`)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await names()).not.toContain(`volant-replaced ${token.slice(-16)}`)
  })

  test('take turns within each tab where the browser grants no locks, as with all storage forbidden', async () => {
    const no = async (): Promise<never> => {
      throw new DOMException('The request was denied.', 'SecurityError')
    }
    const turns = turnsOfTabs({ request: no, query: no } as unknown as LockManager)
    const log: string[] = []
    const first = turns.exclusively(async () => {
      await turns.awaitReplacement(token, () => false)
      await someTime()
      log.push('first')
      throw new Error('no network')
    })
    const second = turns.exclusively(async () => log.push('second'))
    await expect(first).rejects.toThrow('no network')
    await second
    expect(log).toEqual(['first', 'second'])
  })

  test('do work that fails once', async () => {
    const work = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('no network'))
    await expect(turnsOfTabs(navigator.locks).exclusively(work)).rejects.toThrow('no network')
    expect(work).toHaveBeenCalledOnce()
  })

  test('go on when the page is being left and gets no lock', async () => {
    const request = vi.fn<() => Promise<never>>(async () => {
      throw new DOMException('The document is not fully active', 'InvalidStateError')
    })
    const left = { request, query: async () => ({}) } as unknown as LockManager
    await turnsOfTabs(left).tellReplaced(token)
    expect(request).toHaveBeenCalledOnce()
  })
})

test('one tab alone works one after the other, after a failure too, and waits for no other tab', async () => {
  const turns = turnsOfOneTab()
  const log: string[] = []
  const failing = turns.exclusively(async () => {
    await someTime()
    log.push('fails')
    throw new Error('no network')
  })
  const next = turns.exclusively(async () => log.push('goes on'))
  await expect(failing).rejects.toThrow('no network')
  await next
  expect(log).toEqual(['fails', 'goes on'])
  await turns.tellReplaced(token)
  await turns.awaitReplacement(token, () => false)
})
