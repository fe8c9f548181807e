import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { HOLDING, ORDER_EVENTS } from '../order-machine.rules.ts'
import { orderWrites } from './order-moves.repository.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
  // A notification would have an order paid in the middle of what happens to it here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

/** Moves an order elsewhere while a move to `completed` waits for its row. @returns what that move did */
async function moveBehind(elsewhere: string) {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  await orderWrites(shop.db).move(id, 'beginCapture', 'capture_requested')
  const gate = await closeGate(
    shop.url,
    `WITH moved AS (UPDATE orders SET state = '${elsewhere}' WHERE id = '${id}' RETURNING id)
     INSERT INTO order_events (order_id, from_state, to_state, reason)
     SELECT id, 'capturing', '${elsewhere}', 'meanwhile' FROM moved`,
  )
  const move = orderWrites(shop.db).move(id, 'complete', 'captured')
  await gate.waiting(1)
  await gate.open()
  const moved = await move
  const { rows } = await shop.pool.query(
    'SELECT from_state, to_state FROM order_events WHERE order_id = $1 ORDER BY id DESC LIMIT 1',
    [id],
  )
  return { moved: moved?.state, event: rows[0], state: await shop.orderState(orderId) }
}

test('an order that goes from one allowed state to another while a move waits for it is still moved', async () => {
  // Money has come while another process, which got a refusal, returns the order to its buyer.
  expect(await moveBehind('held')).toEqual({
    moved: 'completed',
    event: { from_state: 'held', to_state: 'completed' },
    state: 'completed',
  })
})

test('an order that goes to a state from which the move does not start stays there', async () => {
  expect(ORDER_EVENTS.complete.from).toBe(HOLDING)
  expect(HOLDING).not.toContain('expired')
  expect(await moveBehind('expired')).toEqual({
    moved: undefined,
    event: { from_state: 'capturing', to_state: 'expired' },
    state: 'expired',
  })
})

test('the first id that the provider gives an order stays', async () => {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  const second = { orderId: id, providerId: 'ANOTHER', paymentUrl: null }
  expect(await orderWrites(shop.db).setProvider([second])).toEqual([])
  expect((await shop.orderOf(orderId)).id).toBe(id)
})
