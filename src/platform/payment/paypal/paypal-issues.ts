import type { RefusalReason } from '../payment-provider.ts'

/** The calls whose refusals PayPal documents: `POST /v2/checkout/orders`, `…/{id}/capture`, `…/captures/{id}/refund`. */
export type PayPalCall = 'create' | 'capture' | 'refund' | 'read'

type Issues = Partial<Record<RefusalReason, readonly string[]>>

/** A request that does not fit PayPal's schema or our PayPal account: of the shop, whatever the call. */
const FAULTY_REQUEST = [
  'INVALID_REQUEST',
  'INVALID_ARRAY_LENGTH',
  'INVALID_ARRAY_MAX_ITEMS',
  'INVALID_ARRAY_MIN_ITEMS',
  'INVALID_COUNTRY_CODE',
  'INVALID_CURRENCY_CODE',
  'INVALID_PARAMETER',
  'INVALID_PARAMETER_SYNTAX',
  'INVALID_PARAMETER_VALUE',
  'INVALID_STRING_LENGTH',
  'INVALID_STRING_MAX_LENGTH',
  'MALFORMED_REQUEST',
  'MALFORMED_REQUEST_JSON',
  'MISSING_REQUIRED_PARAMETER',
  'NOT_SUPPORTED',
  'PARAMETER_VALUE_NOT_SUPPORTED',
  'PAYPAL_REQUEST_ID_REQUIRED',
  'AUTHENTICATION_FAILURE',
  'INVALID_ACCOUNT_STATUS',
  'NOT_AUTHORIZED',
  'PERMISSION_DENIED',
  'PAYEE_ACCOUNT_INVALID',
  'PAYEE_ACCOUNT_LOCKED_OR_CLOSED',
  'PAYEE_ACCOUNT_NOT_SUPPORTED',
  'PAYEE_ACCOUNT_NOT_VERIFIED',
  'PAYEE_ACCOUNT_RESTRICTED',
  'PAYEE_NOT_CONSENTED',
  'CANNOT_BE_NEGATIVE',
  'CANNOT_BE_ZERO_OR_NEGATIVE',
  'CURRENCY_NOT_SUPPORTED',
  'DECIMAL_PRECISION',
  'DECIMALS_NOT_SUPPORTED',
  'DUPLICATE_INVOICE_ID',
  'MAX_VALUE_EXCEEDED',
] as const

/** Of means of payment and features that the shop does not use: of the shop, should they ever get a response. */
const UNUSED_FEATURES = [
  'ACTION_DOES_NOT_MATCH_INTENT',
  'AGREEMENT_ALREADY_CANCELLED',
  'AUTH_CAPTURE_NOT_ENABLED',
  'BILLING_AGREEMENT_ID_MISMATCH',
  'BILLING_AGREEMENT_NOT_FOUND',
  'CANCEL_URL_REQUIRED',
  'CARD_EXPIRY_REQUIRED',
  'CARD_NUMBER_REQUIRED',
  'CURRENCY_NOT_SUPPORTED_FOR_COUNTRY',
  'IDENTIFIER_NOT_FOUND',
  'INCOMPATIBLE_PARAMETER_VALUE',
  'INVALID_PICKUP_ADDRESS',
  'INVALID_PREVIOUS_TRANSACTION_REFERENCE',
  'MERCHANT_INITIATED_WITH_AUTHENTICATION_RESULTS',
  'MERCHANT_INITIATED_WITH_MULTIPLE_PURCHASE_UNITS',
  'MERCHANT_INITIATED_WITH_SECURITY_CODE',
  'MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE',
  'MISSING_CRYPTOGRAM',
  'MISSING_PREVIOUS_REFERENCE',
  'NOT_ELIGIBLE_FOR_PAYPAL_TRANSACTION_ID_PROCESSING',
  'NOT_ELIGIBLE_FOR_PNREF_PROCESSING',
  'NOT_ELIGIBLE_FOR_TOKEN_PROCESSING',
  'NOT_ENABLED_FOR_BANK_PROCESSING',
  'NOT_ENABLED_FOR_CARD_PROCESSING',
  'ONLY_ONE_BANK_SOURCE_ALLOWED',
  'PAYEE_FX_RATE_ID_EXPIRED',
  'PAYEE_NOT_ENABLED_FOR_BANK_PROCESSING',
  'PAYEE_NOT_ENABLED_FOR_CARD_PROCESSING',
  'PAYMENT_INSTRUCTION_REQUIRED',
  'PAYMENT_SOURCE_MISMATCH',
  'PAYMENT_SOURCE_NOT_SUPPORTED',
  'PAYPAL_TRANSACTION_ID_EXPIRED',
  'PAYPAL_TRANSACTION_ID_NOT_FOUND',
  'PERMISSION_DENIED_FOR_DONATION_ITEMS',
  'PLATFORM_FEE_PAYEE_CANNOT_BE_SAME_AS_PAYER',
  'PNREF_EXPIRED',
  'PNREF_NOT_FOUND',
  'PREFERRED_PAYMENT_SOURCE_MISMATCH',
  'PREVIOUS_TRANSACTION_REFERENCE_HAS_CHARGEBACK',
  'PREVIOUS_TRANSACTION_REFERENCE_VOIDED',
  'REQUIRED_PARAMETER_FOR_CUSTOMER_INITIATED_PAYMENT',
  'RETURN_URL_REQUIRED',
  'SETUP_ERROR_FOR_BANK',
  'SHIPPING_ADDRESS_INVALID',
  'TOKEN_ID_NOT_FOUND',
  'UNSUPPORTED_INTENT_FOR_PAYMENT_SOURCE',
  'UNSUPPORTED_PAYMENT_INSTRUCTION',
  'VAULT_INSTRUCTION_REQUIRED',
] as const

