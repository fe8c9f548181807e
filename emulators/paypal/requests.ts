import { type Detail, detail, invalid, type Issue, PayPalError, unprocessable } from './errors.ts'
import { FUNDING_NAMES } from './funding.ts'
import {
  type Breakdown,
  type BreakdownKey,
  breakdownKeys,
  type Context,
  type Item,
  type Money,
  type Order,
  type Unit,
} from './model.ts'
import { isSupportedCurrency, parseAmount } from './money.ts'

type Json = Record<string, unknown>
type TextRule = { required?: boolean; max?: number; exact?: number }

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a JSON body field by field and gathers every fault before refusing the whole. */
export function createReader() {
  const details: Detail[] = []
  const add = (issue: Issue, field: string, value?: string): void => {
    details.push(detail(issue, { location: 'body', field, ...(value === undefined ? {} : { value }) }))
  }
  const missing = (field: string): void => add('MISSING_REQUIRED_PARAMETER', field)
  const syntax = (field: string): void => add('INVALID_PARAMETER_SYNTAX', field)

  return {
    add,
    missing,
    object(value: unknown, field: string): Json {
      if (isObject(value)) return value
      if (value === undefined) missing(field || '/')
      else syntax(field || '/')
      return {}
    },
    list(parent: Json, key: string, field: string, max = 1000): unknown[] {
      const value = parent[key]
      if (value === undefined) missing(field)
      else if (!Array.isArray(value)) syntax(field)
      else if (value.length === 0) add('INVALID_ARRAY_MIN_ITEMS', field)
      else if (value.length > max) add('INVALID_ARRAY_MAX_ITEMS', field)
      else return value
      return []
    },
    text(parent: Json, key: string, field: string, rule: TextRule = {}): string | undefined {
      const value = parent[key]
      if (value === undefined || value === null || (value === '' && rule.required)) {
        if (rule.required) missing(field)
        return undefined
      }
      if (typeof value !== 'string') {
        syntax(field)
        return undefined
      }
      const { max = 4000, exact } = rule
      if (exact !== undefined && value.length !== exact) add('INVALID_STRING_LENGTH', field, value)
      else if (value.length > max) add('INVALID_STRING_MAX_LENGTH', field)
      return value
    },
    finish(): void {
      if (details.length > 0) throw new PayPalError('INVALID_REQUEST', dedupe(details))
    },
  }
}

/** One detail for each field and issue. */
const dedupe = (details: readonly Detail[]): Detail[] =>
  details.filter(
    ({ field, issue }, at) => details.findIndex((one) => one.field === field && one.issue === issue) === at,
  )

export type OrderRequest = Pick<Order, 'units' | 'context' | 'source'>

const unitsLimit = 10

/**
 * Reads the body of `POST /v2/checkout/orders`. Malformed fields are 400 with one detail each; a body that
 * is well formed but does not add up is 422, as PayPal's list of Orders v2 errors has it.
 */
export function readOrderRequest(body: unknown): OrderRequest {
  const reader = createReader()
  const root = reader.object(body, '')
  const intent = reader.text(root, 'intent', '/intent', { required: true })
  const list = reader.list(root, 'purchase_units', '/purchase_units', unitsLimit)
  const units = list.map((raw, at) => readUnit(reader, raw, `/purchase_units/${at}`, list.length))
  const { context, source } = readContext(reader, root)
  reader.finish()

  if (intent === 'AUTHORIZE') {
    throw unprocessable('AUTHORIZATION_NOT_IMITATED', { field: '/intent', value: intent })
  }
  if (intent !== 'CAPTURE') {
    throw invalid('INVALID_PARAMETER_VALUE', { location: 'body', field: '/intent', value: intent ?? '' })
  }
  checkUnits(units)
  return { units, context, ...(source ? { source } : {}) }
}

type Reader = ReturnType<typeof createReader>

const noMoney: Money = { currency_code: '', value: '' }

function readMoney(reader: Reader, parent: Json, key: string, field: string): Money | undefined {
  if (parent[key] === undefined) return undefined
  const raw = reader.object(parent[key], field)
  const currency = reader.text(raw, 'currency_code', `${field}/currency_code`, { required: true, exact: 3 })
  const value = reader.text(raw, 'value', `${field}/value`, { required: true, max: 32 })
  return { currency_code: currency ?? '', value: value ?? '' }
}

