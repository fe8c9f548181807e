import * as z from 'zod'

/** What we read of PayPal's answers; everything else of them passes through unread. */

const Money = z.object({ currency_code: z.string(), value: z.string() })

/** An id as PayPal gives them; anything else is no answer of PayPal's. */
const ProviderId = z.string().regex(/^[\w.-]{1,64}$/)

/** A bearer token, which goes into a header as it is, and its life in seconds. */
export const Token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().min(0).catch(300),
})

const Link = z.object({ href: z.string(), rel: z.string(), method: z.string().optional() })

/** Capture states we act upon; an unknown one is treated as not yet decided. */
export const Capture = z.looseObject({
  id: ProviderId,
  status: z.string(),
  amount: Money.optional(),
  custom_id: z.string().optional(),
  invoice_id: z.string().optional(),
  status_details: z.looseObject({ reason: z.string().optional() }).optional(),
})
export type Capture = z.infer<typeof Capture>

const RelatedIds = z
  .looseObject({
    related_ids: z
      .looseObject({ order_id: z.string().optional(), capture_id: z.string().optional() })
      .optional(),
  })
  .optional()

export const Refund = z.looseObject({
  id: ProviderId,
  status: z.string(),
  amount: Money.optional(),
  supplementary_data: RelatedIds,
  links: z.array(Link).optional(),
})
export type Refund = z.infer<typeof Refund>

export const ProviderOrder = z.looseObject({
  id: ProviderId,
  status: z.string(),
  links: z.array(Link).optional(),
  purchase_units: z
    .array(
      z.looseObject({
        custom_id: z.string().optional(),
        amount: Money.optional(),
        payments: z
          .looseObject({ captures: z.array(Capture).optional(), refunds: z.array(Refund).optional() })
          .optional(),
      }),
    )
    .optional(),
})
export type ProviderOrder = z.infer<typeof ProviderOrder>

export const ProviderFault = z.looseObject({
  name: z.string().optional(),
  message: z.string().optional(),
  debug_id: z.string().optional(),
  details: z
    .array(z.looseObject({ issue: z.string().optional(), description: z.string().optional() }))
    .optional(),
  links: z.array(Link).optional(),
})
export type ProviderFault = z.infer<typeof ProviderFault>

export const Notification = z.looseObject({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  event_type: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  resource: z.looseObject({
    id: z.string().optional(),
    custom_id: z.string().optional(),
    supplementary_data: RelatedIds,
    purchase_units: z.array(z.looseObject({ custom_id: z.string().optional() })).optional(),
    /** Of a refund or a reversal: leads up to its capture. */
    links: z.array(Link).optional(),
    /** Of a dispute: what it is about. */
    disputed_transactions: z
      .array(z.looseObject({ seller_transaction_id: z.string().optional() }))
      .optional(),
  }),
})
export type Notification = z.infer<typeof Notification>

/** What is listed more than once counts once, as it is told last. */
const once = <One extends { id: string }>(listed: readonly One[]): One[] => [
  ...new Map(listed.map((one) => [one.id, one])).values(),
]

/** The captures of an order, newest last. */
export const capturesOf = (order: ProviderOrder): Capture[] =>
  once((order.purchase_units ?? []).flatMap((unit) => unit.payments?.captures ?? []))

/** States of a capture that took money, whatever of it has gone back since. */
export const TOOK_MONEY: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'])

/** States of a capture that took none. */
export const TOOK_NOTHING: ReadonlySet<string> = new Set(['DECLINED', 'FAILED'])

/**
 * The capture that says how an order stands: one that took the money, else one of which it is not decided yet, and only
 * then one that took none, whatever their order in the list.
 */
export const decidedCapture = (order: ProviderOrder): Capture | undefined => {
  const captures = capturesOf(order)
  const paid = captures.find((one) => one.status === 'COMPLETED')
  return (
    paid ??
    captures.find((one) => TOOK_MONEY.has(one.status)) ??
    captures.findLast((one) => !TOOK_NOTHING.has(one.status)) ??
    captures.at(-1)
  )
}

/** The refunds of an order, reversals by the provider among them. */
export const refundsOf = (order: ProviderOrder): Refund[] =>
  once((order.purchase_units ?? []).flatMap((unit) => unit.payments?.refunds ?? []))

const CAPTURE_ADDRESS = /\/v2\/payments\/captures\/([^/?#]+)$/

/** Which capture a refund gives back, as far as it says. */
export const captureIdOf = ({
  supplementary_data,
  links,
}: Pick<Refund, 'supplementary_data' | 'links'>): string | undefined =>
  supplementary_data?.related_ids?.capture_id ??
  links?.map(({ rel, href }) => (rel === 'up' ? CAPTURE_ADDRESS.exec(href)?.[1] : undefined)).find(Boolean)

/** The address on which the buyer approves. */
export const approvalUrl = (order: ProviderOrder): string | null =>
  order.links?.find(({ rel, href }) => /^(payer-action|approve)$/.test(rel) && /^https?:\/\//.test(href))
    ?.href ?? null