/** Another card or account of the buyer's can pay the same order. */
const OTHER_INSTRUMENT = [
  'BANK_NOT_SUPPORTED_FOR_VERIFICATION',
  'CARD_BRAND_NOT_SUPPORTED',
  'CARD_CLOSED',
  'CARD_EXPIRED',
  'CARD_TYPE_NOT_SUPPORTED',
  'CURRENCY_NOT_SUPPORTED_FOR_BANK',
  'CURRENCY_NOT_SUPPORTED_FOR_CARD_TYPE',
  'DOMESTIC_TRANSACTION_REQUIRED',
  'IBAN_COUNTRY_NOT_SUPPORTED',
  'INSTRUMENT_DECLINED',
  'INVALID_IBAN',
  'INVALID_SECURITY_CODE_LENGTH',
  'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
  'PAYER_ACCOUNT_RESTRICTED',
  'PAYER_CANNOT_PAY',
  'PAYER_COUNTRY_NOT_SUPPORTED',
  'PAYMENT_SOURCE_CANNOT_BE_USED',
  'PAYMENT_SOURCE_DECLINED_BY_PROCESSOR',
  'PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED',
  'REDIRECT_PAYER_FOR_ALTERNATE_FUNDING',
  'REFERENCED_CARD_EXPIRED',
  'TRANSACTION_AMOUNT_EXCEEDS_MONTHLY_MAX_LIMIT',
  'TRANSACTION_LIMIT_EXCEEDED',
] as const

/** The outcome of an earlier request decides: the order is read. */
const OF_EARLIER_REQUESTS = {
  request_reused: ['PAYPAL_REQUEST_ID_PREVIOUSLY_USED'],
  in_progress: [
    'DUPLICATE_REQUEST_ID',
    'ORDER_COMPLETION_IN_PROGRESS',
    'PREVIOUS_REQUEST_IN_PROGRESS',
    'RESOURCE_CONFLICT',
  ],
} as const satisfies Issues

const UNKNOWN_THERE = ['INVALID_RESOURCE_ID', 'RESOURCE_NOT_FOUND'] as const

/**
 * Every issue that PayPal documents for Orders v2 (create, capture) and Payments v2 (refund), with what it means to the
 * shop (ADR 0007). One that is missing here is `other`.
 */
