import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadDemo } from '#features/demo/server/index.ts'
import { createPasswords } from '#features/accounts/server/index.ts'
import {
  type Breach,
  type Invariant,
  type ProviderBook,
  checkInvariants,
  compareBooks,
} from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { violationsOf } from '../support/violations/all.ts'
import { allowedOf } from '../support/violations/allowed.ts'
import type { Damaged } from '../support/violations/violation.ts'
import { capturesOf, providerSide } from '../support/provider-side.ts'
import { type TestShop, testShop } from '../support/shop.ts'
import { providerLedger } from '#features/payments/server/ledger-reconciliation.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { cancelContest } from '#features/refunds/server/cancelled-offers.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop
let invariants: Invariant[]

const NAMES = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I9', 'I10']

const wholeBook = (): ProviderBook => providerSide(shop).book()
const check = (book = wholeBook()): Promise<Breach[]> => checkInvariants(shop.db, invariants, book)
const brokenNames = async (book?: ProviderBook): Promise<string[]> =>
  (await check(book)).map(({ name }) => name)

const ourIdOf = async (providerId: string): Promise<string> => (await shop.orderOf(providerId)).id

/** A shop with an order in every state that a buyer can bring about, and money that went back. */
let order: Damaged
let providerId: string

let dataDir: string

/** Has somebody pay for two contests, one of which is then cancelled: a third of the order goes back. */
async function ofTwoContests(): Promise<Damaged['parted']> {
  const [gone, kept] = [await shop.newOffer({ slug: 'gone' }), await shop.newOffer()]
  const customer = await shop.newCustomer()
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: gone, quantity: 1 })
  const { body } = await customer.order(kept, 2)
  await shop.paypal.approve(body['order_id'])
  await customer.capture(body['order_id'])
  await cancelContest(shop.checkout, 'gone', 'a_test')
  await sweepOrders(shop.checkout, 0)
  const { id, total_cents } = await shop.orderOf(body['order_id'])
  return { id, share: Math.round(total_cents / 3) }
}

beforeAll(async () => {
  shop = await testShop()
  dataDir = await mkdtemp(path.join(tmpdir(), 'volant-invariants-'))
  invariants = await shopInvariants()
  await loadDemo({
    db: shop.db,
    passwords: createPasswords({ memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 100 }),
    dataDir,
    now: new Date(),
  })
  const first = await shop.approvedOrder(3)
  await first.customer.capture(first.orderId)
  const tampered = await shop.approvedOrder(2, 'tampered@buyer.test')
  await tampered.customer.capture(tampered.orderId)
  const pending = await shop.approvedOrder(1, 'pending@buyer.test')
  await pending.customer.capture(pending.orderId)
  const open = await shop.approvedOrder(2)
  providerId = first.orderId
  const parted = await ofTwoContests()
  const captures = [...shop.paypal.book.captures.values()]
  order = {
    paid: { id: await ourIdOf(providerId), offerId: first.offerId, userId: first.customer.id },
    held: { id: await ourIdOf(open.orderId), userId: open.customer.id },
    refundedCapture: captures.find(({ orderId }) => orderId === tampered.orderId)?.id ?? '',
    parted,
  }
})
afterAll(async () => {
  await shop.close()
  await rm(dataDir, { recursive: true })
})

test('there are ten, each named once', () => {
  expect(invariants.map(({ name }) => name)).toEqual(NAMES)
  for (const { title, sql: statement } of invariants) {
    expect(title).not.toBe('')
    expect(statement).toMatch(/SELECT/)
  }
})

test('all hold in a shop with paid, held, pending and refunded orders and the demonstration', async () => {
  expect(await check()).toEqual([])
  expect(await shop.orderState(providerId)).toBe('completed')
})

test('the book of the provider that is asked order by order says the same as the whole one', async () => {
  const { orders, captures } = await providerLedger(shop.db, shop.checkout.provider, { hours: 1, most: 100 })
  expect(orders).toHaveLength(5)
  const byId = (one: { capture_id: string }, other: { capture_id: string }): number =>
    one.capture_id.localeCompare(other.capture_id)
  expect(captures.toSorted(byId)).toEqual([...wholeBook().captures].toSorted(byId))
  expect(await brokenNames({ orders, captures })).toEqual([])
})

test('all hold while the provider, who returned a part before there were tickets, does not say what', async () => {
  shop.paypal.faults.change({ missingWebhooks: 1 })
  const { orderId } = await shop.approvedOrder(1)
  const id = await ourIdOf(orderId)
  await sql`UPDATE orders SET state = 'capturing' WHERE id = ${id}`.execute(shop.db)
  await sql`INSERT INTO order_events (order_id, from_state, to_state, reason)
            VALUES (${id}, 'held', 'capturing', 'a_test')`.execute(shop.db)
  const truth = await shop.client.captureOrder(orderId, `${id}:cap:1`)
  const captureId = capturesOf(truth)[0]!.id
  await shop.client.refundCapture(
    captureId,
    { amount: { currency_code: 'EUR', value: '1.00' }, note_to_payer: 'a_test' },
    'theirs',
  )
  const paypal = shop.client
  let told = false
  // It tells of the capture, and is gone before it can be asked what went back.
  const getOrder: typeof paypal.getOrder = async (providerOrderId) => {
    if (told) throw new ProviderUnknown('the line broke')
    told = true
    return paypal.getOrder(providerOrderId)
  }
  await reconcile({ ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }, id)
  expect(await shop.orderState(orderId)).toBe('refunding')
  expect(await check()).toEqual([])
  await reconcile(shop.checkout, id)
  await reconcile(shop.checkout, id)
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(await check()).toEqual([])
})

