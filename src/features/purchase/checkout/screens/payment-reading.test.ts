import { describe, expect, test } from 'vitest'
import type { ApiFailure } from '#client/api-error.ts'
import { type OrderStatus, PAYMENT_REFUSALS } from '#features/purchase/checkout/checkout.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import {
  type OrderReading,
  changedTax,
  holdRefusal,
  holdState,
  pollDelayMs,
  readCapture,
  readCaptureFailure,
  readProgress,
  readRefusal,
  returnMessage,
  spokenMinutes,
  timeLeft,
} from './payment-reading.ts'

const ticket = { id: 'a', ticket_number: '07' } as Ticket

const failure = (status: number, more: Partial<ApiFailure> = {}): ApiFailure => {
  return { status, message: 'why', network: status === 0, ...more }
}

test.each([
  ['COMPLETED', [ticket], { result: 'paid', tickets: [ticket] }],
  ['COMPLETED', [], { result: 'unknown' }],
  ['PENDING', [], { result: 'unknown' }],
])('a capture is paid only with numbers: %s with %j', (status, tickets, expected) => {
  expect(readCapture({ status, tickets })).toEqual(expected)
})

test.each([0, 408, 429, 500, 502, 503, 504])(
  'a capture that failed with %i has an unknown outcome',
  (status) => {
    expect(readCaptureFailure(failure(status))).toEqual({ result: 'unknown' })
  },
)

const final = {
  code: 'checkout.refused',
  detail: 'For good.',
  body: { details: [{ issue: 'TRANSACTION_REFUSED', description: 'Refused.' }], debug_id: 'f00d' },
}
const gone = { code: 'checkout.takenBack', detail: 'why' }
const refused = { result: 'refused', message: 'For good.', reference: 'f00d' }
const toAct = (refusal: string): [ApiFailure, object] => [
  failure(422, { code: `checkout.${refusal}` }),
  { result: 'toAct', refusal },
]
test.each<[string, ApiFailure, object]>([
  ['an instrument that another one may replace', ...toAct('declined')],
  ['an action at the provider', ...toAct('payerAction')],
  ['a missing approval', ...toAct('notApproved')],
  ['a final refusal with its reference', failure(422, final), refused],
  ['an order that was paid and refunded', failure(409, gone), { result: 'takenBack' }],
  ['a plain refusal', failure(409, { detail: 'why' }), { result: 'refused', message: 'why' }],
])('a failed capture is read: %s', (_, failed, expected) => {
  expect(readCaptureFailure(failed)).toEqual(expected)
})

test.each(PAYMENT_REFUSALS)('a refusal %s that a status names has its text', (refusal) => {
  const end = readRefusal(refusal)
  const isToAct = ['declined', 'payerAction', 'notApproved'].includes(refusal)
  expect(end).toMatchObject({ result: isToAct ? 'toAct' : 'refused', refusal })
  expect(returnMessage(refusal)).toBe(`errors.checkout.${refusal}`)
})

test.each<[OrderStatus['progress'], Ticket[], OrderReading]>([
  ['confirming', [], 'wait'],
  ['open', [], 'retryCapture'],
  ['completed', [ticket], 'paid'],
  ['completed', [], 'wait'],
  ['refunded', [], 'refunded'],
  ['takenBack', [], 'takenBack'],
  ['closed', [], 'closed'],
  ['refused', [], 'refused'],
  ['review', [], 'review'],
])('an order that is %s with tickets %j reads %s', (progress, tickets, expected) => {
  expect(readProgress({ progress, tickets })).toBe(expected)
})

test('the delay between two polls grows', () => {
  expect([0, 1, 2, 3, 100].map(pollDelayMs)).toEqual([1000, 2000, 3000, 5000, 15_000])
})

test('a changed tax is read only when the response names all figures', () => {
  const figures = { subtotal: '10.00', tax_amount: '2.10', total: '12.10', tax_rate: 21 }
  expect(changedTax(failure(409, { body: { ...figures, detail: 'why' } }))).toEqual(figures)
  for (const body of [{ ...figures, total: 'a lot' }, { ...figures, tax_rate: '21' }, undefined])
    expect(changedTax(failure(409, { body }))).toBeUndefined()
})

test('a refused hold names the contest and the tickets that can be had, other refusals do not', () => {
  const body = { offer_id: 3, available: 50 }
  const limit = (code: string, sent: object) => holdRefusal(failure(409, { code, body: sent })).limit
  expect(limit('offer.holdLimit', body)).toEqual({ offerId: 3, available: 50 })
  expect(limit('offer.fewFree', body)).toBeUndefined()
  expect(limit('offer.holdLimit', { available: 50 })).toBeUndefined()
})

test.each([
  [20, { kind: 'running' }],
  [3, { kind: 'soon', minutes: 3 }],
  [0.5, { kind: 'soon', minutes: 1 }],
  [0, { kind: 'over' }],
])('a hold with %d minutes left', (minutes, expected) => {
  const end = '2026-11-01T12:00:00Z'
  expect(holdState(end, Date.parse(end) - minutes * 60_000)).toEqual(expected)
})

describe('the time left', () => {
  test.each([
    [20 * 60_000, '20:00', 1_000],
    [19 * 60_000 + 1, '19:01', 1],
    [60_000, '01:00', 1_000],
    [1_500, '00:02', 500],
    [0, '00:00', 1_000],
    [-60_000, '00:00', 1_000],
  ])('of %i ms is %s, rounded up to seconds', (left, text, nextMs) => {
    expect(timeLeft(left)).toMatchObject({ text, nextMs })
  })

  test('is said aloud at five minutes and at one, and not what was over before', () => {
    const said = (from: number) =>
      [...new Set(Array.from({ length: from }, (_, passed) => spokenMinutes(from - passed, from)))].filter(
        (minutes) => minutes !== undefined,
      )
    expect([said(1_200), said(301), said(300), said(60)]).toEqual([[5, 1], [5, 1], [1], []])
  })
})

test.each([
  ['declined', 'errors.checkout.declined'],
  ['wait', 'checkout.returned.wait'],
  ['holdExpired', 'errors.checkout.holdExpired'],
  ['', 'checkout.returned.failed'],
  ['toString', 'checkout.returned.failed'],
  ['__proto__', 'checkout.returned.failed'],
])('a return because of %j shows %s', (reason, message) => {
  expect(returnMessage(reason)).toBe(message)
})
