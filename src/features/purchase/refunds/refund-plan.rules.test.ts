import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cents, taxInPart } from '#shared/money.ts'
import {
  type CaptureBalance,
  MAX_FAILED_REFUNDS,
  type OrderToRefund,
  type RefundAction,
  type RefundableLine,
  type RefundableOrder,
  type StaffRefundRequest,
  isAllReturned,
  isOverReturned,
  isPaidTwice,
  planAfterImport,
  planCancellation,
  planDone,
  planRefusal,
  planRemainder,
  planStaffRefund,
  planWholeRefund,
  requestedShare,
} from './refund-plan.rules.ts'

const TOTAL = 1_186

const order = (state: OrderToRefund['state'] = 'completed'): OrderToRefund => ({
  state,
  total_cents: TOTAL,
  currency: 'EUR',
})

/** A capture that paid the order and of which nothing went back, unless said otherwise. */
const balance = (change: Partial<CaptureBalance> = {}): CaptureBalance => ({
  captureId: 'C1',
  currency: 'EUR',
  captured: TOTAL,
  returned: 0,
  refunded: 0,
  refundedSince: 0,
  failedLater: 0,
  failed: 0,
  failedAtProvider: 0,
  ...change,
})
const returned = (amount: number, change: Partial<CaptureBalance> = {}) =>
  balance({ returned: amount, refunded: amount, refundedSince: amount, ...change })

const line = (offer_id: number, price: number, change: Partial<RefundableLine> = {}): RefundableLine => ({
  offer_id,
  title: `Contest ${offer_id}`,
  quantity: 1,
  unit_cents: price,
  returned: 0,
  is_cancelled: false,
  ...change,
})

/** Actions as texts: `C1 1186 remainder` for a request, `closeRefund staff_request` for a move. */
const textsOf = (actions: readonly RefundAction[]): string[] =>
  actions.map((action) => {
    if (action.do === 'request') return `${action.captureId} ${action.amount} ${action.reason}`
    if (action.do === 'move') return `${action.event} ${action.reason}`
    if (action.do === 'return') return `return ${JSON.stringify(action.lines)}`
    return `${action.do} ${JSON.stringify(action.details)}`
  })

const second = (change: Partial<CaptureBalance> = {}) => balance({ captureId: 'C2', ...change })
const AT_LIMIT = { failed: MAX_FAILED_REFUNDS }
const UNDER_WAY = { refunded: TOTAL }
const CLOSED = 'closeRefund refunded_at_provider'
const REVIEW = 'sendToReview refund_refused_repeatedly'
const REMAINDER = 'C1 1186 remainder'
const surplusOf = (captureId: string) => `alert {"capture_id":"${captureId}","surplus_cents":${TOTAL}}`
const OVER_ALERT = `alert {"capture_id":"C1","captured_cents":${TOTAL},"returned_cents":${TOTAL + 5}}`
const leftAlert = (amount: number) => `alert {"left_cents":${amount}}`

test.each<[string, CaptureBalance[], string[]]>([
  ['nothing went back', [balance()], [REMAINDER]],
  ['a part went back', [returned(186)], ['C1 1000 remainder']],
  ['all went back', [returned(TOTAL)], [CLOSED]],
  ['more than all went back', [returned(TOTAL + 5)], [CLOSED]],
  ['all is under way', [balance(UNDER_WAY)], []],
  ['a refund was refused once', [balance({ failed: 1 })], [REMAINDER]],
  ['refunds were refused one time below the limit', [balance({ failed: AT_LIMIT.failed - 1 })], [REMAINDER]],
  ['refunds were refused at the limit', [balance(AT_LIMIT)], [REVIEW]],
  ['refunds were refused at the limit, and all is back', [returned(TOTAL, AT_LIMIT)], [CLOSED]],
  ['of two captures one is back', [returned(TOTAL), second()], ['C2 1186 remainder']],
  ['refunds of one of two captures were refused at the limit', [second(), balance(AT_LIMIT)], [REVIEW]],
  ['nothing was captured', [balance({ captured: 0 })], ['sendToReview nothing_was_taken']],
  ['one capture took nothing, the other is under way', [balance({ captured: 0 }), second(UNDER_WAY)], []],
  ['no capture is known', [], []],
])('the rest of an order in `refunding` of which %s', (_, balances, actions) => {
  expect(textsOf(planRemainder(balances))).toEqual(actions)
})

