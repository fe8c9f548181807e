import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProviderSide, providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { capturePayment } from '#features/checkout/server/capture-payment.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { PayPalRefund, PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import { importRefunds } from './import-refunds.ts'
import { ledgerRepository, ledgerWrites } from './ledger.repository.ts'
import { refundOrder } from './staff-refunds.routes.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'
import { orderWrites } from '#features/orders/server/index.ts'

let shop: TestShop
let there: ProviderSide

beforeAll(async () => {
  shop = await testShop()
  there = providerSide(shop)
})
afterAll(() => shop.close())

/** A paid ticket of €10 and its tax. */
const paidOrder = async () =>
  shop.paidOrder(1, 'buyer@buyer.test', await shop.newOffer({ price_cents: 1000 }))

describe('a refund of our own', () => {
  test('sends back only what is left when somebody was quicker at the provider', async () => {
    const { orderId, captureId, ours } = await paidOrder()
    await there.unnotified(() => there.giveBack(captureId, 'refund', '2.10'))
    // As staff will have it: the whole order goes back.
    await shop.db.transaction().execute(async (trx) => {
      await trx.updateTable('orders').set({ state: 'refunding' }).where('id', '=', ours.id).execute()
      await ledgerWrites(trx).requestRefund(captureId, ours.id, 1210, 'staff_request')
    })
    await sweepOrders(shop.checkout, 0)
    await sweepOrders(shop.checkout, 0)
    expect(await shop.orderState(orderId)).toBe('refunded')
    const returned = [...shop.paypal.book.refunds.values()].filter((one) => one.captureId === captureId)
    expect(returned.map((one) => one.cents)).toEqual([210, 1000])
    expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([
      { taken: 1210, returned: 1210, claimed: 1210 },
    ])
  })

  test('whose answer was lost is not imported as one of the provider’s', async () => {
    const { orderId, ours } = await there.unnotified(() => paidOrder())
    const paypal = shop.client
    const refundCapture: typeof paypal.refundCapture = async (...call) => {
      await paypal.refundCapture(...call)
      throw new ProviderUnknown('the line broke')
    }
    const losing = { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }
    await there.unnotified(() => refundOrder(losing, ours, { staffId: 1, note: 'asked for' }))
    await importRefunds(shop.checkout, ours.id, await shop.checkout.provider.readOrder(orderId))
    const rows = await shop.db
      .selectFrom('refunds')
      .select(['origin', 'status'])
      .where('order_id', '=', ours.id)
      .execute()
    expect(rows).toEqual([{ origin: 'shop', status: 'requested' }])
    expect((await reconcile(shop.checkout, ours.id)).state).toBe('refunded')
  })

  test('that meets its own request under way is in doubt, not refused', async () => {
    const { orderId } = await there.unnotified(() => shop.approvedOrder(1, 'tampered@buyer.test'))
    const ours = await shop.orderOf(orderId)
    let meets = true
    const paypal = shop.client
    const refundCapture: typeof paypal.refundCapture = (id, body, requestId) => {
      if (!meets) return paypal.refundCapture(id, body, requestId)
      meets = false
      const fault = { name: 'RESOURCE_CONFLICT', details: [{ issue: 'PREVIOUS_REQUEST_IN_PROGRESS' }] }
      return Promise.reject(new PayPalRefused(409, fault))
    }
    const meeting = { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }
    // A notification would have the money sent back before this test does.
    await there.unnotified(() =>
      expect(capturePayment(meeting, ours as never)).rejects.toMatchObject({ code: 'checkout.refunded' }),
    )
    expect(await shop.orderState(orderId)).toBe('refunding')
    expect((await reconcile(meeting, ours.id)).state).toBe('refunded')
    const rows = await shop.db
      .selectFrom('refunds')
      .select('status')
      .where('order_id', '=', ours.id)
      .execute()
    expect(rows).toEqual([{ status: 'completed' }])
  })

  test('refused again and again as being back already, while the provider shows no refund, is for staff', async () => {
    const { orderId, ours } = await there.unnotified(() => paidOrder())
    const paypal = shop.client
    const refundCapture: typeof paypal.refundCapture = () =>
      Promise.reject(new PayPalRefused(422, { name: 'CAPTURE_FULLY_REFUNDED' }))
    const refusing = { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }
    const tries = async () =>
      (await shop.db.selectFrom('refunds').select('status').where('order_id', '=', ours.id).execute()).map(
        ({ status }) => status,
      )
    await refundOrder(refusing, ours, { staffId: 1, note: 'asked for' })
    for (let look = 0; look < 10; look += 1) await reconcile(refusing, ours.id)
    expect(await shop.orderState(orderId)).toBe('review')
    expect(await tries()).toEqual(Array(5).fill('failed'))
    // The money is here, so the tickets stay.
    const tickets = await shop.pool.query('SELECT DISTINCT status FROM tickets WHERE order_id = $1', [
      ours.id,
    ])
    expect(tickets.rows).toEqual([{ status: 'valid' }])
    // Staff may try again, and it is sent when the provider has come to its senses.
    await refundOrder(shop.checkout, ours, { staffId: 1, note: 'asked for' })
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test.each<[string, (made: PayPalRefund) => void]>([
    ['another sum', (made) => (made.amount!.value = '0.01')],
    ['another currency', (made) => (made.amount!.currency_code = 'USD')],
    ['no sum', (made) => delete made.amount],
    ['another payment', (made) => (made.supplementary_data!.related_ids!.capture_id = 'SOMEBODYELSES')],
  ])('whose answer tells of %s is in doubt, and asked about by the same request', async (_, lie) => {
    const { orderId, captureId, ours } = await there.unnotified(() => paidOrder())
    const paypal = shop.client
    const refundCapture: typeof paypal.refundCapture = async (...call) => {
      const made = structuredClone(await there.unnotified(() => paypal.refundCapture(...call)))
      lie(made)
      return made
    }
    const lying = { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) }
    await refundOrder(lying, ours, { staffId: 1, note: 'asked for' })
    expect(await shop.orderState(orderId)).toBe('refunding')
    expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ returned: 0, claimed: 1210 }])
    expect((await reconcile(shop.checkout, ours.id)).state).toBe('refunded')
    const made = [...shop.paypal.book.refunds.values()].filter((one) => one.captureId === captureId)
    expect(made.map((one) => one.cents)).toEqual([1210])
  })

  /** A checkout whose provider's answers to refunds get lost, and how often it was asked for one. */
  function losingAnswers() {
    const paypal = shop.client
    const asked = { times: 0 }
    const refundCapture: typeof paypal.refundCapture = async (...call) => {
      asked.times += 1
      await there.unnotified(() => paypal.refundCapture(...call))
      throw new ProviderUnknown('the line broke')
    }
    return { asked, deps: { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture }) } }
  }

  const wishedAgo = (orderId: string, days: number) =>
    sql`UPDATE refunds SET created_at = now() - make_interval(days => ${days}) WHERE order_id = ${orderId}`.execute(
      shop.db,
    )

  test('that is pending is asked about by its id, and never sent again', async () => {
    const { captureId, orderId, ours } = await there.unnotified(() => paidOrder())
    const paypal = shop.client
    let sent = 0
    const theirs = () => [...shop.paypal.book.refunds.values()].filter((one) => one.captureId === captureId)
    const refundCapture: typeof paypal.refundCapture = async (...call) => {
      sent += 1
      const made = await there.unnotified(() => paypal.refundCapture(...call))
      theirs()[0]!.status = 'PENDING'
      return { ...made, status: 'PENDING' }
    }
    const client = { ...paypal, refundCapture }
    const pending = { ...shop.checkout, provider: paypalProvider(client) }
    await refundOrder(pending, ours, { staffId: 1, note: 'asked for' })
    expect((await reconcile(pending, ours.id)).state).toBe('refunding')
    await wishedAgo(ours.id, 46)
    const getRefund: typeof paypal.getRefund = () =>
      Promise.reject(new PayPalRefused(404, { name: 'RESOURCE_NOT_FOUND' }))
    const silent = { ...pending, provider: paypalProvider({ ...client, getRefund }) }
    expect((await reconcile(silent, ours.id)).state).toBe('refunding')
    theirs()[0]!.status = 'COMPLETED'
    expect((await reconcile(pending, ours.id)).state).toBe('refunded')
    expect(await shop.orderState(orderId)).toBe('refunded')
    expect({ sent, made: theirs().length }).toEqual({ sent: 1, made: 1 })
  })

  test('that is pending, and that nobody tells of any more in the end, is for staff', async () => {
    const { orderId, ours } = await there.unnotified(() => paidOrder())
    const paypal = shop.client
    let sent = 0
    const refundCapture: typeof paypal.refundCapture = async (...call) => {
      sent += 1
      return PayPalRefund.parse({ ...call[1], id: 'LOSTREFUND', status: 'PENDING' })
    }
    const getRefund: typeof paypal.getRefund = () =>
      Promise.reject(new PayPalRefused(403, { name: 'NOT_AUTHORIZED' }))
    const deps = { ...shop.checkout, provider: paypalProvider({ ...paypal, refundCapture, getRefund }) }
    await refundOrder(deps, ours, { staffId: 1, note: 'asked for' })
    await wishedAgo(ours.id, 43)
    expect((await reconcile(deps, ours.id)).state).toBe('refunding')
    await wishedAgo(ours.id, 45)
    expect((await reconcile(deps, ours.id)).state).toBe('review')
    expect(sent).toBe(1)
    await refundOrder(shop.checkout, await shop.orderOf(orderId), { staffId: 1, note: 'looked at' })
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('whose answer was lost longer ago than its request is remembered is found among those that are listed', async () => {
    const { captureId, ours } = await there.unnotified(() => paidOrder())
    const { deps, asked } = losingAnswers()
    await refundOrder(deps, ours, { staffId: 1, note: 'asked for' })
    await wishedAgo(ours.id, 43)
    expect((await reconcile(deps, ours.id)).state).toBe('refunding')
    expect(asked.times).toBe(2)
    await wishedAgo(ours.id, 45)
    expect((await reconcile(deps, ours.id)).state).toBe('refunded')
    expect(asked.times).toBe(2)
    const made = [...shop.paypal.book.refunds.values()].filter((one) => one.captureId === captureId)
    const rows = await shop.db.selectFrom('refunds').selectAll().where('order_id', '=', ours.id).execute()
    expect(rows).toMatchObject([{ status: 'completed', refund_id: made[0]?.id, origin: 'shop' }])
    expect(made).toHaveLength(1)
  })

  test('that nobody can tell of any more is for staff, and not sent again by itself', async () => {
    const { captureId, orderId, ours } = await there.unnotified(() => paidOrder())
    await shop.db
      .transaction()
      .execute((trx) => ledgerWrites(trx).requestRefund(captureId, ours.id, 500, 'staff_request'))
    await wishedAgo(ours.id, 45)
    const { deps, asked } = losingAnswers()
    await reconcile(deps, ours.id, { closedToo: true })
    expect(await shop.orderState(orderId)).toBe('review')
    expect(asked.times).toBe(0)
    await refundOrder(shop.checkout, await shop.orderOf(orderId), { staffId: 1, note: 'looked at' })
    expect(await shop.orderState(orderId)).toBe('refunded')
  })

  test('wished for by many at once is one wish', async () => {
    const { captureId, ours } = await paidOrder()
    const wish = () =>
      shop.db.transaction().execute(async (trx) => {
        await orderWrites(trx).lock(ours.id)
        await ledgerWrites(trx).requestRefund(captureId, ours.id, 1210, 'staff_request')
      })
    await Promise.all(Array.from({ length: 5 }, wish))
    expect(await ledgerRepository(shop.db).balances(ours.id)).toMatchObject([{ claimed: 1210, returned: 0 }])
  })
})

