import { describe, expect, test, vi } from 'vitest'
import { openShop, type Customer } from '../../../../test/support/shop.ts'
import { closeGate } from '../../../../test/support/races.ts'
import type { Language } from '#shared/languages.ts'

const TOKEN = 'a token of the tests for the figures'
const shop = await openShop({
  env: { WAITING_ROOM_REQUESTS: '5', METRICS_TOKEN: TOKEN },
  processes: 2,
})
const { pool } = shop

/** Rooms are looked at once a second; most tests wait for it beside each other, each with a contest of its own. */
const eventually = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 })

const slugOf = async (offerId: number): Promise<string> =>
  (await pool.query('SELECT slug FROM offers WHERE id = $1', [offerId])).rows[0].slug

const stateOf = async (offerId: number) =>
  shop.anonymous('GET', `/api/offers/${await slugOf(offerId)}/waiting-room/`)

/** How many seconds of the line one step may move on; rooms of the tests have gaps far above. */
const GAP = 10_000

/** A contest with an open room that all processes know, in which so many have arrived. */
async function crowded(arrived = GAP, frontier = 0, more: { total_tickets?: number } = {}): Promise<number> {
  const offerId = await shop.newOffer(more)
  await open(offerId, arrived, frontier)
  return offerId
}

async function open(offerId: number, arrived: number, frontier: number): Promise<void> {
  await pool.query('INSERT INTO waiting_rooms (offer_id, arrived, frontier, rate) VALUES ($1, $2, $3, 1)', [
    offerId,
    arrived,
    frontier,
  ])
  const slug = await slugOf(offerId)
  await eventually(async () => {
    for (const app of shop.apps) {
      const response = await app.inject({ url: `/api/offers/${slug}/waiting-room/` })
      expect(response.json().is_open).toBe(true)
    }
  })
}

/** A step that has read the room before changes nothing of it any more. */
const advance = (offerId: number, frontier: number) =>
  pool.query('UPDATE waiting_rooms SET frontier = $2, stepped_at = clock_timestamp() WHERE offer_id = $1', [
    offerId,
    frontier,
  ])

const waits = (number: number) => ({
  status: 429,
  body: { code: 'offer.waitingRoom', place: { number } },
})

const crowd = (count: number): Promise<Customer[]> =>
  Promise.all(Array.from({ length: count }, () => shop.newCustomer()))

describe('a rush', () => {
  test('opens a waiting room: some enter, the others get places in line, each another one', async () => {
    const offerId = await shop.newOffer()
    const buyers = await crowd(60)
    const gate = await closeGate(shop.url, 'SELECT FROM carts FOR UPDATE')
    const adding = buyers.map((buyer) => buyer.add(offerId, 1))
    await eventually(async () =>
      expect((await pool.query('SELECT count(*)::int AS n FROM waiting_places')).rows[0].n).toBeGreaterThan(
        0,
      ),
    )
    await gate.open()
    const responses = await Promise.all(adding)
    const numbers = responses.flatMap(({ status, body }) =>
      status === 429 ? [body['place'].number as number] : [],
    )
    expect(responses.filter(({ status }) => status === 200).length + numbers.length).toBe(buyers.length)
    expect(numbers.length).toBeGreaterThan(0)
    expect(new Set(numbers).size).toBe(numbers.length)
    const { rows } = await pool.query(
      'SELECT r.arrived, count(p.*)::int AS places, max(p.number) AS last FROM waiting_rooms r JOIN waiting_places p USING (offer_id) WHERE r.offer_id = $1 GROUP BY r.arrived',
      [offerId],
    )
    expect(rows[0].places).toBe(rows[0].arrived)
    expect(rows[0].last).toBe(rows[0].arrived)
  })

  test('opens none while no process is busy, whatever the number of calls', async () => {
    const offerId = await shop.newOffer()
    for (const buyer of await crowd(15)) expect((await buyer.add(offerId, 1)).status).toBe(200)
    expect((await stateOf(offerId)).body).toEqual({ is_open: false, admitted: 0, per_minute: 0 })
    expect((await pool.query('SELECT FROM waiting_rooms WHERE offer_id = $1', [offerId])).rowCount).toBe(0)
  })
})