const STAFF = ['sendToReview refund_refused']
test.each<[string, OrderToRefund['state'], string, 'lines' | 'amount' | null, string[]]>([
  ['an order that is going back to staff', 'refunding', 'staff_request', null, STAFF],
  ['a share to staff', 'completed', 'offer_cancelled', null, STAFF],
  ['the tickets of an order that was paid twice valid', 'completed', 'paid_twice', null, [surplusOf('C1')]],
  ['both payments of a refunded order to staff', 'refunding', 'paid_twice', null, STAFF],
  ['an order as it was of which staff wanted to refund tickets', 'completed', 'staff_request', 'lines', []],
  ['an order as it was of which staff wanted to refund a part', 'completed', 'staff_request', 'amount', []],
  ['an order that is going back, with a part, to staff', 'refunding', 'staff_request', 'amount', STAFF],
])('a refund that the provider refused leaves %s', (_, state, reason, part, actions) => {
  const refund = { capture_id: 'C1', amount_cents: TOTAL, reason, part }
  expect(textsOf(planRefusal(order(state), refund, 'refund_refused'))).toEqual(actions)
})

test.each<[string, CaptureBalance[], string[]]>([
  ['all of it', [returned(TOTAL)], ['closeRefund staff_request']],
  ['a part of it', [returned(TOTAL - 1)], []],
  ['one of two captures', [returned(TOTAL), second()], []],
])('a refund that is done closes the order when %s is back', (_, balances, actions) => {
  expect(textsOf(planDone(balances, 'staff_request'))).toEqual(actions)
})

test('a refund of tickets that is done returns them, unless the order closes', () => {
  const parts = [{ offer_id: 1, quantity: 1 }]
  const text = 'return [{"offer_id":1,"quantity":1}]'
  expect(textsOf(planDone([returned(593)], 'staff_request', parts))).toEqual([text])
  expect(textsOf(planDone([returned(TOTAL)], 'staff_request', parts))).toEqual(['closeRefund staff_request'])
})

describe('after an import', () => {
  const OVER = returned(TOTAL + 5)
  const PART = { returned: 186, refunded: 186 }
  const MORE = { captured: TOTAL + 10 }
  const UNDONE = { failedLater: 1, failed: 1 }
  const TO_STAFF = ['reopenForReview money_came_back']
  const REOPENED = ['reopenRefund refund_failed_later', leftAlert(TOTAL)]

  test.each<[OrderToRefund['state'], string, CaptureBalance[], string[]]>([
    ['completed', 'a part is back', [returned(186)], []],
    ['completed', 'all is back', [returned(TOTAL)], [CLOSED]],
    ['refunding', 'all is back', [returned(TOTAL)], [CLOSED]],
    ['review', 'all is back', [returned(TOTAL)], ['resolveReview refunded_at_provider']],
    ['review', 'a part is back', [returned(186)], []],
    ['refunded', 'all is back', [returned(TOTAL)], []],
    ['completed', 'more is back than was captured', [OVER], [OVER_ALERT, CLOSED]],
    ['completed', 'it was paid twice', [balance(), second()], ['C2 1186 paid_twice']],
    // The payment stays of which most is back.
    ['completed', 'a second payment is partly back', [balance(), second(PART)], ['C1 1186 paid_twice']],
    // The payment of the right amount stays.
    ['completed', 'a first payment was too small', [second({ captured: 9 }), balance()], ['C2 9 paid_twice']],
    ['review', 'it was paid twice', [balance(), second()], []],
    ['completed', 'the second payment is on its way back', [balance(), second(UNDER_WAY)], []],
    ['completed', 'that refund was refused at the limit', [balance(), second(AT_LIMIT)], [surplusOf('C2')]],
    ['refunded', 'our refund failed later', [balance(UNDONE)], [...REOPENED, 'C1 1186 refund_failed_later']],
    ['refunded', 'it failed at the limit', [balance({ ...UNDONE, ...AT_LIMIT })], [...REOPENED, REVIEW]],
    [
      'refunded',
      'another payment shows up',
      [returned(TOTAL), second()],
      ['reopenRefund paid_twice', leftAlert(TOTAL), 'C2 1186 paid_twice'],
    ],
    [
      'refunded',
      'its capture took more than was known',
      [returned(TOTAL, MORE)],
      ['reopenRefund remainder', leftAlert(10), 'C1 10 remainder'],
    ],
    [
      'refunded',
      'the provider undid its refund',
      [balance({ failedLater: 1, failedAtProvider: 1 })],
      TO_STAFF,
    ],
    ['refunded', 'it undid that of one of two', [balance({ failedAtProvider: 1 }), second()], TO_STAFF],
    ['cancelled', 'nothing is back', [balance()], []],
  ])('an order in `%s` of which %s', (state, _, balances, actions) => {
    const plan = planAfterImport(order(state), balances, [line(1, 490), line(2, 490)], [])
    expect(textsOf(plan)).toEqual(actions)
  })

  const AGAIN = 'C1 593 offer_cancelled'
  const partly = (amount: number, refundedSince: number) =>
    balance({ failed: 1, returned: amount, refunded: amount, refundedSince })

  test.each<[string, CaptureBalance[], unlisted: string[], string[]]>([
    ['after it was done', [balance(UNDONE)], [], [leftAlert(593), AGAIN]],
    ['at the provider, which had made it', [balance({ failedLater: 1 })], [], [leftAlert(593), AGAIN]],
    ['at once', [balance({ failed: 1 })], [], [AGAIN]],
    ['and a part was sent at the provider since then', [partly(200, 200)], [], ['C1 393 offer_cancelled']],
    ['after a part had gone back', [partly(200, 0)], [], [AGAIN]],
    ['and less than it is left', [partly(1_000, 0)], [], ['C1 185 offer_cancelled']],
    ['and more went back than the provider lists', [balance({ failed: 1 })], ['C1'], []],
    ['and more of another capture went back than is listed', [balance({ failed: 1 })], ['C2'], [AGAIN]],
    ['never', [balance()], [], []],
    ['at the limit', [balance(AT_LIMIT)], [], [REVIEW]],
    ['and another payment took its place', [returned(TOTAL), second()], [], ['C2 593 offer_cancelled']],
  ])('the share of a cancelled offer that failed %s', (_, balances, unlisted, actions) => {
    const lines = [line(1, 490, { is_cancelled: true, returned: 1 }), line(2, 490)]
    expect(textsOf(planAfterImport(order(), balances, lines, unlisted))).toEqual(actions)
  })
})