describe('without its guard', () => {
  /** Runs what must be refused, then again with the guard off in the same transaction, and leaves nothing of either. */
  async function withAndWithout(
    guard: string,
    act: (trx: Parameters<typeof ledgerWrites>[0]) => Promise<unknown>,
  ) {
    const undone = new Error('undone')
    const kept = shop.db.transaction().execute(async (trx) => {
      await act(trx)
      throw undone
    })
    await expect(kept).rejects.toMatchObject({ constraint: guard })
    let seen: unknown
    const open = shop.db.transaction().execute(async (trx) => {
      const table = guard.startsWith('captures') ? 'captures' : 'refunds'
      await sql`ALTER TABLE ${sql.table(table)} DROP CONSTRAINT ${sql.ref(guard)}`.execute(trx)
      seen = await act(trx)
      throw undone
    })
    await expect(open).rejects.toBe(undone)
    return seen
  }

  test('a capture is refunded twice', async () => {
    const { captureId, ours } = await paidOrder()
    const twice = async (trx: Parameters<typeof ledgerWrites>[0]) => {
      const said = { captureId, amount: 1210, status: 'completed' as const }
      await ledgerWrites(trx).importRefunds(ours.id, [{ ...said, id: 'R-1' }])
      await ledgerWrites(trx).requestRefund(captureId, ours.id, 1210, 'staff_request')
      return ledgerRepository(trx).balances(ours.id)
    }
    expect(await withAndWithout('captures_never_refunded_twice', twice)).toMatchObject([
      { taken: 1210, returned: 1210, claimed: 2420 },
    ])
  })

  test('one refund of the provider stands in the book twice', async () => {
    const { captureId, ours } = await paidOrder()
    const twice = async (trx: Parameters<typeof ledgerWrites>[0]) => {
      const row = {
        capture_id: captureId,
        order_id: ours.id,
        amount_cents: 100,
        reason: 'x',
        origin: 'provider',
      }
      const values = { ...row, attempt: null, refund_id: 'R-SAME' }
      await trx.insertInto('refunds').values(values).execute()
      await trx.insertInto('refunds').values(values).execute()
      return (await trx.selectFrom('refunds').select('id').where('refund_id', '=', 'R-SAME').execute()).length
    }
    expect(await withAndWithout('refunds_refund_id_key', twice)).toBe(2)
  })
})
