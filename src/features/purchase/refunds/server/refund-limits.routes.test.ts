import { expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import type { Staff } from '../../../../../test/support/shop.ts'
import { isExtended } from '../../../../../test/support/tier.ts'

const { shop, run } = await openPaymentShop({ env: { REFUND_DAY_ALONE_MAX: '18' } })

const path = (orderId: string, rest = '') => `/api/staff/orders/${orderId}/refund/${rest}`
const refund = (by: Staff, orderId: string, body: object = {}) =>
  by.post(path(orderId), { reason: 'We are sorry', reason_code: 'goodwill', ...body })
/** Orders of 5.93, of which three are below 18 euros. */
const paidOrders = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await shop.paidOrder(1)).orderId))

test.runIf(isExtended)(
  'one person refunds so much within a day, of however many orders, and not more by hurrying',
  async () => {
    const [first, other] = [await shop.newStaff('support'), await shop.newStaff('support')]
    const orders = await paidOrders(8)
    const responses = await Promise.all(orders.slice(0, 6).map((id) => refund(first, id)))
    expect(responses.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([
      200, 200, 200, 202, 202, 202,
    ])
    const [seventh = '', eighth = ''] = orders.slice(6)
    expect((await first.post(path(seventh, 'preview/'), {})).body).toMatchObject({
      needs_approval: true,
      day_alone_max: '18.00',
    })
    expect((await other.post(path(seventh, 'preview/'), {})).body).toMatchObject({ needs_approval: false })
    expect((await refund(other, seventh)).status).toBe(200)

    // What a second person approved counts for nobody, and a day later nothing does.
    const { approval } = responses.find(({ status }) => status === 202)!.body
    expect((await other.post(`/api/staff/approvals/${approval.id}/approve/`)).status).toBe(200)
    expect((await refund(first, eighth)).status).toBe(202)
    await run(`UPDATE refunds SET created_at = created_at - interval '25 hours' WHERE requested_by = $1`, [
      first.id,
    ])
    expect((await first.post(path(eighth, 'preview/'), {})).body).toMatchObject({ needs_approval: false })
  },
)

test.each(['owner', 'manager', 'support'] as const)(
  'an amount that keeps the tickets valid takes two people, whoever asks as %s',
  async (role) => {
    const [asking, second] = [await shop.newStaff(role), await shop.newStaff('manager')]
    const { orderId, ours } = await shop.paidOrder(2)
    const shown = await asking.post(path(orderId, 'preview/'), { amount: '0.01' })
    expect(shown.body).toMatchObject({ needs_approval: true, amount_alone_max: '0.00' })
    const asked = await refund(asking, orderId, { amount: '0.01' })
    expect(asked.status).toBe(202)
    const sum = async () =>
      (
        await run(`SELECT coalesce(sum(amount_cents), 0)::int AS cents FROM refunds WHERE order_id = $1`, [
          ours.id,
        ])
      )[0].cents
    expect(await sum()).toBe(0)
    const approve = `/api/staff/approvals/${asked.body['approval'].id}/approve/`
    expect((await asking.post(approve)).status).toBe(409)
    expect((await second.post(approve)).status).toBe(200)
    expect(await sum()).toBe(1)
  },
)

test.each(['postal', 'accountant', 'witness'] as const)('%s refunds nothing', async (role) => {
  const { orderId } = await shop.paidOrder(1)
  const staff = await shop.newStaff(role)
  for (const rest of ['', 'preview/'])
    expect((await staff.post(path(orderId, rest), { reason: 'x', reason_code: 'goodwill' })).status).toBe(403)
})