describe('an order whose offers were cancelled', () => {
  const cancelled = (id: number) => line(id, 490, { is_cancelled: true })
  const asked = line(1, 490, { is_cancelled: true, returned: 1 })
  const other = line(2, 490)
  const byTwo = [balance({ captured: 500 }), second({ captured: 686 })]

  test.each<[string, RefundableLine[], CaptureBalance[], number[], boolean, number[]]>([
    ['none was cancelled', [line(1, 490), other], [balance()], [], false, []],
    ['one of two was', [cancelled(1), other], [balance()], [1], false, [593]],
    ['all were', [cancelled(1), cancelled(2)], [balance()], [1, 2], true, [TOTAL]],
    ['the second one too', [asked, cancelled(2)], [returned(593)], [2], true, [593]],
    ['it was requested before', [asked, other], [returned(593)], [], false, []],
    ['all were, and it was requested before', [asked], [returned(593)], [], true, []],
    ['a part is back already', [cancelled(1)], [returned(186)], [1], true, [1_000]],
    // The cent keeps the other tickets valid.
    ['less than the share is left', [cancelled(1), other], [returned(1_000)], [1], false, [185]],
    ['a cent is left', [cancelled(1), other], [returned(TOTAL - 1)], [1], false, []],
    ['all is back already', [cancelled(1)], [returned(TOTAL)], [1], true, []],
    ['it was paid by two captures', [cancelled(1)], byTwo, [1], true, [500, 686]],
    ['one of two was, and it was paid by two captures', [cancelled(1), other], byTwo, [1], false, [500, 93]],
  ])('gets back what they cost: %s', (_, lines, balances, due, isWhole, amounts) => {
    const plan = planCancellation(order(), balances, lines)
    expect(plan.due.map(({ offer_id }) => offer_id)).toEqual(due)
    expect(plan.isWhole).toBe(isWhole)
    const requests = amounts.map((amount, index) => `C${index + 1} ${amount} offer_cancelled`)
    expect(textsOf(plan.actions)).toEqual(requests)
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
          const so = { state: 'completed' as const, total_cents: total, currency: 'EUR' }
          const state = balance({ captured: total, returned: back, refunded: back, refundedSince: back })
          for (const action of planCancellation(so, [state], lines).actions)
            if (action.do === 'request') back += action.amount
          one.returned = 1
          expect(back).toBe(requestedShare(so, lines))
        }
        expect(back).toBe(total)
      }),
    )
  })
})

