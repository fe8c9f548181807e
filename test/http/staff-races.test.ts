import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { seededRandom } from '../../db/story/random.ts'
import { race, rowOf } from '../support/races.ts'
import type { ShopResponse, Staff } from '../support/shop.ts'
import { sized } from '../support/tier.ts'

const lab = await openPaymentShop({ processes: 2 })
const { shop, run, refundsAt, sweep, invariantsHold } = lab
afterAll(invariantsHold)

/** Acts at a time on one order, and orders. */
const ACTS = sized({ short: 40, extended: 100 })
const ROUNDS = sized({ short: 1, extended: 6 })
/** Twenty tickets, above what one person refunds alone. */
const PAID_CENTS = 11_858
const LEFT = '118.58'

/** Whether somebody's call leaves an entry in the log depends on who wins. */
const QUIET = { isWithoutEffect: true } as const

const people = {} as Record<'asker' | 'support' | 'manager' | 'other' | 'owner', Staff>
beforeAll(async () => {
  people.asker = await shop.newStaff('support')
  people.support = await shop.newStaff('support')
  people.manager = await shop.newStaff('manager')
  people.other = await shop.newStaff('manager')
  people.owner = await shop.newStaff('owner')
})

type Group =
  | 'decideRefund'
  | 'decideCancellation'
  | 'part'
  | 'receipt'
  | 'erase'
  | 'release'
  | 'reconcile'
  | 'wholeRefund'
  | 'cancel'

test.each(Array.from({ length: ROUNDS }, (_, round) => [ACTS, round]))(
  '%i acts of staff on one order at once: one wins of those that exclude each other, the others are told (%i)',
  async (acts, round) => {
    const { manager, other, owner, asker, support } = people
    const random = seededRandom(round + 1)
    // Of two processes one or the other.
    const at = (by: Staff) => (random.chance(0.5) ? by : by.elsewhere)
    const paid = await shop.paidOrder(20)
    const [{ slug }] = await run('SELECT slug FROM offers WHERE id = $1', [paid.offerId])
    const order = `/api/staff/orders/${paid.ours.id}`
    const refund = (by: Staff, more: object) =>
      at(by).post(`${order}/refund/`, { reason: 'Sorry', ...more }, QUIET)
    const asked = await asker.post(`${order}/refund/`, { reason: 'Sorry' })
    const cancelling = await manager.post(`/api/staff/offers/${slug}/cancel/`, { reason: 'no car' })
    expect([asked.status, cancelling.status]).toEqual([202, 202])
    const [refundId, cancelId] = [asked.body['approval'].id, cancelling.body['approval'].id]
    const decide = (by: Staff, id: number, how: 'approve' | 'refuse') =>
      at(by).post(`/api/staff/approvals/${id}/${how}/`, { reason: 'decided' }, QUIET)

    const possible: [Group, () => Promise<ShopResponse>][] = [
      ...[manager, other, owner, support].map((by): [Group, () => Promise<ShopResponse>] => [
        'decideRefund',
        () => decide(by, refundId, 'approve'),
      ]),
      ['decideRefund', () => decide(owner, refundId, 'refuse')],
      ['decideRefund', () => decide(asker, refundId, 'refuse')],
      ['decideCancellation', () => decide(other, cancelId, 'approve')],
      ['decideCancellation', () => decide(owner, cancelId, 'approve')],
      ['decideCancellation', () => decide(manager, cancelId, 'refuse')],
      [
        'part',
        () => refund(support, { lines: [{ offer_id: paid.offerId, quantity: 1 }], expected_left: LEFT }),
      ],
      [
        'part',
        () => refund(manager, { lines: [{ offer_id: paid.offerId, quantity: 3 }], expected_left: LEFT }),
      ],
      ['part', () => refund(other, { amount: '5.00', expected_left: LEFT })],
      ['wholeRefund', () => refund(owner, { expected_left: LEFT })],
      ['receipt', () => at(support).post(`${order}/resend-receipt/`, undefined, QUIET)],
      ['receipt', () => at(manager).post(`${order}/resend-receipt/`, undefined, QUIET)],
      ['release', () => at(other).post(`${order}/release/`, { reason: 'held?' }, QUIET)],
      ['reconcile', () => at(support).post(`${order}/reconcile/`, undefined, QUIET)],
      ['cancel', () => at(other).post(`/api/staff/offers/${slug}/cancel/`, { reason: 'no car' }, QUIET)],
      [
        'erase',
        () =>
          at(owner).post(
            `/api/staff/customers/${paid.customer.id}/erase/`,
            { reason: 'customer_asked', give_up_tickets: true },
            QUIET,
          ),
      ],
    ]
    const chosen = Array.from({ length: acts }, (_, index) => ({
      act: possible[index % possible.length]!,
      place: random.between(0, 1_000_000),
    }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ act }) => act)
    const responses = (await race(shop.url, rowOf.order(paid.orderId), 4, () =>
      chosen.map(([, act]) => act()),
    )) as ShopResponse[]

    // Who only asks a second person has done nothing yet.
    const won = (group: Group): unknown[] =>
      responses.flatMap(({ status, body }, index) =>
        chosen[index]![0] === group && status < 300 && !('approval' in body) ? [{ status, body }] : [],
      )
    for (const [index, { status, body }] of responses.entries()) {
      expect([200, 202, 409], `${chosen[index]![0]}: ${JSON.stringify(body)}`).toContain(status)
    }
    // Whoever lost reads why.
    for (const { body } of responses.filter(({ status }) => status === 409))
      expect([body['code'], body['detail']]).toEqual([
        expect.stringMatching(/\w\.\w/),
        expect.stringMatching(/\w{3}/),
      ])
    for (const group of ['decideRefund', 'decideCancellation', 'part', 'receipt', 'erase'] as const)
      expect(won(group).length, `${group}: ${JSON.stringify(won(group))}`).toBeLessThanOrEqual(1)
    expect(won('release')).toEqual([])
    const decided = await run('SELECT decision FROM approvals WHERE id = ANY ($1)', [[refundId, cancelId]])
    expect(decided.every(({ decision }) => decision !== null)).toBe(true)

    for (let time = 0; time < 3; time += 1) await sweep()
    const back = refundsAt(paid.orderId).reduce((sum, one) => sum + one.cents, 0)
    expect(back).toBeLessThanOrEqual(PAID_CENTS)
    const [{ cents }] = await run(
      `SELECT coalesce(sum(amount_cents), 0)::int AS cents FROM refunds WHERE order_id = $1 AND status = 'completed'`,
      [paid.ours.id],
    )
    expect(cents).toBe(back)
    const [{ cancelled }] = await run(
      'SELECT cancelled_at IS NOT NULL AS cancelled FROM offers WHERE id = $1',
      [paid.offerId],
    )
    // A cancelled contest returns everything.
    expect(back).toBeGreaterThanOrEqual(cancelled ? PAID_CENTS : 0)
  },
)
