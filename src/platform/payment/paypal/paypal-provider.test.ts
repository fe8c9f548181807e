import { expect, test, vi } from 'vitest'
import { cents } from '#shared/money.ts'
import { decidingCapture } from '../payment-provider.ts'
import { PayPalCapture, type PayPalClient, PayPalOrder, PayPalRefused } from './paypal-client.ts'
import { PAYPAL_ISSUES } from './paypal-issues.ts'
import { paypalProvider, readNotification, readOrder } from './paypal-provider.ts'

const deciding = (...states: string[]): string | undefined =>
  decidingCapture(
    readOrder({
      id: 'ORDER',
      status: 'COMPLETED',
      purchase_units: [{ payments: { captures: states.map((status, at) => ({ id: `C${at}`, status })) } }],
    }),
  )?.id

test.each([
  [['DECLINED', 'PENDING'], 'C1'],
  [['PENDING', 'DECLINED'], 'C0'],
  [['PENDING', 'FAILED', 'DECLINED'], 'C0'],
  [['PENDING', 'COMPLETED', 'DECLINED'], 'C1'],
  [['REFUNDED', 'COMPLETED'], 'C1'],
  [['PENDING', 'REFUNDED'], 'C1'],
  [['DECLINED', 'FAILED'], 'C1'],
  [[], undefined],
])('of captures that are %j, the one that says how the order stands is %s', (states, id) => {
  expect(deciding(...states)).toBe(id)
})

test('a capture or a refund that is listed twice counts once, as it is told last', () => {
  const units = ['PENDING', 'COMPLETED'].map((status) => ({
    payments: { captures: [{ id: 'C', status }], refunds: [{ id: 'R', status }] },
  }))
  const { captures, refunds } = readOrder({ id: 'ORDER', status: 'COMPLETED', purchase_units: units })
  expect(captures).toMatchObject([{ id: 'C', status: 'completed' }])
  expect(refunds).toMatchObject([{ id: 'R', status: 'completed' }])
})

test.each(['', 'A\0B', 'x'.repeat(65)])('a capture with the id %j is not read', (id) => {
  expect(PayPalCapture.safeParse({ id, status: 'COMPLETED' }).success).toBe(false)
})

test.each([
  ['COMPLETED', 'completed'],
  ['PENDING', 'pending'],
  ['CANCELLED', 'failed'],
  ['FAILED', 'failed'],
  ['SOMETHING_NEW', 'pending'],
])('a refund that is %s there is %s, and its sum is sent as decimal text', async (status, expected) => {
  const refundCapture = vi.fn<PayPalClient['refundCapture']>(async () => ({ id: 'R', status }))
  const money = { amount: cents(590), currency: 'EUR' }
  const provider = paypalProvider({ refundCapture } as unknown as PayPalClient)
  const refund = await provider.refund({ captureId: 'C', money, note: 'x' }, 'request')
  expect(refund.status).toBe(expected)
  const amount = { currency_code: 'EUR', value: '5.90' }
  expect(refundCapture).toHaveBeenCalledWith('C', { amount, note_to_payer: 'x' }, 'request')
})

test('an order names our ids once each, its sums, and where the buyer approves', () => {
  const order = readOrder({
    id: 'ORDER',
    status: 'PAYER_ACTION_REQUIRED',
    links: [
      { rel: 'self', href: 'https://paypal.test/self' },
      { rel: 'approve', href: 'https://paypal.test/approve' },
    ],
    purchase_units: [
      {
        custom_id: 'ours',
        amount: { currency_code: 'EUR', value: '5.93' },
        payments: { captures: [{ id: 'C', status: 'SOMETHING_NEW', custom_id: 'ours' }] },
      },
      { amount: { currency_code: 'EUR', value: 'five' } },
    ],
  })
  expect(order).toMatchObject({
    status: 'awaiting_buyer',
    approvalUrl: 'https://paypal.test/approve',
    references: ['ours'],
    sums: [{ amount: 593, currency: 'EUR' }, undefined],
    captures: [{ status: 'unknown', money: undefined }],
  })
})

