import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cents } from '#shared/money.ts'
import {
  type CaptureBalance,
  MAX_FAILED_REFUNDS,
  type OrderToRefund,
  type RefundAction,
  type RefundableLine,
  isAllReturned,
  isOverReturned,
  isPaidTwice,
  planAfterImport,
  planCancellation,
  planDone,
  planRefusal,
  planRemainder,
  planWholeRefund,
  requestedShare,
} from './refund-plan.rules.ts'

const TOTAL = 1_186

const order = (state: OrderToRefund['state'] = 'completed'): OrderToRefund => ({ state, total_cents: TOTAL })

/** A capture that paid the order and of which nothing went back, unless said otherwise. */
const balance = (change: Partial<CaptureBalance> = {}): CaptureBalance => ({
  captureId: 'C1',
  currency: 'EUR',
  taken: TOTAL,
  returned: 0,
  claimed: 0,
  claimedSince: 0,
  undone: 0,
  failed: 0,
  failedAtProvider: 0,
  ...change,
})
const returned = (amount: number, change: Partial<CaptureBalance> = {}) =>
  balance({ returned: amount, claimed: amount, claimedSince: amount, ...change })

const line = (offer_id: number, price: number, change: Partial<RefundableLine> = {}): RefundableLine => ({
  offer_id,
  title: `Contest ${offer_id}`,
  cents: price,
  is_cancelled: false,
  is_requested: false,
  ...change,
})

const request = (captureId: string, amount: number, reason: string): RefundAction =>
  ({ do: 'request', captureId, amount: cents(amount), reason }) as RefundAction
const move = (event: string, reason: string): RefundAction => ({ do: 'move', event, reason }) as RefundAction
const alert = (details: object): RefundAction => ({ do: 'alert', details: { ...details } })

const REFUSED_OFTEN = { failed: MAX_FAILED_REFUNDS }
const CLOSED = move('closeRefund', 'refunded_at_provider')
const REVIEW = move('sendToReview', 'refund_refused_repeatedly')

describe('what is left of an order in `refunding`', () => {
  test.each<[string, CaptureBalance[], RefundAction[]]>([
    ['nothing went back: all of it is requested', [balance()], [request('C1', TOTAL, 'remainder')]],
    ['a part went back: the rest is requested', [returned(186)], [request('C1', 1_000, 'remainder')]],
    ['all went back: the order is closed', [returned(TOTAL)], [CLOSED]],
    ['more than all went back: the order is closed', [returned(TOTAL + 5)], [CLOSED]],
    ['all is under way: nothing follows', [balance({ claimed: TOTAL })], []],
    [
      'a refund was refused once: it is requested again',
      [balance({ failed: 1 })],
      [request('C1', TOTAL, 'remainder')],
    ],
    [
      'one below the limit of refusals: it is requested again',
      [balance({ failed: MAX_FAILED_REFUNDS - 1 })],
      [request('C1', TOTAL, 'remainder')],
    ],
    ['refused at the limit: staff decide', [balance(REFUSED_OFTEN)], [REVIEW]],
    [
      'refused at the limit, and back all the same: the order is closed',
      [returned(TOTAL, REFUSED_OFTEN)],
      [CLOSED],
    ],
    [
      'of two captures one is back: the other is requested',
      [returned(TOTAL), balance({ captureId: 'C2' })],
      [request('C2', TOTAL, 'remainder')],
    ],
    [
      'one of two captures was refused at the limit: staff decide about the order',
      [balance({ captureId: 'C2' }), balance(REFUSED_OFTEN)],
      [REVIEW],
    ],
    ['nothing was taken: staff decide', [balance({ taken: 0 })], [move('sendToReview', 'nothing_was_taken')]],
    [
      'one capture took nothing, and all of the other is under way: nothing follows',
      [balance({ taken: 0 }), balance({ captureId: 'C2', claimed: TOTAL })],
      [],
    ],
    ['no capture is known: nothing follows', [], []],
  ])('%s', (_title, balances, actions) => {
    expect(planRemainder(balances)).toEqual(actions)
  })
})

