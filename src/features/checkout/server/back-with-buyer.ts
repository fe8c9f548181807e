import type { Sql } from '#platform/database.ts'
import { ProviderAway, ProviderRefused } from '#platform/paypal/faults.ts'
import { Refusal } from '#shared/refusal.ts'
import { providerFailure } from './checkout-deps.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'

/** Why an order that was being captured is held again, as its history says it: nothing was taken. */
export const NOT_ASKED = 'provider is away'
const REFUSED = 'provider refused: '

export const refusedBecause = (error: ProviderRefused): string =>
  `${REFUSED}${error.fault.details?.[0]?.issue ?? error.fault.name ?? error.status}`

/**
 * What a caller is told of an order that another call, or a look at the provider, has given back to its buyer: the same
 * as was told there (reliability, row 3). A decline is told where there was one, and nowhere else.
 */
export async function whyBackWithBuyer(db: Sql, { id }: OrderRow): Promise<unknown> {
  const reason = (await ordersRepository(db).whyHeldAgain(id)) ?? ''
  if (reason === NOT_ASKED) return providerFailure(new ProviderAway())
  if (/^capture (declined|failed)/.test(reason)) return declined()
  if (!reason.startsWith(REFUSED)) return notApproved({})
  const issue = reason.slice(REFUSED.length)
  if (issue === 'INSTRUMENT_DECLINED') return declined()
  const said = { name: issue, details: [{ issue }] }
  return issue === 'ORDER_NOT_APPROVED' ? notApproved(said) : providerFailure(new ProviderRefused(422, said))
}

const declined = (): Refusal =>
  new Refusal('checkout.declined', 422, 'errors.checkout.declined', {
    body: { details: [{ issue: 'INSTRUMENT_DECLINED' }] },
  })

/** The order is given up for good; the buyer's next try makes another one. */
export const orderClosed = (): Refusal =>
  new Refusal('checkout.orderClosed', 409, 'errors.checkout.orderClosed')

/** Staff must decide about the order's money first. */
export const inReview = (): Refusal => new Refusal('checkout.inReview', 409, 'errors.checkout.inReview')

/** @param fault what the provider says */
export const notApproved = ({ message, details, debug_id }: ProviderRefused['fault']): Refusal =>
  new Refusal('checkout.notApproved', 422, 'errors.checkout.notApproved', {
    body: { message, details: details ?? [], debug_id },
  })