test('an amount that cannot be read is told of as its order, and hides no other', async () => {
  const { orderId, captureId } = await shop.paidOrder(1)
  const paypal = shop.client
  const getOrder: typeof paypal.getOrder = async (id) => {
    const told = structuredClone(await paypal.getOrder(id))
    const [unit] = told.purchase_units ?? []
    if (id === orderId) unit!.payments!.captures![0]!.amount!.value = 'NaN'
    return told
  }
  const book = await providerLedger(shop.db, paypalProvider({ ...paypal, getOrder }), { hours: 1, most: 100 })
  const [, , , , i5] = invariants
  const [breach, ...others] = await checkInvariants(shop.db, [i5!], book)
  expect(others).toEqual([])
  expect(breach?.rows).toMatchObject([{ fault: 'another amount', capture_id: captureId, our_cents: 593 }])
})

test('without the provider’s book I5 says that it was not compared', async () => {
  const breaches = await checkInvariants(shop.db, invariants)
  expect(breaches.map(({ name }) => name)).toEqual(['I5'])
  expect(breaches[0]?.rows).toEqual([expect.objectContaining({ fault: "the provider's book was not given" })])
})

/** What breaks after statements that are undone. */
async function breachesAfter(statements: readonly string[]): Promise<Breach[]> {
  const undo = new Error('rolled back')
  let breaches: Breach[] = []
  await shop.db
    .transaction()
    .execute(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx)
      breaches = await checkInvariants(trx, invariants, wholeBook())
      throw undo
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error
    })
  return breaches
}

// Titles need no shop, so they are read without rows.
const nothing: Damaged = {
  paid: { id: '', offerId: 0, userId: 0 },
  held: { id: '', userId: 0 },
  refundedCapture: '',
  parted: { id: '', share: 0 },
}

test.each(allowedOf(nothing))('nothing is broken by $title', async ({ title }) => {
  const { statements } = allowedOf(order).find((one) => one.title === title)!
  expect(await breachesAfter(statements)).toEqual([])
})

describe('a violation is found by exactly the invariant that it violates', () => {
  const all = violationsOf(nothing)

  test.each(all)('$breaks: $title', async ({ title, breaks }) => {
    const { statements, row } = violationsOf(order).find((one) => one.title === title)!
    const breaches = await breachesAfter(statements)
    expect(breaches.map(({ name }) => name)).toEqual(breaks)
    expect(breaches[0]?.rows).toContainEqual(expect.objectContaining(row))
  })

  test('every invariant was damaged', () => {
    expect(new Set(all.flatMap(({ breaks }) => breaks))).toEqual(new Set(NAMES))
  })
})

describe('I5 compares both ways, to the cent', () => {
  const change = (captureId: string, patch: object): ProviderBook => {
    const book = wholeBook()
    const captures = book.captures.map((one) => (one.capture_id === captureId ? { ...one, ...patch } : one))
    return { ...book, captures }
  }
  const captureOf = (): string =>
    [...shop.paypal.book.captures.values()].find(({ orderId }) => orderId === providerId)?.id ?? ''

  test('a capture that our book lacks', async () => {
    const book = wholeBook()
    const stranger = {
      capture_id: 'THEIRS',
      provider_order_id: 'X',
      status: 'completed',
      cents: 1,
      currency: 'EUR',
      refunded_cents: 0,
    }
    const [breach] = await check({ ...book, captures: [...book.captures, stranger] })
    expect(breach?.name).toBe('I5')
    expect(breach?.rows).toEqual([
      expect.objectContaining({ fault: 'our book lacks this capture', capture_id: 'THEIRS', their_cents: 1 }),
    ])
  })

  test.each([
    ['another amount', { cents: 1_777 }],
    ['another amount', { currency: 'USD' }],
    ['another amount went back', { refunded_cents: 1 }],
    ['another state', { status: 'pending' }],
    ['another order', { provider_order_id: 'X' }],
    ['the provider knows no such capture', { status: 'declined' }],
  ])('%s: %o', async (fault, patch) => {
    const [breach, ...others] = await check(change(captureOf(), patch))
    expect(others).toEqual([])
    expect(breach?.rows).toEqual([expect.objectContaining({ fault })])
  })

  test('an order whose payment is under way is not compared yet', async () => {
    const pending = wholeBook().captures.find(({ status }) => status === 'pending')
    expect(await check(change(pending?.capture_id ?? '', { status: 'completed', cents: 5 }))).toEqual([])
  })

  test('only a difference that stays counts', async () => {
    const [, , , , i5] = invariants
    const good = wholeBook()
    const bad = change(captureOf(), { cents: 5 })
    const looks = async (...books: ProviderBook[]): Promise<Breach | undefined> => {
      const left = [...books]
      return compareBooks(
        shop.db,
        i5!,
        async () => left.shift() ?? good,
        async () => {},
      )
    }
    expect(await looks(good)).toBeUndefined()
    expect(await looks(bad, good)).toBeUndefined()
    expect(await looks(bad, bad, good)).toBeUndefined()
    expect((await looks(bad, bad, bad))?.rows).toHaveLength(1)
    // Another difference at each look is a sale under way, not a fault.
    const others = [6, 7, 8].map((cents) => change(captureOf(), { cents }))
    expect(await looks(...others)).toBeUndefined()
  })
})

test('I9 must name the draws as soon as there is a table of them', async () => {
  const { rows } = await sql<{ found: boolean }>`SELECT to_regclass('draws') IS NOT NULL AS found`.execute(
    shop.db,
  )
  const i9 = invariants.find(({ name }) => name === 'I9')
  const statement = i9?.sql.replaceAll(/^--.*$/gm, '')
  expect(/\bdraws\b/.test(statement ?? '')).toBe(rows[0]?.found)
})

test('afterwards everything holds again', async () => {
  expect(await brokenNames()).toEqual([])
})
