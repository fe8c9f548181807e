import type { Database, Sql } from '#platform/database.ts'
import {
  type BatchBounds,
  type BatchMeter,
  type Outcome,
  type RunOptions,
  batchCalls,
} from '#platform/batcher.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { WaitingRoomState } from '../waiting-room.contract.ts'
import { WAITING_ROOM, firstRate, loadOf, placeOf, stepped } from '../waiting-room.rules.ts'
import { type Buyer, type PlaceRow, type RoomRow, roomsRepository } from './waiting-room.repository.ts'

/** Calls for one contest within a second that make a rush, if the process is busy. */
const RUSH_CALLS = 10

const RETRY_MAX_SECONDS = 60

export interface WaitingRoomDeps {
  db: Database
  /** Calls under way above which this process is busy; 0 for no waiting rooms. */
  bound: number
  underWay: () => number
  batching: BatchBounds & { meter: BatchMeter }
  /** Contests of the orders of these buyers that hold tickets. */
  onHold: (db: Sql, userIds: readonly number[]) => Promise<{ user_id: number; offer_id: number }[]>
  /** Contests in a buyer's cart. */
  inCart: (db: Database, userId: number) => Promise<number[]>
}

/** What a process knows of a room since its last step. */
interface Known extends WaitingRoomState {
  slug: string
  waiting: number
}

export type WaitingRooms = ReturnType<typeof waitingRooms>

/** The lines in front of contests in a rush, one for all processes (ADR 0114). */
export function waitingRooms({ db, bound, underWay, batching, onHold, inCart }: WaitingRoomDeps) {
  let rooms: ReadonlyMap<number, Known> = new Map()
  /** Calls for each contest since the last step. */
  let calls = new Map<number, number>()
  const opening = new Map<number, Promise<void>>()

  const take = batchCalls<Buyer, void>((buyers, options) => takeTogether(buyers, options), batching)

  async function takeTogether(buyers: readonly Buyer[], options: RunOptions): Promise<Outcome<void>[]> {
    const holds = await onHold(db, [...new Set(buyers.map((one) => one.userId))])
    const holders = new Set(
      holds.map(({ user_id, offer_id }) => keyOf({ userId: user_id, offerId: offer_id })),
    )
    const wanted = new Map(buyers.map((buyer) => [keyOf(buyer), buyer]))
    for (const key of holders) wanted.delete(key)
    const rows = await transact(
      db,
      async (trx) => withCommit(roomsRepository(trx).take([...wanted.values()])),
      { ...options, durable: false },
    )
    const places = new Map(rows.map((row) => [keyOf(row), row]))
    return buyers.map((buyer) => {
      const place = places.get(keyOf(buyer))
      return place && !place.enters ? { refused: waitsIn(place) } : { value: undefined }
    })
  }

  const isRush = (offerId: number): boolean => (calls.get(offerId) ?? 0) >= RUSH_CALLS && underWay() > bound

  function open(offerId: number): Promise<void> {
    const running = opening.get(offerId)
    if (running) return running
    const work = roomsRepository(db)
      .open(offerId, firstRate(calls.get(offerId) ?? 0))
      .then(look)
      .finally(() => opening.delete(offerId))
    opening.set(offerId, work)
    return work
  }

  /** Reads which rooms there are, and moves their lines on. */
  async function look(): Promise<void> {
    const { all, step, close } = roomsRepository(db)
    const load = loadOf(underWay(), bound)
    const now = (await all()).map((row) => ({ ...row, ...stepped(row, load) }))
    if (now.length > 0) await step(now)
    const closed = new Set(now.length > 0 ? await close() : [])
    const left = now.filter(({ offerId }) => !closed.has(offerId))
    rooms = new Map(left.map((row) => [row.offerId, { slug: row.slug, ...stateOf(row) }]))
  }

  async function enter(buyer: Buyer): Promise<void> {
    if (bound === 0) return
    const { offerId } = buyer
    calls.set(offerId, (calls.get(offerId) ?? 0) + 1)
    if (!rooms.has(offerId) && isRush(offerId)) await open(offerId)
    if (rooms.has(offerId)) await take(buyer)
  }

  return {
    /** @throws Refusal with the buyer's place while others are before it */
    enter,

    /** The same for each contest in the cart. */
    async enterWithCart(userId: number): Promise<void> {
      if (bound === 0 || (rooms.size === 0 && underWay() <= bound)) return
      for (const offerId of await inCart(db, userId)) await enter({ userId, offerId })
    },

    /** For each process to call every second. */
    async step(): Promise<void> {
      calls = new Map()
      if (bound > 0) await look()
    },

    /** As this process last saw it. */
    state(slug: string): WaitingRoomState {
      const room = [...rooms.values()].find((one) => one.slug === slug)
      const { is_open, admitted, per_minute } = room ?? CLOSED
      return { is_open, admitted, per_minute }
    },

    /** For the figures: how many wait in all rooms, and for how long the last of them. */
    figures(): { open: number; waiting: number; seconds: number } {
      const all = [...rooms.values()]
      return {
        open: all.length,
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        seconds: Math.max(0, ...all.map(({ waiting, per_minute }) => (waiting / per_minute) * 60)),
      }
    },
  }
}

const CLOSED: WaitingRoomState = { is_open: false, admitted: 0, per_minute: 0 }

const stateOf = ({ arrived, frontier, rate }: RoomRow): Omit<Known, 'slug'> => ({
  is_open: true,
  admitted: Math.floor(frontier),
  per_minute: Math.max(1, Math.floor(rate * 60)),
  waiting: Math.max(0, Math.ceil(arrived - frontier)),
})

const keyOf = ({ userId, offerId }: Buyer | PlaceRow): string => `${offerId} ${userId}`

function waitsIn({ offerId, number, ...room }: PlaceRow): Refusal {
  const place = placeOf(number, room)
  return new Refusal(WAITING_ROOM, 429, 'waitingRoom.refused', {
    values: { position: place.position, minutes: Math.ceil(place.seconds / 60) },
    body: { offer_id: offerId, place },
    retryAfter: Math.min(RETRY_MAX_SECONDS, place.seconds),
  })
}