describe('a refund that the provider refused', () => {
  test.each<[string, OrderToRefund['state'], string, RefundAction[]]>([
    [
      'leaves an order that is going back to staff',
      'refunding',
      'staff_request',
      [move('sendToReview', 'refund_refused')],
    ],
    ['leaves a share to staff', 'completed', 'offer_cancelled', [move('sendToReview', 'refund_refused')]],
    [
      'leaves the tickets of an order that was paid twice valid',
      'completed',
      'paid_twice',
      [alert({ capture_id: 'C1', surplus: 'refund refused' })],
    ],
    [
      'leaves both payments of a refunded order to staff',
      'refunding',
      'paid_twice',
      [move('sendToReview', 'refund_refused')],
    ],
  ])('%s', (_title, state, reason, actions) => {
    expect(planRefusal(order(state), { capture_id: 'C1', reason }, 'refund_refused')).toEqual(actions)
  })
})

test.each<[string, CaptureBalance[], RefundAction[]]>([
  ['all of it', [returned(TOTAL)], [move('closeRefund', 'staff_request')]],
  ['a part of it', [returned(TOTAL - 1)], []],
  ['one of two captures', [returned(TOTAL), balance({ captureId: 'C2' })], []],
])('a refund that is done closes the order when %s is back', (_title, balances, actions) => {
  expect(planDone(balances, 'staff_request')).toEqual(actions)
})

describe('refunds that were imported', () => {
  type Case = [string, OrderToRefund['state'], CaptureBalance[], RefundAction[]]
  const second = (change: Partial<CaptureBalance> = {}) => balance({ captureId: 'C2', ...change })

  test.each<Case>([
    ['a part is back: the order stays paid', 'completed', [returned(186)], []],
    ['all is back: the order is closed', 'completed', [returned(TOTAL)], [CLOSED]],
    ['all is back of an order that is going back: it is closed', 'refunding', [returned(TOTAL)], [CLOSED]],
    [
      'all is back of an order that staff were to decide: it is closed',
      'review',
      [returned(TOTAL)],
      [move('resolveReview', 'refunded_at_provider')],
    ],
    ['a part is back of an order that staff must decide: they still must', 'review', [returned(186)], []],
    ['all is back of an order that is closed: nothing follows', 'refunded', [returned(TOTAL)], []],
    [
      'more is back than was taken: staff are alerted, and the order is closed',
      'completed',
      [returned(TOTAL + 5)],
      [alert(returned(TOTAL + 5)), CLOSED],
    ],
    [
      'it was paid twice: the second payment is requested',
      'completed',
      [balance(), second()],
      [request('C2', TOTAL, 'paid_twice')],
    ],
    [
      'it was paid twice, and a part of the second is back: the one stays of which most is back',
      'completed',
      [balance(), second({ returned: 186, claimed: 186 })],
      [request('C1', TOTAL, 'paid_twice')],
    ],
    [
      'it was paid twice, first with another amount: the payment of the right amount stays',
      'completed',
      [second({ taken: TOTAL - 1 }), balance()],
      [request('C2', TOTAL - 1, 'paid_twice')],
    ],
    [
      'staff must decide about an order that was paid twice: nothing follows',
      'review',
      [balance(), second()],
      [],
    ],
    [
      'it was paid twice, and the second is under way: nothing follows',
      'completed',
      [balance(), second({ claimed: TOTAL })],
      [],
    ],
    [
      'the second payment was refused at the limit: staff are alerted, the tickets stay',
      'completed',
      [balance(), second(REFUSED_OFTEN)],
      [alert({ capture_id: 'C2', surplus: 'refund refused' })],
    ],
    [
      'a refund of ours failed after the order was closed: it is made anew',
      'refunded',
      [balance({ undone: 1, failed: 1 })],
      [
        move('reopenRefund', 'refund_failed_later'),
        alert({ left_cents: TOTAL }),
        request('C1', TOTAL, 'refund_failed_later'),
      ],
    ],
    [
      'it failed at the limit: staff decide',
      'refunded',
      [balance({ undone: 1, ...REFUSED_OFTEN })],
      [move('reopenRefund', 'refund_failed_later'), alert({ left_cents: TOTAL }), REVIEW],
    ],
    [
      'a payment of a closed order shows up: it goes back',
      'refunded',
      [returned(TOTAL), second()],
      [move('reopenRefund', 'paid_twice'), alert({ left_cents: TOTAL }), request('C2', TOTAL, 'paid_twice')],
    ],
    [
      'a capture of a closed order took more than was known: the rest goes back',
      'refunded',
      [returned(TOTAL, { taken: TOTAL + 10 })],
      [move('reopenRefund', 'remainder'), alert({ left_cents: 10 }), request('C1', 10, 'remainder')],
    ],
    [
      'the provider has undone its own refund: staff decide',
      'refunded',
      [balance({ undone: 1, failedAtProvider: 1 })],
      [move('reopenForReview', 'money_came_back')],
    ],
    [
      'the provider has undone its own refund of one of two payments: staff decide',
      'refunded',
      [balance({ failedAtProvider: 1 }), second()],
      [move('reopenForReview', 'money_came_back')],
    ],
    ['an order that was given up has nothing to send here', 'cancelled', [balance()], []],
  ])('%s', (_title, state, balances, actions) => {
    expect(planAfterImport(order(state), balances, [line(1, 490), line(2, 490)], [])).toEqual(actions)
  })

  describe('when a share of a cancelled offer failed', () => {
    const lines = [line(1, 490, { is_cancelled: true, is_requested: true }), line(2, 490)]
    const SHARE = 593

    test.each([0, 1])('it is requested again, and staff are alerted that it had been done', (failed) => {
      expect(planAfterImport(order(), [balance({ undone: 1, failed })], lines, [])).toEqual([
        alert({ left_cents: SHARE }),
        request('C1', SHARE, 'offer_cancelled'),
      ])
    })

    test('it is requested again without an alert where it was refused at once', () => {
      expect(planAfterImport(order(), [balance({ failed: 1 })], lines, [])).toEqual([
        request('C1', SHARE, 'offer_cancelled'),
      ])
    })

    test('what somebody sent at the provider since then counts', () => {
      const sent = balance({ failed: 1, returned: 200, claimed: 200, claimedSince: 200 })
      expect(planAfterImport(order(), [sent], lines, [])).toEqual([
        request('C1', SHARE - 200, 'offer_cancelled'),
      ])
    })

    test('what went back before the share was requested does not count', () => {
      const before = balance({ failed: 1, returned: 200, claimed: 200, claimedSince: 0 })
      expect(planAfterImport(order(), [before], lines, [])).toEqual([request('C1', SHARE, 'offer_cancelled')])
    })

    test('never more is requested than is left', () => {
      const few = balance({ failed: 1, returned: 1_000, claimed: 1_000, claimedSince: 0 })
      expect(planAfterImport(order(), [few], lines, [])).toEqual([request('C1', 186, 'offer_cancelled')])
    })

    test('nothing is requested while more went back than the provider lists', () => {
      expect(planAfterImport(order(), [balance({ failed: 1 })], lines, ['C1'])).toEqual([])
      expect(planAfterImport(order(), [balance({ failed: 1 })], lines, ['C2'])).toHaveLength(1)
    })

    test('nothing is requested without a failure', () => {
      expect(planAfterImport(order(), [balance()], lines, [])).toEqual([])
    })

    test('at the limit of refusals staff decide', () => {
      expect(planAfterImport(order(), [balance(REFUSED_OFTEN)], lines, [])).toEqual([REVIEW])
    })

    test('another payment that has taken the place of the first one owes the share', () => {
      const plan = planAfterImport(order(), [returned(TOTAL), second()], lines, [])
      expect(plan).toEqual([request('C2', SHARE, 'offer_cancelled')])
    })
  })
})

