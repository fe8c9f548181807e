import { debugId } from './ids.ts'

export type Detail = {
  issue: string
  description: string
  field?: string
  value?: string
  location?: 'body' | 'path' | 'header'
}
export type Link = { href: string; rel: string; method?: string }

const messages = {
  INVALID_REQUEST: [400, 'Request is not well-formed, syntactically incorrect, or violates schema.'],
  AUTHENTICATION_FAILURE: [
    401,
    'Authentication failed due to missing authorization header, or invalid authentication credentials.',
  ],
  RESOURCE_NOT_FOUND: [404, 'The specified resource does not exist.'],
  METHOD_NOT_SUPPORTED: [405, 'The server does not implement the requested HTTP method.'],
  RESOURCE_CONFLICT: [409, 'The server has detected a conflict while processing this request.'],
  PAYLOAD_TOO_LARGE: [413, 'The request payload is larger than the server accepts.'],
  UNSUPPORTED_MEDIA_TYPE: [415, "The server does not support the request payload's media type."],
  UNPROCESSABLE_ENTITY: [
    422,
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  ],
  INTERNAL_SERVER_ERROR: [500, 'An internal server error has occurred.'],
  SERVICE_UNAVAILABLE: [503, 'Service Unavailable.'],
} as const satisfies Record<string, readonly [number, string]>

type ErrorName = keyof typeof messages

/** A refusal in PayPal's shape: `{name, message, debug_id, details, links}`. */
export class PayPalError extends Error {
  readonly status: number
  readonly errorName: ErrorName
  readonly details: Detail[]
  readonly extraLinks: Link[]

  constructor(name: ErrorName, details: Detail[] = [], extraLinks: Link[] = []) {
    const [status, message] = messages[name]
    super(message)
    this.status = status
    this.errorName = name
    this.details = details
    this.extraLinks = extraLinks
  }

  toBody(debug: string = debugId()): Record<string, unknown> {
    const issue = this.details[0]?.issue ?? this.errorName
    const information: Link = {
      href: `https://developer.paypal.com/docs/api/orders/v2/#error-${issue}`,
      rel: 'information_link',
      method: 'GET',
    }
    return {
      name: this.errorName,
      message: this.message,
      debug_id: debug,
      details: this.details,
      links: [information, ...this.extraLinks],
    }
  }
}