export const PAYPAL_ISSUES: Readonly<Record<PayPalCall, Issues>> = {
  create: {
    ...OF_EARLIER_REQUESTS,
    not_found: UNKNOWN_THERE,
    declined: OTHER_INSTRUMENT,
    shop_fault: [
      ...FAULTY_REQUEST,
      ...UNUSED_FEATURES,
      'AMOUNT_MISMATCH',
      'BILLING_ADDRESS_INVALID',
      'CITY_REQUIRED',
      'DONATION_ITEMS_NOT_SUPPORTED',
      'DUPLICATE_REFERENCE_ID',
      'INVALID_PAYER_ID',
      'ITEM_TOTAL_MISMATCH',
      'ITEM_TOTAL_REQUIRED',
      'MISSING_PICKUP_ADDRESS',
      'MISSING_SHIPPING_ADDRESS',
      'MULTIPLE_ITEM_CATEGORIES',
      'MULTIPLE_SHIPPING_ADDRESS_NOT_SUPPORTED',
      'MULTIPLE_SHIPPING_OPTION_SELECTED',
      'MULTIPLE_SHIPPING_TYPE_NOT_SUPPORTED',
      'MULTI_CURRENCY_ORDER',
      'ORDER_CANNOT_BE_SAVED',
      'POSTAL_CODE_REQUIRED',
      'PREFERRED_SHIPPING_OPTION_AMOUNT_MISMATCH',
      'REFERENCE_ID_REQUIRED',
      'SAVE_ORDER_NOT_SUPPORTED',
      'SHIPPING_OPTIONS_NOT_SUPPORTED',
      'SHIPPING_OPTION_NOT_SELECTED',
      'SHIPPING_TYPE_NOT_SUPPORTED_FOR_CLIENT',
      'TAX_TOTAL_MISMATCH',
      'TAX_TOTAL_REQUIRED',
      'UNSUPPORTED_INTENT',
      'UNSUPPORTED_SHIPPING_TYPE',
    ],
  },
  capture: {
    ...OF_EARLIER_REQUESTS,
    already_captured: ['ORDER_ALREADY_CAPTURED', 'ORDER_ALREADY_COMPLETED', 'ORDER_COMPLETED_OR_VOIDED'],
    not_found: UNKNOWN_THERE,
    declined: OTHER_INSTRUMENT,
    payer_action: [
      'APPLE_PAY_AMOUNT_MISMATCH',
      'CONSENT_NEEDED',
      'PAYER_ACTION_REQUIRED',
      'PAYER_CONSENT_REQUIRED',
    ],
    not_approved: ['ORDER_NOT_APPROVED'],
    refused: [
      'COMPLIANCE_VIOLATION',
      'DECLINED_DUE_TO_RELATED_TXN',
      'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED',
      'ORDER_EXPIRED',
      'ORDER_PREVIOUSLY_VOIDED',
      'PAYEE_BLOCKED_TRANSACTION',
      'PAYMENT_DENIED',
      'TRANSACTION_BLOCKED_BY_PAYEE',
      'TRANSACTION_REFUSED',
    ],
    shop_fault: [
      ...FAULTY_REQUEST,
      ...UNUSED_FEATURES,
      'AMOUNT_CANNOT_BE_SPECIFIED',
      'AUTHORIZATION_AMOUNT_EXCEEDED',
      'AUTHORIZATION_CURRENCY_MISMATCH',
      'MAX_AUTHORIZATION_COUNT_EXCEEDED',
      'ORDER_ALREADY_AUTHORIZED',
      'ORDER_NOT_SAVED',
      'TRANSACTION_RECEIVING_LIMIT_EXCEEDED',
    ],
  },
  refund: {
    ...OF_EARLIER_REQUESTS,
    already_refunded: ['CAPTURE_FULLY_REFUNDED', 'REFUND_AMOUNT_EXCEEDED'],
    not_found: UNKNOWN_THERE,
    too_early: ['PENDING_CAPTURE'],
    no_funds: ['REFUND_FAILED_INSUFFICIENT_FUNDS'],
    disputed: [
      'CAPTURE_DISPUTED_PARTIAL_REFUND_NOT_ALLOWED',
      'REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK',
      'TRANSACTION_DISPUTED',
    ],
    refused: [
      'INVALID_RESOURCE_STATE',
      'MAX_NUMBER_OF_REFUNDS_EXCEEDED',
      'MAX_PAYEE_AMOUNT_LIMIT_EXCEEDED',
      'MAX_PAYER_AMOUNT_LIMIT_EXCEEDED',
      'MAX_REFUND_LIMIT_EXCEEDED',
      'PARTIAL_REFUND_NOT_ALLOWED',
      'PAYEE_REFUND_AMOUNT_LIMIT_EXCEEDED',
      'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
      'PAYER_ACCOUNT_RESTRICTED',
      'REFUND_AMOUNT_TOO_LOW',
      'REFUND_IS_RESTRICTED',
      'REFUND_NOT_ALLOWED',
      'REFUND_TIME_LIMIT_EXCEEDED',
    ],
    shop_fault: [
      ...FAULTY_REQUEST,
      'CURRENCY_MISMATCH',
      'INVALID_PAYEE_ACCOUNT',
      'INVALID_PLATFORM_FEES_AMOUNT',
      'PLATFORM_FEE_EXCEEDED',
      'PLATFORM_FEE_NOT_ENABLED',
      'REFUND_CAPTURE_CURRENCY_MISMATCH',
    ],
  },
  read: { not_found: UNKNOWN_THERE, shop_fault: FAULTY_REQUEST },
}