describe.concurrent('a place in line', () => {
  test('stays with the account: through reloads, several tabs and both processes', async () => {
    const [offerId, buyer, next] = [await crowded(), await shop.newCustomer(), await shop.newCustomer()]
    expect(await buyer.add(offerId, 1)).toMatchObject(waits(GAP + 1))
    expect(await buyer.elsewhere.add(offerId, 5)).toMatchObject(waits(GAP + 1))
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, tab) => (tab % 2 ? buyer : buyer.elsewhere).add(offerId, 1)),
    )
    for (const one of again) expect(one).toMatchObject(waits(GAP + 1))
    expect(await next.add(offerId, 1)).toMatchObject(waits(GAP + 2))
  })

  test('of two first calls at the same time through two processes is one', async () => {
    const [offerId, buyer] = [await crowded(), await shop.newCustomer()]
    const gate = await closeGate(shop.url, `SELECT FROM waiting_rooms WHERE offer_id = ${offerId} FOR UPDATE`)
    const both = [buyer.add(offerId, 1), buyer.elsewhere.add(offerId, 1)]
    await gate.waiting(2)
    await gate.open()
    for (const one of await Promise.all(both)) expect(one).toMatchObject(waits(GAP + 1))
  })

  test('tells position and time in the three languages, and when to ask again', async () => {
    const [offerId, buyer] = [await crowded(4_209), await shop.newCustomer()]
    await pool.query(
      'UPDATE waiting_rooms SET rate = 20, stepped_at = clock_timestamp() WHERE offer_id = $1',
      [offerId],
    )
    const add = (language: Language) =>
      buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 }, { language })
    const response = await add('en')
    const { number, position, seconds } = response.body['place']
    expect(number).toBe(4_210)
    expect(position).toBeGreaterThan(3_500)
    expect(seconds).toBeGreaterThan(100)
    expect(response.headers['retry-after']).toBe('60')
    expect(response.body['detail']).toMatch(/You are number 4,\d{3} in line; expect about \d+ minutes/)
    expect((await add('fr')).body['detail']).toMatch(/numéro 4\s\d{3} de la file/)
    expect((await add('nl')).body['detail']).toMatch(/nummer 4\.\d{3} in de rij/)
  })

  test('enters once its number is reached, not before, and never the one behind it', async () => {
    const [offerId, first, second] = [await crowded(), await shop.newCustomer(), await shop.newCustomer()]
    await first.add(offerId, 1)
    await pool.query('UPDATE waiting_rooms SET arrived = arrived + 1000 WHERE offer_id = $1', [offerId])
    await second.add(offerId, 1)
    await advance(offerId, GAP + 1)
    const [early, turn] = await Promise.all([second.add(offerId, 1), first.add(offerId, 1)])
    expect(turn.status).toBe(200)
    expect(early).toMatchObject(waits(GAP + 1_002))
  })

  test('cannot be claimed: what a call says of a number, or another account’s one, changes nothing', async () => {
    const [offerId, buyer, other] = [await crowded(), await shop.newCustomer(), await shop.newCustomer()]
    const early = await buyer.add(offerId, 1)
    await advance(offerId, GAP + 1)
    const forged = { place: early.body['place'], number: 1 }
    const headers = { 'x-place': '1', cookie: 'place=1; waiting-room=1' }
    expect((await other.add(offerId, 1, forged, { headers })).status).not.toBe(200)
    const own = await other.add(offerId, 1, {}, { headers })
    expect(own.body['place']?.number ?? GAP + 2).toBe(GAP + 2)
  })

  test('that was used ten minutes ago is used up: the next one is at the end', async () => {
    const [offerId, buyer] = [await crowded(0, 1), await shop.newCustomer()]
    expect((await buyer.add(offerId, 1)).status).toBe(200)
    await pool.query('UPDATE waiting_rooms SET arrived = $2, frontier = 2 WHERE offer_id = $1', [
      offerId,
      GAP,
    ])
    expect((await buyer.add(offerId, 1)).status).toBe(200)
    await pool.query(
      `UPDATE waiting_places SET entered_at = entered_at - interval '10 minutes' WHERE offer_id = $1`,
      [offerId],
    )
    expect(await buyer.add(offerId, 1)).toMatchObject(waits(GAP + 1))
  })
})

