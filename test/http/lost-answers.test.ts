import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { type Customer, openShop } from '../support/shop.ts'
import { cut, onStatements } from '../support/statements.ts'

/** The database has committed, and its answer gets lost on the way: nobody may take that for a failure. */
const shop = await openShop()

afterEach(() => void vi.restoreAllMocks())

/** Cuts the connection behind the next COMMIT of a transaction that has sent such a statement. */
function loseAnswerAfter(statement: RegExp): void {
  const marked = new WeakSet<object>()
  let isArmed = true
  onStatements(async ({ text, send, connection }) => {
    if (statement.test(text)) marked.add(connection)
    if (!isArmed || text !== 'commit' || !marked.has(connection)) return send()
    isArmed = false
    await send()
    cut(connection)
    throw new Error('Connection terminated unexpectedly')
  })
}

const adding = async (offerId: number, key?: string) => {
  const customer = await shop.newCustomer()
  const add = () =>
    customer.post(
      `/api/cart/${customer.cartId}/add_item/`,
      { offer_id: offerId, quantity: 2 },
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    )
  return { customer, add }
}

const quantityOf = async (customer: Customer): Promise<unknown> =>
  (await customer.get('/api/cart/')).body[0].items.map((item: { quantity: number }) => item.quantity)

test('two who add at one moment are told that it is unknown, and nothing is added twice', async () => {
  const offerId = await shop.newOffer()
  const both = [await adding(offerId), await adding(offerId)]
  loseAnswerAfter(/INSERT INTO cart_items/)
  const answers = await Promise.all(both.map(({ add }) => add()))
  expect(answers.map(({ status }) => status)).toEqual([503, 503])
  expect(answers[0]?.headers['retry-after']).toBeDefined()
  for (const { customer } of both) expect(await quantityOf(customer)).toEqual([2])
})

test('who adds with a key may ask again, and it is added once', async () => {
  const { customer, add } = await adding(await shop.newOffer(), randomUUID())
  loseAnswerAfter(/INSERT INTO cart_items/)
  expect((await add()).status).toBe(503)
  const again = await add()
  expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
  expect(again.body).toEqual((await customer.get('/api/cart/')).body[0])
  expect(await quantityOf(customer)).toEqual([2])
})

test('a key that was taken over by a later call is not the earlier one’s any more', async () => {
  const key = randomUUID()
  const { customer, add } = await adding(await shop.newOffer(), key)
  let isFirst = true
  // Between the key's row and the change of the cart a minute goes by, and another call takes the key.
  onStatements(async ({ text, send }) => {
    const told = await send()
    if (isFirst && text.includes('INSERT INTO idempotency_keys')) {
      isFirst = false
      const later = `UPDATE idempotency_keys SET begun_at = begun_at + interval '1 minute' WHERE key = $1`
      await shop.pool.query(later, [key])
    }
    return told
  })
  expect(await add()).toMatchObject({ status: 409, body: { code: 'request.keyUnderWay' } })
  expect(await quantityOf(customer)).toEqual([])
})