function readUnit(reader: Reader, input: unknown, field: string, count: number): Unit {
  const raw = reader.object(input, field)
  const amountRaw = reader.object(raw['amount'], `${field}/amount`)
  const amount = readMoney(reader, raw, 'amount', `${field}/amount`) ?? noMoney
  const breakdownRaw =
    amountRaw['breakdown'] === undefined
      ? {}
      : reader.object(amountRaw['breakdown'], `${field}/amount/breakdown`)
  const breakdown: Breakdown = {}
  for (const key of breakdownKeys) {
    const part = readMoney(reader, breakdownRaw, key, `${field}/amount/breakdown/${key}`)
    if (part) breakdown[key] = part
  }
  const text = (key: string, max: number) => reader.text(raw, key, `${field}/${key}`, { max })
  const reference = text('reference_id', 256)
  if (!reference && count > 1) reader.missing(`${field}/reference_id`)
  const itemsRaw = raw['items'] === undefined ? undefined : reader.list(raw, 'items', `${field}/items`)
  const items = itemsRaw?.map((item, at) => readItem(reader, item, `${field}/items/${at}`))
  return compact({
    reference_id: reference ?? 'default',
    amount: Object.keys(breakdown).length > 0 ? { ...amount, breakdown } : amount,
    description: text('description', 3000),
    custom_id: text('custom_id', 255),
    invoice_id: text('invoice_id', 127),
    soft_descriptor: text('soft_descriptor', 22),
    items,
  }) as Unit
}

function readItem(reader: Reader, input: unknown, field: string): Item {
  const raw = reader.object(input, field)
  const text = (key: string, max: number, required = false) =>
    reader.text(raw, key, `${field}/${key}`, { max, required })
  if (raw['unit_amount'] === undefined) reader.missing(`${field}/unit_amount`)
  const quantity = text('quantity', 10, true) ?? ''
  if (quantity && !/^[1-9]\d*$/.test(quantity))
    reader.add('INVALID_PARAMETER_VALUE', `${field}/quantity`, quantity)
  return compact({
    name: text('name', 127, true) ?? '',
    quantity,
    unit_amount: readMoney(reader, raw, 'unit_amount', `${field}/unit_amount`) ?? noMoney,
    tax: readMoney(reader, raw, 'tax', `${field}/tax`),
    description: text('description', 2048),
    sku: text('sku', 127),
    category: text('category', 20),
  }) as Item
}

function readContext(reader: Reader, root: Json): { context: Context; source?: OrderRequest['source'] } {
  const older = root['application_context']
  const payment = root['payment_source']
  if (payment === undefined) {
    return { context: older === undefined ? {} : contextFields(reader, older, '/application_context') }
  }
  const holder = reader.object(payment, '/payment_source')
  const source = FUNDING_NAMES.find((name) => holder[name] !== undefined)
  if (!source) {
    reader.add('INVALID_PARAMETER_VALUE', '/payment_source', Object.keys(holder).join(','))
    return { context: {} }
  }
  const inner = reader.object(holder[source], `/payment_source/${source}`)
  const field = `/payment_source/${source}/experience_context`
  const context = inner['experience_context'] ?? older
  return { source, context: context === undefined ? {} : contextFields(reader, context, field) }
}

function contextFields(reader: Reader, input: unknown, field: string): Context {
  const raw = reader.object(input, field)
  const text = (key: string, max: number) => reader.text(raw, key, `${field}/${key}`, { max })
  const address = (key: string): string | undefined => {
    const value = text(key, 4000)
    if (value !== undefined && !/^https?:\/\//.test(value))
      reader.add('INVALID_PARAMETER_VALUE', `${field}/${key}`, value)
    return value
  }
  return compact({
    return_url: address('return_url'),
    cancel_url: address('cancel_url'),
    brand_name: text('brand_name', 127),
    locale: text('locale', 10),
    user_action: text('user_action', 20),
  })
}

/** Drops the keys whose value is undefined. */
export function compact<T extends object>(row: T): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as T
}

/** The checks that need whole amounts: currencies, decimals, sums. Throws PayPal's 422. */
export function checkUnits(units: readonly Unit[]): void {
  const currency = units[0]?.amount.currency_code ?? ''
  const references = new Set(units.map((unit) => unit.reference_id))
  if (references.size !== units.length) {
    throw unprocessable('DUPLICATE_REFERENCE_ID', { field: '/purchase_units' })
  }
  if (!isSupportedCurrency(currency)) {
    throw unprocessable('CURRENCY_NOT_SUPPORTED', {
      field: '/purchase_units/0/amount/currency_code',
      value: currency,
    })
  }
  units.forEach((unit, at) => checkSums(unit, currency, `/purchase_units/${at}`))
}

