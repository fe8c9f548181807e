import { expect } from 'vitest'
import * as said from './model.ts'
import type { Model, Order, Payment } from './model.ts'
import { beginCapture, provider, reconcileAs } from './outside.ts'
import type { Stage } from './stage.ts'
import { type SaleCommand, command, expectAnswer } from './step.ts'
import { sweepOrders } from '#features/payments/server/sweep.ts'

/** A step with one of the orders there are, the later ones more often. */
const withOrder = (
  name: string,
  pick: number,
  wanted: (order: Order) => boolean,
  run: (order: Order, model: Model, real: Stage) => Promise<void>,
): SaleCommand => {
  const find = ({ orders }: Model): Order | undefined => {
    const fitting = orders.filter(wanted)
    return fitting.at(-1 - (pick % Math.max(1, fitting.length)))
  }
  return command({
    name: `${name} (${pick})`,
    when: (model) => find(model) !== undefined,
    run: (model, real) => run(find(model)!, model, real),
  })
}

export const approve = (pick: number, payment: Payment) =>
  withOrder(
    `the buyer approves and ${payment}`,
    pick,
    (order) => order.money === 'none' && order.state !== 'capturing',
    async (order, _, { shop }) => {
      order.approved = payment
      await shop.paypal.approve(order.id, provider.account(payment))
    },
  )

export const capture = (pick: number) =>
  withOrder(
    'the page captures',
    pick,
    // One that another process has begun would be waited for, for seconds.
    (order) => order.state !== 'capturing',
    async (order, model, { buyers }) => {
      const expected = said.capture(model, order)
      const { status, body } = await buyers[order.buyer]!.capture(order.id)
      if ('code' in expected) expectAnswer({ status, body }, expected)
      else expect(status).toBe(expected.status)
      if (status === 200) expect(body['tickets']).toHaveLength(said.ticketsOf(order))
    },
  )

export const cancel = (pick: number) =>
  withOrder(
    'the buyer cancels',
    pick,
    () => true,
    async (order, model, { buyers }) => {
      if (order.state === 'held') said.give(model, order, 'cancelled')
      const answer = await buyers[order.buyer]!.post('/api/paypal/cancel-order/', { order_id: order.id })
      expectAnswer(answer, undefined)
    },
  )

export const extend = (pick: number) =>
  withOrder(
    'the buyer asks for more time',
    pick,
    () => true,
    async (order, _, { buyers }) => {
      const expected = said.extend(order)
      const answer = await buyers[order.buyer]!.post('/api/paypal/extend-hold/', { order_id: order.id })
      expectAnswer(answer, expected)
    },
  )

export const dieCapturing = (pick: number, isTaken: boolean) =>
  withOrder(
    `a process dies ${isTaken ? 'after' : 'before'} the money is taken`,
    pick,
    (order) => order.state === 'held' && order.approved === 'pays',
    async (order, _, { shop }) => {
      order.state = 'capturing'
      await beginCapture(shop, order.id)
      if (!isTaken) return
      order.money = 'taken'
      await provider.take(shop, order.id)
    },
  )

export const expireHold = (pick: number) =>
  withOrder(
    'the time of the hold runs out',
    pick,
    (order) => order.state === 'held',
    async (order, _, { shop }) => {
      order.isOverdue = true
      await shop.db
        .updateTable('orders')
        .set({ hold_until: new Date(Date.now() - 1_000) })
        .where('provider_order_id', '=', order.id)
        .execute()
    },
  )

export const decide = (pick: number, isCompleted: boolean) =>
  withOrder(
    `the provider ${isCompleted ? 'completes' : 'denies'} a pending payment`,
    pick,
    (order) => order.money === 'pending',
    async (order, model, { shop }) => {
      said.decide(model, order, isCompleted)
      await provider.decide(shop, order.id, isCompleted ? 'release' : 'deny')
      await reconcileAs(shop, order.id)
    },
  )

export const takeLate = (pick: number) =>
  withOrder(
    'money comes that nobody asked for any more',
    pick,
    (order) => order.money === 'none' && order.approved === 'pays',
    async (order, model, { shop }) => {
      if (order.state === 'capturing') said.settle(model, order)
      else said.takeLate(model, order)
      await provider.take(shop, order.id)
      await reconcileAs(shop, order.id)
    },
  )

export const giveBackThere = (pick: number) =>
  withOrder(
    'the money goes back at the provider',
    pick,
    (order) => order.state === 'completed',
    async (order, _, { shop }) => {
      said.giveBackThere(order)
      await provider.decide(shop, order.id, 'refund')
      await reconcileAs(shop, order.id)
    },
  )

/** Most parts that can go back of the cheapest ticket without being all of it. */
const PARTS_MOST = 3

export const givePartBackThere = (pick: number) =>
  withOrder(
    'a part of the money goes back at the provider',
    pick,
    (order) => order.state === 'completed' && order.partsBack < PARTS_MOST,
    async (order, _, { shop }) => {
      order.partsBack += 1
      await provider.decide(shop, order.id, 'refund', { amount: { currency_code: 'EUR', value: '0.50' } })
      await reconcileAs(shop, order.id)
    },
  )

export const tellAgain = (pick: number) =>
  withOrder(
    'a notification comes again',
    pick,
    () => true,
    async (order, model, { shop }) => {
      said.settle(model, order)
      await reconcileAs(shop, order.id)
    },
  )

export const sweep = () =>
  command({
    name: 'the sweep runs',
    async run(model, { shop }) {
      said.sweep(model)
      await shop.expireHolds()
      await sweepOrders(shop.checkout, 0)
    },
  })