describe('an order whose offers were cancelled', () => {
  const cancelled = { is_cancelled: true }
  const asked = { is_cancelled: true, is_requested: true }

  test.each<[string, RefundableLine[], CaptureBalance[], number[], boolean, number[]]>([
    ['none was cancelled', [line(1, 490), line(2, 490)], [balance()], [], false, []],
    ['one of two was', [line(1, 490, cancelled), line(2, 490)], [balance()], [1], false, [593]],
    ['all were', [line(1, 490, cancelled), line(2, 490, cancelled)], [balance()], [1, 2], true, [TOTAL]],
    ['the second one too', [line(1, 490, asked), line(2, 490, cancelled)], [returned(593)], [2], true, [593]],
    ['it was requested before', [line(1, 490, asked), line(2, 490)], [returned(593)], [], false, []],
    ['all were, and it was requested before', [line(1, 490, asked)], [returned(593)], [], true, []],
    ['a part is back already', [line(1, 490, cancelled)], [returned(186)], [1], true, [1_000]],
    [
      'less than the share is left',
      [line(1, 490, cancelled), line(2, 490)],
      [returned(1_000)],
      [1],
      false,
      [186],
    ],
    ['all is back already', [line(1, 490, cancelled)], [returned(TOTAL)], [1], true, []],
    [
      'it was paid by two captures',
      [line(1, 490, cancelled)],
      [balance({ taken: 500 }), balance({ captureId: 'C2', taken: 686 })],
      [1],
      true,
      [500, 686],
    ],
    [
      'one of two was, and it was paid by two captures',
      [line(1, 490, cancelled), line(2, 490)],
      [balance({ taken: 500 }), balance({ captureId: 'C2', taken: 686 })],
      [1],
      false,
      [500, 93],
    ],
  ])('gets back what they cost: %s', (_title, lines, balances, due, isWhole, amounts) => {
    const plan = planCancellation(order(), balances, lines)
    expect(plan.due.map(({ offer_id }) => offer_id)).toEqual(due)
    expect(plan.isWhole).toBe(isWhole)
    const requests = amounts.map((amount, index) => request(`C${index + 1}`, amount, 'offer_cancelled'))
    expect(plan.actions).toEqual(requests)
  })

  test('shares of any prices, cancelled one after the other, add up to the total to the cent', () => {
    const prices = fc.array(fc.integer({ min: 1, max: 99_999 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(prices, fc.integer({ min: 0, max: 27 }), (list, percent) => {
        const net = list.reduce((sum, price) => sum + price, 0)
        const total = net + Number((BigInt(net) * BigInt(percent)) / 100n)
        const lines = list.map((price, index) => line(index, price))
        let back = 0
        for (const one of lines) {
          one.is_cancelled = true
          const so = { state: 'completed' as const, total_cents: total }
          const state = balance({ taken: total, returned: back, claimed: back, claimedSince: back })
          for (const action of planCancellation(so, [state], lines).actions)
            if (action.do === 'request') back += action.amount
          one.is_requested = true
          expect(back).toBe(requestedShare(so, lines))
        }
        expect(back).toBe(total)
      }),
    )
  })
})

test('a whole refund requests what is left of every capture', () => {
  const balances = [returned(186), balance({ captureId: 'C2' }), returned(TOTAL, { captureId: 'C3' })]
  expect(planWholeRefund(balances, 'staff_request')).toEqual([
    request('C1', 1_000, 'staff_request'),
    request('C2', TOTAL, 'staff_request'),
  ])
})

describe('sums', () => {
  test.each<[CaptureBalance[], boolean]>([
    [[], false],
    [[balance({ taken: 0 })], false],
    [[returned(TOTAL - 1)], false],
    [[returned(TOTAL)], true],
    [[returned(TOTAL), balance({ captureId: 'C2' })], false],
  ])('of %j all is returned: %s', (balances, expected) => {
    expect(isAllReturned(balances)).toBe(expected)
  })

  test('more than was taken is too much, all of it is not', () => {
    expect([returned(TOTAL), returned(TOTAL + 1)].map(isOverReturned)).toEqual([false, true])
  })

  test.each<[OrderToRefund['state'], CaptureBalance[], boolean]>([
    ['completed', [balance()], false],
    ['completed', [balance(), balance()], true],
    ['completed', [balance(), returned(TOTAL)], false],
    ['refunding', [balance(), balance()], false],
  ])('an order in %s with %j was paid twice: %s', (state, balances, expected) => {
    expect(isPaidTwice(order(state), balances)).toBe(expected)
  })
})

test('no plan ever requests more of a capture than is left of it', () => {
  const amount = fc.integer({ min: 0, max: 2_000 })
  const anyBalance = fc
    .record({
      taken: amount,
      returned: amount,
      claimed: amount,
      undone: fc.nat(2),
      failed: fc.nat(6),
      failedAtProvider: fc.nat(1),
    })
    .map(({ claimed, returned: back, ...rest }) =>
      balance({ ...rest, claimed: Math.min(claimed, rest.taken), returned: Math.min(back, claimed) }),
    )
  const state = fc.constantFrom<OrderToRefund['state']>('completed', 'refunding', 'refunded', 'review')
  fc.assert(
    fc.property(fc.array(anyBalance, { maxLength: 3 }), state, fc.boolean(), (list, now, isCancelled) => {
      const balances = list.map((one, index) => ({ ...one, captureId: `C${index}` }))
      const lines = [line(1, 500, { is_cancelled: isCancelled }), line(2, 686)]
      const plans = [
        planRemainder(balances),
        planAfterImport(order(now), balances, lines, []),
        planCancellation(order(now), balances, lines).actions,
        planWholeRefund(balances, 'staff_request'),
      ]
      for (const plan of plans)
        for (const { captureId, taken, claimed } of balances) {
          const sum = plan.reduce(
            (all, action) =>
              all + (action.do === 'request' && action.captureId === captureId ? action.amount : 0),
            0,
          )
          expect(sum).toBeLessThanOrEqual(Math.max(0, taken - claimed))
        }
    }),
  )
})