/** Of several issues in one response the first of these counts: what leaves most open, then what permits least. */
const STRICTEST: readonly RefusalReason[] = [
  'already_captured',
  'already_refunded',
  'request_reused',
  'in_progress',
  'not_found',
  'disputed',
  'refused',
  'shop_fault',
  'other',
  'no_funds',
  'too_early',
  'payer_action',
  'not_approved',
  'declined',
]

/** Names of a response that say no more than its status does. */
const GENERAL = new Set(['UNPROCESSABLE_ENTITY', 'INVALID_REQUEST', 'NOT_AUTHORIZED', 'RESOURCE_CONFLICT'])

const BY_STATUS: Readonly<Record<number, RefusalReason>> = {
  400: 'shop_fault',
  401: 'shop_fault',
  403: 'shop_fault',
  404: 'not_found',
  409: 'in_progress',
}

const tableOf = (call: PayPalCall): ReadonlyMap<string, RefusalReason> =>
  new Map(
    Object.entries(PAYPAL_ISSUES[call]).flatMap(([reason, issues]) =>
      issues.map((issue) => [issue, reason as RefusalReason] as const),
    ),
  )

const TABLES: Readonly<Record<PayPalCall, ReadonlyMap<string, RefusalReason>>> = {
  create: tableOf('create'),
  capture: tableOf('capture'),
  refund: tableOf('refund'),
  read: tableOf('read'),
}

/** A code is stored, logged and shown: an unknown one may be any text. */
const LONGEST_CODE = 64
const spelled = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]+/g, '_')
    .slice(0, LONGEST_CODE)

/**
 * What a refusal of PayPal's means.
 * @param issues of its details, in any case; the name counts when it is an issue itself, or nothing else is told
 * @returns `code`: the issue that decides, else the name or the status
 */
export function reasonOf(
  call: PayPalCall,
  status: number,
  { name, issues }: { name?: string | undefined; issues: readonly string[] },
): { reason: RefusalReason; code: string } {
  const table = TABLES[call]
  const codes = issues.map(spelled)
  const general = spelled(name ?? '')
  const isTelling = general !== '' && !GENERAL.has(general)
  if (isTelling && (codes.length === 0 || table.has(general))) codes.push(general)
  const found = codes.map((code) => ({ code, reason: table.get(code) ?? ('other' as const) }))
  const strictest = STRICTEST.map((reason) => found.find((one) => one.reason === reason)).find(Boolean)
  // A status says more than an issue that nobody knows.
  if (strictest && strictest.reason !== 'other') return strictest
  const byStatus = BY_STATUS[status] ?? 'other'
  return { reason: byStatus, code: strictest?.code || general || String(status) }
}