describe('a refund by staff', () => {
  const WHOLE: StaffRefundRequest = { kind: 'whole' }
  const part = (amount: number): StaffRefundRequest => ({ kind: 'amount', amount: cents(amount) })
  const tickets = (...parts: [offer_id: number, quantity: number][]): StaffRefundRequest => ({
    kind: 'lines',
    lines: parts.map(([offer_id, quantity]) => ({ offer_id, quantity })),
  })
  const THREE = line(1, 200, { quantity: 3 })
  const ONE = line(2, 380)
  /** A paid order of 11.86 for three tickets of 2.00 and one of 3.80, without VAT. */
  const paid = (change: Partial<RefundableOrder> = {}): RefundableOrder => ({
    order: order(),
    balances: [balance()],
    lines: [THREE, ONE],
    validTickets: 4,
    hasOpenRefund: false,
    ...change,
  })
  const goodwill = (amount: number) => balance({ returned: amount, refunded: amount })

  test.each<
    [string, StaffRefundRequest, Partial<RefundableOrder>, string[], number, string, string | undefined]
  >([
    ['all', WHOLE, {}, ['C1 1186 staff_request'], 0, 'refunded', 'takenBack'],
    [
      'all of two captures',
      WHOLE,
      { balances: [returned(186), second()] },
      ['C1 1000 staff_request', 'C2 1186 staff_request'],
      0,
      'refunded',
      'takenBack',
    ],
    [
      'all after a part',
      WHOLE,
      { balances: [goodwill(500)] },
      ['C1 686 staff_request'],
      0,
      'refunded',
      'takenBack',
    ],
    [
      'all of an order in review',
      WHOLE,
      { order: order('review') },
      ['C1 1186 staff_request'],
      0,
      'refunded',
      'takenBack',
    ],
    [
      'all of one in review without tickets',
      WHOLE,
      { order: order('review'), validTickets: 0 },
      ['C1 1186 staff_request'],
      0,
      'refunded',
      undefined,
    ],
    [
      'all of one whose refund failed later',
      WHOLE,
      { order: order('review'), validTickets: 0, balances: [balance({ failedLater: 1 })] },
      ['C1 1186 staff_request'],
      0,
      'refunded',
      'sentAgain',
    ],
    [
      'all of one that was paid too late',
      WHOLE,
      { order: order('expired'), validTickets: 0 },
      ['C1 1186 staff_request'],
      0,
      'refunded',
      'paidLate',
    ],
    [
      'all of one in review while another refund is open',
      WHOLE,
      { order: order('review'), balances: [balance({ refunded: 500 })], hasOpenRefund: true },
      ['C1 686 staff_request'],
      0,
      'refunded',
      'takenBack',
    ],
    ['an amount', part(500), {}, ['C1 500 staff_request'], 686, 'completed', 'partRefunded'],
    [
      'an amount after another',
      part(500),
      { balances: [goodwill(500)] },
      ['C1 500 staff_request'],
      186,
      'completed',
      'partRefunded',
    ],
    ['all but a cent', part(1_185), {}, ['C1 1185 staff_request'], 1, 'completed', 'partRefunded'],
    [
      'one of three tickets',
      tickets([1, 1]),
      {},
      ['C1 242 staff_request'],
      944,
      'completed',
      'ticketsRefunded',
    ],
    [
      'the second of three',
      tickets([1, 1]),
      { lines: [{ ...THREE, returned: 1 }, ONE], balances: [returned(242)] },
      ['C1 242 staff_request'],
      702,
      'completed',
      'ticketsRefunded',
    ],
    [
      'the third of three',
      tickets([1, 1]),
      { lines: [{ ...THREE, returned: 2 }, ONE], balances: [returned(484)] },
      ['C1 242 staff_request'],
      460,
      'completed',
      'ticketsRefunded',
    ],
    ['a line', tickets([2, 1]), {}, ['C1 460 staff_request'], 726, 'completed', 'ticketsRefunded'],
    [
      'tickets of two lines',
      tickets([1, 2], [2, 1]),
      {},
      ['C1 944 staff_request'],
      242,
      'completed',
      'ticketsRefunded',
    ],
    [
      'a line beside a cancelled one',
      tickets([1, 1]),
      { lines: [THREE, line(2, 380, { is_cancelled: true, returned: 1 })], balances: [returned(460)] },
      ['C1 242 staff_request'],
      484,
      'completed',
      'ticketsRefunded',
    ],
    ['all tickets', tickets([1, 3], [2, 1]), {}, ['C1 1186 staff_request'], 0, 'refunded', 'takenBack'],
    [
      'all tickets that are left',
      tickets([2, 1]),
      { lines: [{ ...THREE, returned: 3 }, ONE], balances: [returned(726)] },
      ['C1 460 staff_request'],
      0,
      'refunded',
      'takenBack',
    ],
  ])('of %s', (_, wanted, change, actions, leftAfter, stateAfter, email) => {
    const plan = planStaffRefund(paid(change), wanted)
    if ('refused' in plan) throw new Error(plan.refused)
    expect(textsOf(plan.actions)).toEqual(actions)
    expect(plan).toMatchObject({ leftAfter, stateAfter, left: plan.amount + leftAfter })
    expect(plan.email).toBe(email)
  })

  test.each<[string, StaffRefundRequest, Partial<RefundableOrder>, string, number]>([
    ['an order that holds tickets', WHOLE, { order: order('held') }, 'notRefundable', TOTAL],
    ['an order that is going back', WHOLE, { order: order('refunding') }, 'notRefundable', TOTAL],
    ['an expired order without money', WHOLE, { order: order('expired'), balances: [] }, 'notRefundable', 0],
    ['an amount of an order in review', part(100), { order: order('review') }, 'onlyWhole', TOTAL],
    ['tickets of an order in review', tickets([1, 1]), { order: order('review') }, 'onlyWhole', TOTAL],
    ['an amount of one that was paid too late', part(100), { order: order('cancelled') }, 'onlyWhole', TOTAL],
    ['all while a part is on its way', WHOLE, { hasOpenRefund: true }, 'inProgress', TOTAL],
    ['an amount while another refund is open', part(100), { hasOpenRefund: true }, 'inProgress', TOTAL],
    [
      'all tickets while another refund is open',
      tickets([1, 3], [2, 1]),
      { hasOpenRefund: true },
      'inProgress',
      TOTAL,
    ],
    ['more than was paid', part(TOTAL + 1), {}, 'notEnoughLeft', TOTAL],
    ['more than is left', part(687), { balances: [goodwill(500)] }, 'notEnoughLeft', 686],
    [
      'more than the payment has left, of an order paid twice',
      part(900),
      { balances: [goodwill(500), second()] },
      'notEnoughLeft',
      686,
    ],
    ['exactly what is left', part(686), { balances: [goodwill(500)] }, 'takesAll', 686],
    [
      'tickets that cost more than is left',
      tickets([2, 1]),
      { balances: [goodwill(1_000)] },
      'notEnoughLeft',
      186,
    ],
    ['tickets that cost what is left', tickets([2, 1]), { balances: [goodwill(726)] }, 'takesAll', 460],
    ['tickets of another contest', tickets([9, 1]), {}, 'noSuchTickets', TOTAL],
    ['more tickets than were bought', tickets([1, 4]), {}, 'noSuchTickets', TOTAL],
    [
      'tickets that are returned',
      tickets([1, 2]),
      { lines: [{ ...THREE, returned: 2 }, ONE] },
      'noSuchTickets',
      TOTAL,
    ],
    ['an amount of which no capture is known', part(100), { balances: [] }, 'notEnoughLeft', 0],
  ])('of %s is refused', (_, wanted, change, refused, left) => {
    expect(planStaffRefund(paid(change), wanted)).toEqual({ refused, left })
  })

  test('of all tickets one by one, between amounts for none, adds up to the total and its VAT to the cent', () => {
    const lists = fc.array(
      fc.record({ price: fc.integer({ min: 1, max: 99_999 }), quantity: fc.integer({ min: 1, max: 4 }) }),
      { minLength: 1, maxLength: 3 },
    )
    fc.assert(
      fc.property(
        lists,
        fc.integer({ min: 0, max: 27 }),
        fc.infiniteStream(fc.boolean()),
        (list, percent, gifts) => {
          const net = list.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
          const tax = Math.floor((net * percent) / 100)
          const bill = { total_cents: net + tax, tax_cents: tax, currency: 'EUR' }
          const lines = list.map(({ price, quantity }, index) => line(index, price, { quantity }))
          let [back, backTax, given] = [0, 0, 0]
          const refund = (wanted: StaffRefundRequest): number => {
            const balances = [balance({ captured: bill.total_cents, returned: back, refunded: back })]
            const plan = planStaffRefund(
              paid({ order: { state: 'completed', ...bill }, balances, lines }),
              wanted,
            )
            if ('refused' in plan) return 0
            expect(plan.left).toBe(bill.total_cents - back)
            backTax += taxInPart({ total: bill.total_cents, tax }, back, plan.amount)
            back += plan.amount
            return plan.amount
          }
          for (const one of lines)
            while (one.returned < one.quantity) {
              if (gifts.next().value) given += refund({ kind: 'amount', amount: cents(1) })
              const paidBack = refund({ kind: 'lines', lines: [{ offer_id: one.offer_id, quantity: 1 }] })
              // What is left can be less than the ticket cost, or just that: then all of it goes back at once.
              if (paidBack === 0) refund({ kind: 'whole' })
              if (back === bill.total_cents) break
              one.returned += 1
              expect(back).toBe(requestedShare(bill, lines) + given)
            }
          expect([back, backTax]).toEqual([bill.total_cents, tax])
        },
      ),
    )
  })
})