describe.concurrent('who has begun', () => {
  test('to pay is never held back', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder()
    await open(offerId, GAP, 0)
    expect((await customer.create('BE')).body['order_id']).toBe(orderId)
    expect((await customer.add(offerId, 1)).status).toBe(200)
    expect((await customer.create('FR')).status).toBe(200)
    expect((await customer.capture(orderId)).status).not.toBe(429)
  })

  test('to fill the cart waits before the order, in the payment’s shape, and keeps the cart', async () => {
    const [offerId, buyer] = [await shop.newOffer(), await shop.newCustomer()]
    await buyer.add(offerId, 2)
    await open(offerId, GAP, 0)
    const refused = await buyer.create('BE')
    expect(refused).toMatchObject(waits(GAP + 1))
    expect(refused.body).toMatchObject({ message: refused.body['detail'] })
    expect((await buyer.get('/api/cart/')).body[0].items[0].quantity).toBe(2)
    await advance(offerId, GAP + 1)
    expect((await buyer.create('BE')).status).toBe(200)
  })

  test('with another contest does not wait', async () => {
    const [, quiet, buyer] = [await crowded(), await shop.newOffer(), await shop.newCustomer()]
    expect((await buyer.order(quiet, 1)).status).toBe(200)
  })
})

describe.concurrent('a waiting room', () => {
  const isGone = (offerId: number) =>
    eventually(async () => {
      expect((await stateOf(offerId)).body.is_open).toBe(false)
      const places = await pool.query('SELECT FROM waiting_places WHERE offer_id = $1', [offerId])
      expect(places.rowCount).toBe(0)
    })

  test('closes with its places when nobody has waited for half a minute', async () => {
    const offerId = await crowded(10, 10)
    await pool.query(
      `UPDATE waiting_rooms SET waited_at = waited_at - interval '29 seconds' WHERE offer_id = $1`,
      [offerId],
    )
    await isGone(offerId)
    expect((await (await shop.newCustomer()).add(offerId, 1)).status).toBe(200)
  })

  test('of a contest that is over closes, and everybody is told so', async () => {
    const offerId = await crowded(GAP, 0, { total_tickets: 10 })
    await shop.changeOffer(offerId, { tickets_sold: 10 })
    await isGone(offerId)
    const buyer = await shop.newCustomer()
    expect(await buyer.add(offerId, 1)).toMatchObject({ status: 409, body: { code: 'offer.soldOut' } })
  })

  test('tells everybody the same, which caches may keep for a moment', async () => {
    const offerId = await crowded(GAP, 123)
    const { body, headers } = await stateOf(offerId)
    expect(body.is_open).toBe(true)
    expect(body.admitted).toBeGreaterThanOrEqual(123)
    expect(body.per_minute).toBeGreaterThanOrEqual(60)
    expect(headers['cache-control']).toContain('s-maxage=1')
    expect((await shop.anonymous('GET', '/api/offers/no-such-contest/waiting-room/')).body.is_open).toBe(
      false,
    )
  })

  test('is in the figures of each process', async () => {
    await crowded(GAP, 0)
    await eventually(async () => {
      const headers = { authorization: `Bearer ${TOKEN}` }
      const { body } = await shop.anonymous('GET', '/metrics', undefined, { headers })
      const text = (body as unknown as Buffer).toString()
      expect(Number(/volant_waiting_room_open (\d+)/.exec(text)?.[1])).toBeGreaterThan(0)
      expect(Number(/volant_waiting_room_waiting (\d+)/.exec(text)?.[1])).toBeGreaterThan(GAP / 2)
      expect(Number(/volant_waiting_room_seconds ([\d.]+)/.exec(text)?.[1])).toBeGreaterThan(60)
    })
  })
})
