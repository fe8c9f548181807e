import * as z from 'zod'

/** What we read of PayPal's answers; everything else of them passes through unread. */

const Amount = z.object({ currency_code: z.string(), value: z.string() })
export type PayPalAmount = z.infer<typeof Amount>

/** An id as PayPal gives them; anything else is no answer of PayPal's. */
const ProviderId = z.string().regex(/^[\w.-]{1,64}$/)

/** A bearer token, which goes into a header as it is, and its life in seconds. */
export const Token = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().min(0).catch(300),
})

const Link = z.object({ href: z.string(), rel: z.string(), method: z.string().optional() })

/** A capture. */
export const PayPalCapture = z.looseObject({
  id: ProviderId,
  status: z.string(),
  amount: Amount.optional(),
  custom_id: z.string().optional(),
  invoice_id: z.string().optional(),
  status_details: z.looseObject({ reason: z.string().optional() }).optional(),
})
export type PayPalCapture = z.infer<typeof PayPalCapture>

const RelatedIds = z
  .looseObject({
    related_ids: z
      .looseObject({ order_id: z.string().optional(), capture_id: z.string().optional() })
      .optional(),
  })
  .optional()

export const PayPalRefund = z.looseObject({
  id: ProviderId,
  status: z.string(),
  amount: Amount.optional(),
  supplementary_data: RelatedIds,
  links: z.array(Link).optional(),
})
export type PayPalRefund = z.infer<typeof PayPalRefund>

export const PayPalOrder = z.looseObject({
  id: ProviderId,
  status: z.string(),
  links: z.array(Link).optional(),
  purchase_units: z
    .array(
      z.looseObject({
        custom_id: z.string().optional(),
        amount: Amount.optional(),
        payments: z
          .looseObject({
            captures: z.array(PayPalCapture).optional(),
            refunds: z.array(PayPalRefund).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
})
export type PayPalOrder = z.infer<typeof PayPalOrder>

export const PayPalFault = z.looseObject({
  name: z.string().optional(),
  message: z.string().optional(),
  debug_id: z.string().optional(),
  details: z
    .array(z.looseObject({ issue: z.string().optional(), description: z.string().optional() }))
    .optional(),
  links: z.array(Link).optional(),
})
export type PayPalFault = z.infer<typeof PayPalFault>

export const PayPalNotification = z.looseObject({
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
export type PayPalNotification = z.infer<typeof PayPalNotification>