function centsOf(money: Money, currency: string, field: string): number {
  if (money.currency_code !== currency) {
    throw unprocessable('MULTI_CURRENCY_ORDER', { field: `${field}/currency_code` })
  }
  const parsed = parseAmount(money.value, currency)
  if (parsed.ok) return parsed.cents
  const at = { field: `${field}/value`, value: money.value }
  if (parsed.why === 'precision') throw unprocessable('DECIMAL_PRECISION', at)
  if (parsed.why === 'negative') throw unprocessable('CANNOT_BE_NEGATIVE', at)
  throw invalid('INVALID_PARAMETER_VALUE', { location: 'body', ...at })
}

function checkSums(unit: Unit, currency: string, field: string): void {
  const total = centsOf(unit.amount, currency, `${field}/amount`)
  const whole = { field: `${field}/amount/value`, value: unit.amount.value }
  if (total === 0) throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', whole)
  const breakdown = unit.amount.breakdown
  const part = (key: BreakdownKey): number => {
    const money = breakdown?.[key]
    return money ? centsOf(money, currency, `${field}/amount/breakdown/${key}`) : 0
  }
  const items = unit.items ?? []
  const sum = (of: (item: Item, at: string) => number) =>
    items.reduce((all, item, at) => all + of(item, `${field}/items/${at}`) * Number(item.quantity), 0)
  const itemTotal = sum((item, at) => centsOf(item.unit_amount, currency, `${at}/unit_amount`))
  const taxTotal = sum((item, at) => (item.tax ? centsOf(item.tax, currency, `${at}/tax`) : 0))
  const partOf = (key: BreakdownKey) => ({
    field: `${field}/amount/breakdown/${key}/value`,
    value: breakdown?.[key]?.value ?? '',
  })
  if (items.length > 0 && !breakdown?.item_total) {
    throw unprocessable('ITEM_TOTAL_REQUIRED', { field: `${field}/amount/breakdown/item_total` })
  }
  if (items.length > 0 && part('item_total') !== itemTotal) {
    throw unprocessable('ITEM_TOTAL_MISMATCH', partOf('item_total'))
  }
  if (items.some((item) => item.tax) && part('tax_total') !== taxTotal) {
    throw unprocessable(
      breakdown?.tax_total ? 'TAX_TOTAL_MISMATCH' : 'TAX_TOTAL_REQUIRED',
      partOf('tax_total'),
    )
  }
  if (!breakdown) return
  const added =
    part('item_total') + part('tax_total') + part('shipping') + part('handling') + part('insurance')
  if (total !== added - part('shipping_discount') - part('discount')) {
    throw unprocessable('AMOUNT_MISMATCH', whole)
  }
}

export type RefundRequest = {
  amount?: { value: string; currency: string }
  note?: string
  invoiceId?: string
  customId?: string
}

/** Reads a refund's body; none, `{}` or one without `amount` means all that is left. */
export function readRefundRequest(body: unknown): RefundRequest {
  const reader = createReader()
  const root = body === undefined || body === null ? {} : reader.object(body, '')
  const amount = readMoney(reader, root, 'amount', '/amount')
  // An empty text counts as none.
  const text = (key: string, max: number) => reader.text(root, key, `/${key}`, { max }) || undefined
  const request = compact({
    amount: amount && { value: amount.value, currency: amount.currency_code },
    note: text('note_to_payer', 255),
    invoiceId: text('invoice_id', 127),
    customId: text('custom_id', 127),
  })
  reader.finish()
  return request
}

export type PatchOperation = { op: string; path: string; value?: unknown }

/** Reads the body of `PATCH /v2/checkout/orders/{id}`. */
export function readPatch(body: unknown): PatchOperation[] {
  const reader = createReader()
  const operations = reader.list({ body }, 'body', '/').map((input, at) => {
    const raw = reader.object(input, `/${at}`)
    return {
      op: reader.text(raw, 'op', `/${at}/op`, { required: true }) ?? '',
      path: reader.text(raw, 'path', `/${at}/path`, { required: true }) ?? '',
      value: raw['value'],
    }
  })
  reader.finish()
  return operations
}
