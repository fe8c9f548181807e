import { expect, test } from 'vitest'
import { closeGate } from '../../../../../test/support/races.ts'
import { openShop } from '../../../../../test/support/shop.ts'
import { HOLDING, ORDER_EVENTS } from '../order-machine.rules.ts'
import { orderWrites } from './order-moves.repository.ts'

const shop = await openShop()
// A notification would have an order paid in the middle of a test.
shop.paypal.faults.change({ missingWebhooks: 1 })

/** Moves an order to `state` while the event `complete` waits for its row. @returns the result of that event */
async function completeBehind(state: string) {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  await orderWrites(shop.db).move(id, 'beginCapture', 'capture_requested')
  const gate = await closeGate(
    shop.url,
    `WITH moved AS (UPDATE orders SET state = '${state}' WHERE id = '${id}' RETURNING id)
     INSERT INTO order_events (order_id, from_state, to_state, reason)
     SELECT id, 'capturing', '${state}', 'meanwhile' FROM moved`,
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

test('an order that changes to another state of the event while the move waits is still moved', async () => {
  // Money has arrived while another process, which got a refusal, returns the order to its buyer.
  const event = { from_state: 'held', to_state: 'completed' }
  expect(await completeBehind('held')).toEqual({ moved: 'completed', event, state: 'completed' })
})

test('an order that changes to a state outside the event while the move waits stays there', async () => {
  expect(ORDER_EVENTS.complete.from).toBe(HOLDING)
  expect(HOLDING).not.toContain('expired')
  const event = { from_state: 'capturing', to_state: 'expired' }
  expect(await completeBehind('expired')).toEqual({ moved: undefined, event, state: 'expired' })
})

test('the first id that the provider gives an order stays', async () => {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  const second = { orderId: id, providerId: 'ANOTHER', paymentUrl: null }
  expect(await orderWrites(shop.db).setProvider([second])).toEqual([])
  expect((await shop.orderOf(orderId)).id).toBe(id)
})
