import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { placeNow } from '#features/waiting-room/waiting-room.rules.ts'
import { makeCustomers } from '../../tools/customers/make-customers.ts'
import { openShop } from '../support/shop.ts'
import { PATIENCE, type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import { sized } from '../support/tier.ts'

/** A crowd in front of one contest, at two processes of which one dies, and then both. */

const BUYERS = sized({ short: 200, extended: 1_000 })

/** Further than the line moves during the test. */
const FAR = 1_000_000

const shop = await openShop()
const { pool } = shop
let folder: string
let processes: ShopProcess[] = []

const start = async (): Promise<ShopProcess> => {
  const running = await startShopProcess({
    env: {
      DATABASE_URL: shop.url,
      DATA_DIR: path.join(folder, String(processes.length)),
      SECRET_KEY: shop.secret,
      LOG_KEY: '5e'.repeat(32),
      PAYPAL_BASE_URL: shop.paypal.url,
      LIMITS_FACTOR: '1000000',
      WAITING_ROOM_REQUESTS: '20',
      ROLES: 'web',
    },
  })
  await running.whenReady()
  return running
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'volant-line-'))
  processes = [await start(), await start()]
}, PATIENCE.timeout)
afterAll(async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')))
  await rm(folder, { recursive: true, force: true })
})

interface CallResponse {
  code?: string
  place?: { number: number }
}

/** A call at one of the processes; at the other one when that is gone. */
async function call(turn: number, route: string, token?: string, body?: object): Promise<CallResponse> {
  for (let attempt = turn; ; attempt += 1) {
    const process = processes[attempt % processes.length]!
    try {
      return await process.call(route, token, body)
    } catch {
      await sleep(100)
    }
  }
}

const rowsOf = async (query: string, ...values: unknown[]) => (await pool.query(query, values)).rows

test(
  'everybody enters, and nobody before their turn, although processes die',
  { timeout: 180_000 },
  async () => {
    const offerId = await shop.newOffer({ total_tickets: 100_000 })
    const [{ slug }] = await rowsOf('SELECT slug FROM offers WHERE id = $1', offerId)
    const buyers = await makeCustomers(shop.db, BUYERS, { secret: shop.secret, passwordHash: 'none' })
    const add = (turn: number, { cartId, access }: (typeof buyers)[number]) =>
      call(turn, `/api/cart/${cartId}/add_item/`, access, { offer_id: offerId, quantity: 1 })

    const first = await Promise.all(buyers.map((buyer, index) => add(index, buyer)))
    // From here on the line moves as the test says.
    const pace = (rate: number, distance: number) =>
      pool.query(
        `UPDATE waiting_rooms
       SET rate = $2, frontier = frontier + $3, slowed_at = clock_timestamp() + interval '1 hour'
       WHERE offer_id = $1`,
        [offerId, rate, distance],
      )
    await pace(5, -FAR)
    const waiting = buyers.flatMap((buyer, index) => {
      const { code, place } = first[index]!
      return code === 'offer.waitingRoom' ? [{ buyer, index, number: place!.number }] : []
    })
    expect(waiting.length).toBeGreaterThan(BUYERS / 4)
    const numbers = waiting.map(({ number }) => number).toSorted((one, other) => one - other)
    expect(new Set(numbers).size).toBe(numbers.length)

    // Nobody is left: the line is there again with the next process.
    await Promise.all(processes.map((one) => one.end('SIGKILL')))
    processes = [await start(), await start()]
    const last = waiting.find(({ number }) => number === numbers.at(-1))!
    expect((await add(0, last.buyer)).place?.number).toBe(last.number)

    await pace(BUYERS / sized({ short: 3, extended: 10 }), FAR)
    const entered: number[] = []
    const tooEarly: number[] = []
    const enter = async ({ buyer, index, number }: (typeof waiting)[number]): Promise<void> => {
      for (;;) {
        const state = await call(index, `/api/offers/${slug}/waiting-room/`)
        if (placeNow(number, state as never)) {
          await sleep(250)
          continue
        }
        const { code, place } = await add(index, buyer)
        if (code === undefined) return void entered.push(number)
        // A line that a process has just left behind: its number stays.
        expect([code, place?.number]).toEqual(['offer.waitingRoom', number])
        tooEarly.push(number)
      }
    }
    const all = Promise.all(waiting.map(enter))
    const inside = (): Promise<unknown[]> =>
      rowsOf(
        `SELECT p.number, r.frontier FROM waiting_places p JOIN waiting_rooms r ON r.offer_id = p.offer_id
       WHERE r.offer_id = $1 AND p.entered_at IS NOT NULL AND p.number > r.frontier`,
        offerId,
      )
    let isKilled = false
    while (entered.length < waiting.length) {
      expect(await inside(), 'before their turn').toEqual([])
      if (!isKilled && entered.length > waiting.length / 4) {
        isKilled = true
        await processes[0]!.end('SIGKILL')
      }
      await sleep(100)
    }
    await all

    expect(entered.length).toBe(waiting.length)
    expect(tooEarly).toEqual([])
    const places = await rowsOf(
      `SELECT number, entered_at IS NOT NULL AS entered FROM waiting_places WHERE offer_id = $1 ORDER BY number`,
      offerId,
    )
    expect(places.map(({ number }) => number)).toEqual(places.map((_, index) => index + 1))
    expect(places.every((one) => one.entered)).toBe(true)
    expect(
      (await rowsOf('SELECT count(*)::int AS n FROM cart_items WHERE offer_id = $1', offerId))[0].n,
    ).toBe(BUYERS)
  },
)
