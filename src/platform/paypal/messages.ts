import * as z from 'zod'

/** What we read of PayPal's answers; everything else of them passes through unread. */

const Money = z.object({ currency_code: z.string(), value: z.string() })

const Link = z.object({ href: z.string(), rel: z.string(), method: z.string().optional() })

/** Capture states we act upon; an unknown one is treated as not yet decided. */
export const Capture = z.looseObject({
  id: z.string(),
  status: z.string(),
  amount: Money.optional(),
  custom_id: z.string().optional(),
  invoice_id: z.string().optional(),
  status_details: z.looseObject({ reason: z.string().optional() }).optional(),
})
export type Capture = z.infer<typeof Capture>

export const ProviderOrder = z.looseObject({
  id: z.string(),
  status: z.string(),
  links: z.array(Link).optional(),
  purchase_units: z
    .array(
      z.looseObject({
        custom_id: z.string().optional(),
        amount: Money.optional(),
        payments: z.looseObject({ captures: z.array(Capture).optional() }).optional(),
      }),
    )
    .optional(),
})
export type ProviderOrder = z.infer<typeof ProviderOrder>

export const Refund = z.looseObject({ id: z.string(), status: z.string() })
export type Refund = z.infer<typeof Refund>

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
  id: z.string().min(1).max(200),
  event_type: z.string().max(200),
  resource: z.looseObject({
    id: z.string().optional(),
    custom_id: z.string().optional(),
    supplementary_data: z
      .looseObject({ related_ids: z.looseObject({ order_id: z.string().optional() }).optional() })
      .optional(),
    purchase_units: z.array(z.looseObject({ custom_id: z.string().optional() })).optional(),
  }),
})
export type Notification = z.infer<typeof Notification>

/** The captures of an order, newest last. */
export const capturesOf = (order: ProviderOrder): Capture[] =>
  (order.purchase_units ?? []).flatMap((unit) => unit.payments?.captures ?? [])

/** The address on which the buyer approves. */
export const approvalUrl = (order: ProviderOrder): string | null =>
  order.links?.find((link) => link.rel === 'payer-action' || link.rel === 'approve')?.href ?? null