const country = (country_code: unknown) => ({ address: { country_code } })
test.each<[string, object, [string | undefined, string | undefined]]>([
  ['an account', { payer: country('FR'), payment_source: { paypal: country('FR') } }, ['FR', 'FR']],
  ['a bank', { payer: {}, payment_source: { bancontact: { country_code: 'BE' } } }, [undefined, 'BE']],
  ['a card', { payment_source: { card: { bin_details: { bin_country_code: 'NL' } } } }, [undefined, 'NL']],
  [
    'a card by its address',
    { payment_source: { card: { billing_address: { country_code: 'LU' } } } },
    [undefined, 'LU'],
  ],
  ['China', { payer: country('C2') }, ['CN', undefined]],
  ['an unknown form', { payer: 'x', payment_source: { card: null } }, [undefined, undefined]],
  [
    'no country',
    { payer: country('Belgium'), payment_source: { paypal: country(32) } },
    [undefined, undefined],
  ],
])('the countries of the payer are read: %s', (_what, more, [payer, fundingCountry]) => {
  const order = PayPalOrder.parse({ id: 'ORDER', status: 'COMPLETED', ...more })
  expect(readOrder(order).payer).toEqual({ country: payer, fundingCountry })
})

const refusalsOf = (status: number, fault: object) => {
  const refuse = () => Promise.reject(new PayPalRefused(status, { ...fault, debug_id: 'D' }))
  const provider = paypalProvider({ captureOrder: refuse, refundCapture: refuse } as unknown as PayPalClient)
  const money = { amount: cents(590), currency: 'EUR' }
  return {
    capture: () => provider.captureOrder('ORDER', 'request'),
    refund: () => provider.refund({ captureId: 'C', money, note: 'x' }, 'request'),
  }
}
const issues = (...names: string[]) => ({ details: names.map((issue) => ({ issue })) })

test.each<['capture' | 'refund', number, object, reason: string, code: string]>([
  ['capture', 422, issues('ORDER_ALREADY_CAPTURED'), 'already_captured', 'ORDER_ALREADY_CAPTURED'],
  ['capture', 422, { name: 'ORDER_COMPLETED_OR_VOIDED' }, 'already_captured', 'ORDER_COMPLETED_OR_VOIDED'],
  [
    'capture',
    422,
    { name: 'PAYPAL_REQUEST_ID_PREVIOUSLY_USED' },
    'request_reused',
    'PAYPAL_REQUEST_ID_PREVIOUSLY_USED',
  ],
  ['capture', 409, {}, 'in_progress', '409'],
  ['capture', 422, { name: 'DUPLICATE_REQUEST_ID' }, 'in_progress', 'DUPLICATE_REQUEST_ID'],
  ['capture', 404, { name: 'RESOURCE_NOT_FOUND' }, 'not_found', 'RESOURCE_NOT_FOUND'],
  ['capture', 422, issues('ORDER_NOT_APPROVED'), 'not_approved', 'ORDER_NOT_APPROVED'],
  ['capture', 422, issues('INSTRUMENT_DECLINED'), 'declined', 'INSTRUMENT_DECLINED'],
  ['capture', 422, issues(' instrument_declined '), 'declined', 'INSTRUMENT_DECLINED'],
  ['capture', 422, issues('PAYER_ACTION_REQUIRED'), 'payer_action', 'PAYER_ACTION_REQUIRED'],
  ['capture', 422, issues('TRANSACTION_REFUSED'), 'refused', 'TRANSACTION_REFUSED'],
  ['capture', 403, { name: 'NOT_AUTHORIZED' }, 'shop_fault', 'NOT_AUTHORIZED'],
  ['capture', 403, {}, 'shop_fault', '403'],
  ['capture', 403, issues('A_NEW_ONE'), 'shop_fault', 'A_NEW_ONE'],
  ['capture', 422, {}, 'other', '422'],
  ['capture', 422, { name: 'UNPROCESSABLE_ENTITY' }, 'other', 'UNPROCESSABLE_ENTITY'],
  [
    'capture',
    422,
    { name: 'A_NEW_ONE', ...issues('INSTRUMENT_DECLINED') },
    'declined',
    'INSTRUMENT_DECLINED',
  ],
  ['capture', 422, issues(`\0'"x`.repeat(50)), 'other', '_X'.repeat(32)],
  // The strictest counts, in whatever order they are named.
  ['capture', 422, issues('INSTRUMENT_DECLINED', 'TRANSACTION_REFUSED'), 'refused', 'TRANSACTION_REFUSED'],
  ['capture', 422, issues('A_NEW_ONE', 'INSTRUMENT_DECLINED'), 'other', 'A_NEW_ONE'],
  [
    'capture',
    422,
    issues('INSTRUMENT_DECLINED', 'PAYER_ACTION_REQUIRED'),
    'payer_action',
    'PAYER_ACTION_REQUIRED',
  ],
  [
    'capture',
    422,
    issues('TRANSACTION_REFUSED', 'ORDER_ALREADY_CAPTURED'),
    'already_captured',
    'ORDER_ALREADY_CAPTURED',
  ],
  ['refund', 422, issues('CAPTURE_FULLY_REFUNDED'), 'already_refunded', 'CAPTURE_FULLY_REFUNDED'],
  ['refund', 409, issues('REFUND_AMOUNT_EXCEEDED'), 'already_refunded', 'REFUND_AMOUNT_EXCEEDED'],
  ['refund', 422, issues('REFUND_TIME_LIMIT_EXCEEDED'), 'refused', 'REFUND_TIME_LIMIT_EXCEEDED'],
  ['refund', 422, issues('TRANSACTION_REFUSED'), 'other', 'TRANSACTION_REFUSED'],
])('a %s that is refused with %i %j is `%s` by %s', async (call, status, fault, reason, code) => {
  const expected = { name: 'ProviderRefused', reason, code, fault: { debug_id: 'D' } }
  await expect(refusalsOf(status, fault)[call]()).rejects.toMatchObject(expected)
})