/** PayPal's descriptions of the issues that the emulator reports. */
const descriptions = {
  AMOUNT_MISMATCH:
    'Should equal item_total + tax_total + shipping + handling + insurance - shipping_discount - discount.',
  AUTHORIZATION_NOT_IMITATED: 'This emulator only knows intent CAPTURE.',
  CANNOT_BE_NEGATIVE: 'Must be greater than or equal to zero.',
  CANNOT_BE_ZERO_OR_NEGATIVE: 'Must be greater than zero.',
  CAPTURE_FULLY_REFUNDED: 'The capture has already been fully refunded.',
  CAPTURE_NOT_PENDING: 'The capture is not PENDING.',
  CURRENCY_MISMATCH: 'The currency of the refund must be the same as that of the capture.',
  CURRENCY_NOT_SUPPORTED: 'Currency code is not currently supported.',
  DECIMAL_PRECISION: 'If the currency supports decimals, only two decimal place precision is supported.',
  DUPLICATE_INVOICE_ID:
    'Duplicate Invoice ID detected. To avoid a potential duplicate transaction your account setting requires that Invoice Id be unique for each transaction.',
  DUPLICATE_REFERENCE_ID: 'reference_id must be unique for each purchase unit.',
  INSTRUMENT_DECLINED:
    "The instrument presented was either declined by the processor or bank, or it can't be used for this payment.",
  INVALID_ARRAY_MAX_ITEMS: 'The number of items in an array is too large.',
  INVALID_ARRAY_MIN_ITEMS: 'The number of items in an array is too small.',
  INVALID_PARAMETER_SYNTAX: 'The value of a field does not conform to the expected format.',
  INVALID_PARAMETER_VALUE: 'The value of a field is invalid.',
  INVALID_PATCH_OPERATION: 'The value does not fit the attribute.',
  INVALID_RESOURCE_ID: 'Specified resource ID does not exist. Please check the resource ID and try again.',
  INVALID_RESOURCE_STATE: 'The resource is in another state.',
  INVALID_STRING_LENGTH: 'The value of a field is either too short or too long.',
  INVALID_STRING_MAX_LENGTH: 'The value of a field is too long.',
  ITEM_TOTAL_MISMATCH:
    'Should equal sum of (unit_amount * quantity) across all items for a given purchase_unit.',
  ITEM_TOTAL_REQUIRED:
    'If item details are specified (items.unit_amount and items.quantity) corresponding amount.breakdown.item_total is required.',
  MALFORMED_REQUEST_JSON: 'The request JSON is not well formed.',
  MISSING_REQUIRED_PARAMETER: 'A required field / parameter is missing.',
  MULTI_CURRENCY_ORDER:
    'Multiple differing values of currency_code are not supported. Entire Order request must have the same currency_code.',
  NOT_PATCHABLE: 'Cannot be patched.',
  ORDER_ALREADY_CAPTURED: 'Order already captured. If intent=CAPTURE only one capture per order is allowed.',
  ORDER_COMPLETED_OR_VOIDED: 'Order is voided or completed and hence cannot be captured.',
  ORDER_NOT_APPROVED:
    "Payer has not yet approved the Order for payment. Please redirect the payer to the 'rel':'approve' url returned as part of the HATEOAS links within the Create Order call or provide a valid payment_source in the request.",
  PATH_NOT_FOUND: 'There is nothing at this path.',
  PAYPAL_REQUEST_ID_PREVIOUSLY_USED: 'The PayPal-Request-ID has already been used for another request.',
  PAYPAL_REQUEST_ID_REQUIRED:
    "A PayPal-Request-Id is required if you are trying to process payment for an Order. Please specify a PayPal-Request-Id or Create the Order without a 'payment_source' specified.",
  PAYEE_ACCOUNT_RESTRICTED: 'Payee account is restricted.',
  PAYER_ACTION_REQUIRED: 'Transaction cannot complete successfully, instruct the buyer to return to PayPal.',
  PENDING_CAPTURE:
    'Cannot initiate a refund as the capture is pending. Capture is typically pending when the payer has funded the transaction by using an e-check or bank account.',
  PREVIOUS_REQUEST_IN_PROGRESS:
    'A previous request on this resource is currently in progress. Please wait for sometime and try again. It is best to space out the initial and the subsequent request(s) to avoid receiving this error.',
  REFUND_AMOUNT_EXCEEDED:
    'The refund amount must be less than or equal to the capture amount that has not yet been refunded.',
  SOMETHING_NEW: 'An issue that PayPal does not have.',
  TAX_TOTAL_MISMATCH: 'Should equal sum of (tax * quantity) across all items for a given purchase_unit.',
  TAX_TOTAL_REQUIRED: 'Should equal sum of (tax * quantity) across all items for a given purchase_unit.',
  TRANSACTION_REFUSED: 'The request was refused.',
  UNSUPPORTED_PATCH_OPERATION: 'The operation is not supported.',
} as const
export type Issue = keyof typeof descriptions

export const detail = (issue: Issue, more: Partial<Detail> = {}): Detail => ({
  issue,
  description: descriptions[issue],
  ...more,
})

/** A refusal of business rules (422) with one issue. */
export const unprocessable = (issue: Issue, more?: Partial<Detail>, links?: Link[]) =>
  new PayPalError('UNPROCESSABLE_ENTITY', [detail(issue, more)], links)

/** A malformed request (400) with one issue. */
export const invalid = (issue: Issue, more?: Partial<Detail>) =>
  new PayPalError('INVALID_REQUEST', [detail(issue, more)])

export const notFound = (field: string, value: string) =>
  new PayPalError('RESOURCE_NOT_FOUND', [detail('INVALID_RESOURCE_ID', { field, value, location: 'path' })])
