import { expect, test, vi } from 'vitest'
import { memoryStorage } from '#client/browser-parts.ts'
import type { Favourite, ReminderKind } from '../favourites.contract.ts'
import { keptFavourites } from './kept-favourites.ts'
import { leaveWish, takeWish } from './wish.ts'

const favourite = (id: number, isFavourite: boolean, reminders: ReminderKind[] = []) =>
  ({ offer: { id }, isFavourite, reminders }) as unknown as Favourite

/** An account whose calls wait until they are let go, in their order. */
function account(...favourites: Favourite[]) {
  const waiting: { say: string; resolve: () => void; reject: (error: Error) => void }[] = []
  const said: string[] = []
  const call = (say: string): Promise<void> =>
    new Promise((resolve, reject) => {
      said.push(say)
      waiting.push({ say, resolve, reject })
    })
  const failed = vi.fn<(error: unknown) => void>()
  const kept = keptFavourites(
    {
      list: async () => ({ favourites }),
      mark: (id) => call(`mark ${id}`),
      unmark: (id) => call(`unmark ${id}`),
      remind: async (id, kinds) => {
        await call(`remind ${id} ${kinds.join()}`)
        // A reminder whose time has come is told and gone.
        return { reminders: kinds.filter((kind) => kind !== 'closing') }
      },
      stopReminders: () => call('stop'),
    },
    failed,
  )
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
  return {
    kept,
    said,
    failed,
    letGo: async (error?: Error) => {
      const next = waiting.shift()
      if (error) next?.reject(error)
      else next?.resolve()
      await turn()
    },
  }
}

const refusal = new Error('refused')

test('nothing is known before the list is there, and everything after it', async () => {
  const { kept } = account(favourite(1, true, ['draw']))
  expect([kept.of(1), kept.list()]).toEqual([undefined, undefined])
  await kept.ask()
  expect(kept.of(1)).toEqual({ isFavourite: true, reminders: ['draw'] })
  expect(kept.of(2)).toEqual({ isFavourite: false, reminders: [] })
  expect(kept.hasReminders()).toBe(true)
})

test('a mark shows at once, and is taken back where the server refuses it', async () => {
  const { kept, failed, letGo } = account()
  await kept.ask()
  void kept.change(1, { isFavourite: true })
  expect(kept.of(1)?.isFavourite).toBe(true)
  await letGo(refusal)
  expect(kept.of(1)?.isFavourite).toBe(false)
  expect(failed).toHaveBeenCalledExactlyOnceWith(refusal)
})

test('of several presses the last one counts, and no call overtakes another', async () => {
  const { kept, said, letGo } = account()
  await kept.ask()
  for (const isFavourite of [true, false, true, false]) void kept.change(1, { isFavourite })
  expect(said).toEqual(['mark 1'])
  await letGo()
  expect(said).toEqual(['mark 1', 'unmark 1'])
  await letGo()
  expect(kept.of(1)?.isFavourite).toBe(false)
  expect(said).toHaveLength(2)
})

test('a refused press leaves what came through before it', async () => {
  const { kept, letGo } = account()
  await kept.ask()
  void kept.change(1, { isFavourite: true, reminders: ['draw'] })
  await letGo()
  await letGo(refusal)
  expect(kept.of(1)).toEqual({ isFavourite: true, reminders: [] })
})

test('reminders are those that the server keeps, unless something else was chosen meanwhile', async () => {
  const { kept, said, letGo } = account()
  await kept.ask()
  void kept.change(1, { reminders: ['closing', 'draw'] })
  await letGo()
  expect(kept.of(1)?.reminders).toEqual(['draw'])
  void kept.change(1, { reminders: [] })
  void kept.change(1, { reminders: ['result'] })
  await letGo()
  await letGo()
  expect(kept.of(1)?.reminders).toEqual(['result'])
  expect(said).toEqual(['remind 1 closing,draw', 'remind 1 ', 'remind 1 result'])
})

test('all reminders stop at once, and the marks stay; a refusal changes nothing', async () => {
  const { kept, failed, letGo } = account(favourite(1, true, ['draw']), favourite(2, false, ['result']))
  await kept.ask()
  const refused = kept.stopReminders()
  await letGo(refusal)
  expect([await refused, kept.hasReminders(), failed.mock.calls.length]).toEqual([false, true, 1])
  const stopped = kept.stopReminders()
  await letGo()
  expect([await stopped, kept.hasReminders()]).toEqual([true, false])
  expect(kept.of(1)).toEqual({ isFavourite: true, reminders: [] })
})

test('what was asked for one account never shows for the next', async () => {
  const { kept, failed, letGo } = account()
  await kept.ask()
  void kept.change(1, { isFavourite: true })
  kept.forget()
  await letGo(refusal)
  expect(kept.of(1)).toBeUndefined()
  expect(failed).not.toHaveBeenCalled()
  const asked = kept.ask()
  kept.forget()
  await asked
  expect(kept.list()).toBeUndefined()
})

test('what a stranger pressed is taken once, for that contest and that wish alone', () => {
  const store = memoryStorage()
  leaveWish(store, 'favourite', 12)
  expect(takeWish(store, 'favourite', 1)).toBe(false)
  expect(takeWish(store, 'reminders', 12)).toBe(false)
  expect(takeWish(store, 'favourite', 12)).toBe(true)
  expect(takeWish(store, 'favourite', 12)).toBe(false)
})