test('no issue has two meanings for one call', () => {
  for (const reasons of Object.values(PAYPAL_ISSUES)) {
    const named = Object.values(reasons).flat()
    expect(named.toSorted()).toEqual([...new Set(named)].toSorted())
  }
})

test('a refusal tells where the buyer can act', async () => {
  const link = (rel: string, href: string) => ({ rel, href, method: 'GET' })
  const links = [
    link('information_link', 'https://paypal.test/doc'),
    link('payer-action', 'https://paypal.test/act'),
  ]
  const refused = (more: object) => refusalsOf(422, { ...issues('PAYER_ACTION_REQUIRED'), ...more }).capture()
  await expect(refused({ links })).rejects.toMatchObject({ actionUrl: 'https://paypal.test/act' })
  await expect(refused({ links: [link('payer-action', 'javascript:1')] })).rejects.toMatchObject({
    actionUrl: undefined,
  })
})

test.each([
  ['CHECKOUT.ORDER.APPROVED', { providerOrderId: 'X', concernsPaidOrders: false }],
  ['PAYMENT.CAPTURE.COMPLETED', { completedCaptureId: 'X', concernsPaidOrders: false }],
  ['PAYMENT.CAPTURE.REFUNDED', { completedCaptureId: undefined, concernsPaidOrders: true }],
])('a notification of %s is read', (event_type, expected) => {
  const read = readNotification({ id: 'WH-1', event_type, resource: { id: 'X' } })
  expect(read).toMatchObject({ id: 'WH-1', type: event_type, ...expected })
})

test('a notification finds its capture through the link of a refund, or what a dispute is about', () => {
  const of = (resource: object) => readNotification({ id: 'WH-1', event_type: 'X', resource })?.captureId
  const up = 'https://paypal.test/v2/payments/captures/CAP'
  expect(of({ links: [{ rel: 'up', href: up }] })).toBe('CAP')
  expect(of({ disputed_transactions: [{ seller_transaction_id: 'CAP' }] })).toBe('CAP')
  expect(of({ supplementary_data: { related_ids: { capture_id: 'CAP' } } })).toBe('CAP')
  expect(readNotification({ id: 'WH-1' })).toBeUndefined()
})

test.each([
  ['CHECKOUT.ORDER.APPROVED', 'order_approved'],
  ['PAYMENT.CAPTURE.DENIED', 'capture_declined'],
  ['CUSTOMER.DISPUTE.CREATED', 'dispute_opened'],
  ['SOMETHING.ELSE', 'other'],
  ['constructor', 'other'],
])('a notification of %s tells of %s', (type, kind) => {
  expect(paypalProvider({} as PayPalClient).notificationKind(type)).toBe(kind)
})
