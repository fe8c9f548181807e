import { nowMs } from '#shared/clock.ts'
import path from 'node:path'
import { expect } from 'vitest'
import { cancelAndRefund, cancellation } from '#features/purchase/refunds/server/cancelled-offers.ts'
import { requestStaffRefund, sendNow } from '#features/purchase/refunds/server/index.ts'
import { ledgerWrites } from '#features/purchase/refunds/server/ledger.repository.ts'
import { orderWrites } from '#features/purchase/orders/server/index.ts'
import { numberPermutation } from '#features/tickets/server/number-permutation.ts'
import { newId } from '#platform/ids.ts'
import { cents } from '#shared/money.ts'
import type { Trx } from '#platform/database.ts'
import { type ProviderLedger, checkInvariants, readInvariants } from '#platform/invariants.ts'
import type { PaymentProvider, ProviderOrder } from '#platform/payment/payment-provider.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'
import { providerSide } from '../../../../../test/support/provider-side.ts'
import { type ShopOptions, openShop } from '../../../../../test/support/shop.ts'
import { reconcileLedger } from './ledger-reconciliation.ts'
import type { NotificationDeps } from './notifications.ts'
import { watchPayments } from './payment-alerts.repository.ts'
import { reconcile } from './reconcile.ts'
import { recoverPayments } from './payment-recovery.ts'

const INVARIANTS = path.resolve(import.meta.dirname, '../../../../../db/invariants.sql')

/**
 * A shop, and the tools to change the provider's side, run the jobs and read the result. `orderId` is the provider's id
 * of an order. Unless it `notifies`, the provider sends no notification, which may settle an order in the middle of a test.
 */
