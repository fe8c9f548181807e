/** The emulator's own records. Amounts are integers in the currency's smallest unit; text only leaves in views. */

import type { Funding } from './funding.ts'

export type Language = 'fr' | 'nl' | 'en'

type OrderStatus = 'CREATED' | 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'VOIDED' | 'COMPLETED'
type CaptureStatus = 'COMPLETED' | 'DECLINED' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'FAILED'

type RefundStatus = 'COMPLETED' | 'PENDING' | 'FAILED' | 'CANCELLED'

export type Money = { currency_code: string; value: string }
export type Breakdown = Partial<Record<BreakdownKey, Money>>
export const breakdownKeys = [
  'item_total',
  'shipping',
  'handling',
  'tax_total',
  'insurance',
  'shipping_discount',
  'discount',
] as const
export type BreakdownKey = (typeof breakdownKeys)[number]

export type Item = {
  name: string
  quantity: string
  unit_amount: Money
  tax?: Money
  description?: string
  sku?: string
  category?: string
}

export type Unit = {
  reference_id: string
  amount: Money & { breakdown?: Breakdown }
  description?: string
  custom_id?: string
  invoice_id?: string
  soft_descriptor?: string
  items?: Item[]
}

export type Context = {
  return_url?: string
  cancel_url?: string
  brand_name?: string
  locale?: string
  user_action?: string
}

/** `default`: the account's own means; `other`: a card that works; `declining`: a card that is refused. */
export type Instrument = 'default' | 'other' | 'declining'
/** `country` is that of the account, BE when left out; null: the provider does not say it. */
export type Payer = { email: string; instrument: Instrument; country?: string | null }

export type Order = {
  id: string
  status: OrderStatus
  units: Unit[]
  context: Context
  /** How the order was opened: with a `payment_source` it waits for PAYER_ACTION_REQUIRED. */
  source?: Funding
  funding: string
  created: string
  updated: string
  payer?: Payer
  captureIds: string[]
  declines: number
  failures: number
  /** An action of the buyer was demanded. */
  hasActed?: boolean
  cancelled?: string
}

export type Capture = {
  id: string
  orderId: string
  reference: string
  status: CaptureStatus
  reason?: string
  cents: number
  currency: string
  refunded: number
  customId?: string
  invoiceId?: string
  created: string
  updated: string
}

export type Refund = {
  id: string
  captureId: string
  orderId: string
  kind: 'refund' | 'reversal'
  /** COMPLETED when left out. */
  status?: RefundStatus
  cents: number
  currency: string
  note?: string
  customId?: string
  invoiceId?: string
  created: string
}

/** Whether a refund's money has left the shop, or is about to. */
export const hasLeft = ({ status }: Refund): boolean => status !== 'FAILED' && status !== 'CANCELLED'

export type Attempt = { at: string; ms: number; status?: number; error?: string }
type HookState = 'waiting' | 'delivered' | 'failed' | 'withheld' | 'unsent'
export type HookEvent = {
  id: string
  transmission: string
  type: string
  resourceId: string
  created: string
  body: string
  state: HookState
  attempts: Attempt[]
}

/** What an earlier call with the same PayPal-Request-Id did. `problem` is kept for a definite decline. */
export type Remembered = {
  kind: 'create' | 'capture' | 'refund'
  fingerprint: string
  resourceId: string
  at: number
  problem?: { status: number; body: Record<string, unknown> }
}

export type SigningKey = { id: string; privatePem: string; certificatePem: string }