test('a whole refund requests what is left of every capture', () => {
  const balances = [returned(186), second(), returned(TOTAL, { captureId: 'C3' })]
  const requests = ['C1 1000 staff_request', 'C2 1186 staff_request']
  expect(textsOf(planWholeRefund(balances, 'staff_request'))).toEqual(requests)
})

describe('sums', () => {
  test.each<[CaptureBalance[], boolean]>([
    [[], false],
    [[balance({ captured: 0 })], false],
    [[returned(TOTAL - 1)], false],
    [[returned(TOTAL)], true],
    [[returned(TOTAL), second()], false],
  ])('of %j all is returned: %s', (balances, expected) => {
    expect(isAllReturned(balances)).toBe(expected)
  })

  test('more than was captured is too much, all of it is not', () => {
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

test('no plan refunds all of an order in which tickets stay valid', () => {
  const cases = fc.record({
    refunded: fc.integer({ min: 0, max: TOTAL }),
    refundedSince: fc.nat(TOTAL),
    failed: fc.nat(4),
    returned: fc.nat(1),
  })
  fc.assert(
    fc.property(cases, ({ refunded, refundedSince, failed, returned: back }) => {
      const balances = [balance({ refunded, returned: refunded, refundedSince, failed })]
      const lines = [line(1, 500, { is_cancelled: true, returned: back }), line(2, 686)]
      const plans = [
        planCancellation(order(), balances, lines).actions,
        planAfterImport(order(), balances, lines, []).filter((one) => one.do === 'request'),
      ]
      const amounts = plans.map((plan) =>
        plan.reduce((sum, one) => sum + (one.do === 'request' ? one.amount : 0), 0),
      )
      expect(Math.max(...amounts)).toBeLessThan(Math.max(1, TOTAL - refunded))
    }),
  )
})

test('no plan ever requests more of a capture than is left of it', () => {
  const amount = fc.integer({ min: 0, max: 2_000 })
  const anyBalance = fc
    .record({
      captured: amount,
      returned: amount,
      refunded: amount,
      failedLater: fc.nat(2),
      failed: fc.nat(6),
      failedAtProvider: fc.nat(1),
    })
    .map(({ refunded, returned: back, ...rest }) =>
      balance({ ...rest, refunded: Math.min(refunded, rest.captured), returned: Math.min(back, refunded) }),
    )
  const state = fc.constantFrom<OrderToRefund['state']>('completed', 'refunding', 'refunded', 'review')
  fc.assert(
    fc.property(fc.array(anyBalance, { maxLength: 3 }), state, fc.boolean(), (list, now, is_cancelled) => {
      const balances = list.map((one, index) => ({ ...one, captureId: `C${index}` }))
      const lines = [line(1, 500, { is_cancelled }), line(2, 686)]
      const plans = [
        planRemainder(balances),
        planAfterImport(order(now), balances, lines, []),
        planCancellation(order(now), balances, lines).actions,
        planWholeRefund(balances, 'staff_request'),
      ]
      for (const plan of plans)
        for (const { captureId, captured, refunded } of balances) {
          const own = plan.flatMap((one) => (one.do === 'request' && one.captureId === captureId ? one : []))
          const sum = own.reduce((all, { amount }) => all + amount, 0)
          expect(sum).toBeLessThanOrEqual(Math.max(0, captured - refunded))
        }
    }),
  )
})