export async function openPaymentShop({ notifies, ...options }: ShopOptions & { notifies?: boolean } = {}) {
  const shop = await openShop(options)
  if (!notifies) shop.paypal.faults.change({ missingWebhooks: 1 })
  const { book } = shop.paypal
  const atProvider = providerSide(shop)
  const provider = paypalProvider(shop.client)

  const run = async (statement: string, values: unknown[] = []) =>
    (await shop.pool.query(statement, values)).rows
  /** Rows as texts. */
  const list = async (statement: string, id: string): Promise<string[]> =>
    (await run(statement, [id])).map((row) => Object.values(row).join(' '))
  const rowsOf = (id: string, table: string, columns: string, order = 'id') =>
    list(`SELECT ${columns} FROM ${table} WHERE order_id = $1 ORDER BY ${order}`, id)
  /** Reason codes of an order's events. */
  const reasonsOf = async (orderId: string) =>
    rowsOf((await shop.orderOf(orderId)).id, 'order_events', 'reason')
  const refundsOf = (id: string) => rowsOf(id, 'refunds', 'origin, status, amount_cents')
  const emailsTo = (id: string, column: string) =>
    list(`SELECT ${column} FROM emails WHERE key LIKE 'refund:' || $1 || '%' ORDER BY id`, id)
  const alertsOf = async (subject: string): Promise<string[]> => {
    await watchPayments(shop.db, shop.checkout.alerts)
    return list('SELECT kind FROM alerts WHERE subject = $1 AND resolved_at IS NULL', subject)
  }

  /** Runs something between two statements. */
  async function under<Result>(before: string, act: () => Promise<Result>, after: string): Promise<Result> {
    await run(before)
    try {
      return await act()
    } finally {
      await run(after)
    }
  }

  /** Changes an order's row: `column = value`. */
  const setOrder = (orderId: string, values: string) =>
    run(`UPDATE orders SET ${values} WHERE provider_order_id = $1`, [orderId])

  /** The shop with a provider that responds to some calls in another way. */
  const withProvider = (calls: Partial<PaymentProvider>): NotificationDeps => ({
    ...shop.checkout,
    provider: { ...provider, ...calls },
  })

  /** Reconciles all orders. @returns the ids of those that differ */
  async function reconcileAll(deps: NotificationDeps = shop.checkout): Promise<string[]> {
    await run('UPDATE ledger_reconciliation SET after_order = NULL, ended_at = NULL')
    return reconcileLedger(deps)
  }
  const sweep = (deps: NotificationDeps = shop.checkout) => recoverPayments(deps, 0)

  /** Writes behind the lock of an order, by our id. */
  const locked = <Result>(id: string, write: (trx: Trx) => Promise<Result>): Promise<Result> =>
    shop.db.transaction().execute(async (trx) => {
      await orderWrites(trx).lock(id)
      return write(trx)
    })

  const emulate = async (call: string): Promise<void> => {
    const { status } = await fetch(`${shop.paypal.url}/_emulator/${call}`, { method: 'POST' })
    expect(status).toBe(200)
  }
  const refundsAt = (orderId: string) => [...book.refunds.values()].filter((one) => one.orderId === orderId)

  /** Breaches of the invariants, the provider's ledger included. */
  const breaches = async (ledger: ProviderLedger = atProvider.book()) =>
    checkInvariants(shop.db, await readInvariants(INVARIANTS), ledger)

  return {
    shop,
    atProvider,
    provider,
    run,
    setOrder,
    reasonsOf,
    withProvider,
    /** The shop with a provider whose responses about orders are changed. */
    withResponses: (change: (response: ProviderOrder) => ProviderOrder) =>
      withProvider({ readOrder: async (id) => change(await provider.readOrder(id)) }),
    /** Reconciles an order. @returns its state afterwards */
    reconcileOrder: async (orderId: string, deps: NotificationDeps = shop.checkout) =>
      (await reconcile(deps, (await shop.orderOf(orderId)).id, { includeFinal: true })).state,
    /** Runs something while a table is missing. */
    without: <Result>(table: string, act: () => Promise<Result>) =>
      under(`ALTER TABLE ${table} RENAME TO gone`, act, `ALTER TABLE gone RENAME TO ${table}`),
    /** Runs something while a trigger refuses a write, such as `UPDATE ON orders`, of the rows with such a value. */
    refusing: <Result>(write: string, when: string, act: () => Promise<Result>) => {
      const refuse = `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'not this one'; END $$`
      const on = `BEFORE ${write} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`
      const drop = `DROP TRIGGER refused ON ${write.split(' ').at(-1)}`
      return under(`${refuse}; CREATE TRIGGER refused ${on}`, act, drop)
    },
    reconcileAll,
    sweep,
    /** Reconciles all orders and sweeps, so many times. */
    runJobs: async (deps: NotificationDeps = shop.checkout, times = 2): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await reconcileAll(deps)
        await sweep(deps)
      }
    },
    /** The state in which a process that was killed a minute ago leaves an order that it was capturing. */
    leaveCapturing: async (orderId: string): Promise<void> => {
      await shop.leaveCapturing(orderId)
      await run(
        `INSERT INTO order_events (order_id, from_state, to_state, reason)
         SELECT id, 'held', 'capturing', 'a_test' FROM orders WHERE provider_order_id = $1`,
        [orderId],
      )
    },
    /** A paid order of 23.96 for two new offers: the share of the first is 5.93, of the second 18.03. */
    paidForTwo: async () => {
      const [first, second] = [await shop.newOffer(), await shop.newOffer({ price_cents: 1490 })]
      const customer = await shop.newCustomer()
      for (const offerId of [first, second]) await customer.add(offerId, 1)
      const orderId = (await customer.create()).body['order_id'] as string
      await shop.paypal.approve(orderId)
      expect((await customer.capture(orderId)).status).toBe(200)
      const { id } = await shop.orderOf(orderId)
      return { orderId, id, captureId: atProvider.captureIdOf(orderId), first, second }
    },
    /** Many paid orders of one ticket of 5.93, as a purchase leaves them here and at the provider. @returns their ids there */
    manyPaid: async (count: number, offerId: number): Promise<string[]> => {
      const { orderId, captureId, ours } = await shop.paidOrder(1, undefined, offerId)
      const [model, capture] = [book.orders.get(orderId)!, book.captures.get(captureId)!]
      const [offer] = await run('SELECT number_key, total_tickets, tickets_sold FROM offers WHERE id = $1', [
        offerId,
      ])
      const numberOf = numberPermutation(offer.number_key, offer.total_tickets)
      const copies = Array.from({ length: count - 1 }, (_, index) => ({
        id: newId(nowMs()),
        provider: `${orderId}${index}`,
        capture: `${captureId}${index}`,
        version: 1_000_000 + index,
        number: numberOf(offer.tickets_sold + index),
      }))
      for (const { id, provider: order, capture: paid } of copies) {
        book.insert('order', order, {
          ...model,
          id: order,
          captureIds: [paid],
          units: model.units.map((unit) => ({ ...unit, custom_id: id })),
        })
        book.insert('capture', paid, { ...capture, id: paid, orderId: order, customId: id })
      }
      const made =
        'jsonb_to_recordset($1) AS n (id uuid, provider text, capture text, version int, number int)'
      const values = [JSON.stringify(copies), ours.id]
      for (const [into, values_, from] of [
        [
          `orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents, total_cents,
                   provider_order_id, hold_until, contests_end_at, created_at, state_changed_at)`,
          `n.id, t.user_id, n.version, t.state, t.country, t.language, t.subtotal_cents, t.tax_percent, t.tax_cents,
           t.total_cents, n.provider, t.hold_until, t.contests_end_at, t.created_at, t.state_changed_at`,
          'orders t WHERE t.id = $2',
        ],
        [
          'order_lines (order_id, offer_id, quantity, unit_cents, title)',
          'n.id, t.offer_id, t.quantity, t.unit_cents, t.title',
          'order_lines t WHERE t.order_id = $2',
        ],
        [
          'order_events (order_id, from_state, to_state, reason)',
          'n.id, t.from_state, t.to_state, t.reason',
          'order_events t WHERE t.order_id = $2 ORDER BY n.id, t.id',
        ],
        [
          'captures (capture_id, order_id, status, amount_cents, currency)',
          'n.capture, n.id, t.status, t.amount_cents, t.currency',
          'captures t WHERE t.order_id = $2',
        ],
        [
          'tickets (id, offer_id, number, user_id, order_id, source)',
          'gen_random_uuid(), t.offer_id, n.number, t.user_id, n.id, t.source',
          'tickets t WHERE t.order_id = $2',
        ],
        [
          'emails (id, key, kind, recipient, language, subject, body_text, body_html)',
          `gen_random_uuid(), 'receipt:' || n.id, t.kind, t.recipient, t.language, t.subject, '', ''`,
          `emails t WHERE t.key = 'receipt:' || $2`,
        ],
      ])
        await run(`INSERT INTO ${into} SELECT ${values_} FROM ${made}, ${from}`, values)
      await run('UPDATE offers SET tickets_sold = tickets_sold + $1 WHERE id = $2', [copies.length, offerId])
      return [orderId, ...copies.map((one) => one.provider)]
    },
    cancelOffer: async (offerId: number) => {
      const [offer] = await run('SELECT slug FROM offers WHERE id = $1', [offerId])
      await cancelAndRefund(shop.checkout, offer?.slug, 'no car')
      return cancellation(shop.checkout, offer?.slug)
    },
    refundByStaff: async (orderId: string, deps: NotificationDeps = shop.checkout) => {
      const order = await shop.orderOf(orderId)
      const refund = { wanted: { kind: 'whole' as const }, reason: 'other' as const, note: 'asked for' }
      await requestStaffRefund(deps, order, refund, { actor: { userId: 1, name: 'staff' } })
      await sendNow(deps, order.id)
    },
    /** A call of the emulator's own. */
    emulate,
    refundsAt,
    failLastRefund: (orderId: string) => emulate(`refunds/${refundsAt(orderId).at(-1)?.id}/fail`),
    /** The provider's row of an order's first capture. */
    captureAt: (orderId: string) => book.captures.get(atProvider.captureIdOf(orderId))!,
    /** Has the provider take the money of an order once more. @returns the id of the second capture */
    payAgain: (orderId: string): string => {
      const first = book.captures.get(atProvider.captureIdOf(orderId))!
      const second = { ...first, id: `${first.id}X` }
      book.insert('capture', second.id, second)
      book.orders.get(orderId)!.captureIds.unshift(second.id)
      return second.id
    },
    /** Stores a request for a refund that is not sent yet, by our id of the order. */
    requestRefund: (id: string, captureId: string, amount: number) =>
      locked(id, (trx) =>
        ledgerWrites(trx).requestRefund(id, { captureId, amount: cents(amount), reason: 'offer_cancelled' }),
      ),
    locked,
    /** Refunds of an order in our ledger, by our id, as `origin status cents`. */
    refundsOf,
    /** Kinds of the open alerts about an order, by our id, or an offer, after the job that looks for them. */
    alertsOf,
    /** An order, the counts of its first offer, our ledger, and the cents that the provider has sent back. */
    resultOf: async (orderId: string) => {
      const { id, state } = await shop.orderOf(orderId)
      const [offer] = await run(
        `SELECT tickets_sold AS sold, tickets_held AS held FROM offers
         WHERE id = (SELECT min(offer_id) FROM order_lines WHERE order_id = $1)`,
        [id],
      )
      return {
        state,
        sold: offer?.sold as number,
        held: offer?.held as number,
        captures: await rowsOf(id, 'captures', 'status, amount_cents', 'recorded_at'),
        refunds: await refundsOf(id),
        returned: refundsAt(orderId).map(({ cents }) => cents),
        tickets: await rowsOf(id, 'tickets', 'status', 'offer_id'),
        moves: await rowsOf(id, 'order_events', 'to_state'),
        emails: await emailsTo(id, 'subject'),
        alerts: await alertsOf(id),
      }
    },
    /** Texts of the emails about refunds of an order, by our id. */
    textsTo: (id: string) => emailsTo(id, 'body_text'),
    breaches,
    invariantsHold: async () => expect(await breaches()).toEqual([]),
  }
}
