/** How a row of a PayPal statement is read: its columns, amounts and days in the languages of PayPal's downloads. */

/** Of a file. */
export const STATEMENT_MAX_BYTES = 24 * 1024 * 1024

/** Names of columns in English, French, Dutch and German, of the activity download and of the monthly statement. */
export const STATEMENT_COLUMNS = {
  date: ['Date', 'Datum'],
  type: ['Type', 'Typ'],
  /** Of the monthly statement, which has no type. It may name a payer. */
  description: ['Description', 'Omschrijving', 'Beschreibung'],
  zone: ['TimeZone', 'Time Zone', 'Fuseau horaire', 'Tijdzone', 'Zeitzone'],
  status: ['Status', 'État', 'Etat', 'Statut'],
  currency: ['Currency', 'Devise', 'Valuta', 'Währung'],
  gross: ['Gross', 'Avant commission', 'Brut', 'Bruto', 'Brutto'],
  fee: ['Fee', 'Fees', 'Commission', 'Frais', 'Kosten', 'Gebühr', 'Entgelt'],
  net: ['Net', 'Netto'],
  id: [
    'Transaction ID',
    'Numéro de transaction',
    'Transactiereferentie',
    'Transactie-ID',
    'Transaktionscode',
  ],
  reference: [
    'Reference Txn ID',
    'Numéro de la transaction de référence',
    'Referentie txn-ID',
    'Zugehöriger Transaktionscode',
  ],
  invoice: [
    'Invoice Number',
    'Invoice ID',
    'Numéro de facture',
    'Factuurnummer',
    'Factuurreferentie',
    'Rechnungsnummer',
  ],
  custom: ['Custom Number', 'Numéro de client', 'Aangepast nummer', 'Zollnummer'],
  impact: ['Balance Impact', 'Impact sur le solde', 'Effect op saldo', 'Auswirkung auf Guthaben'],
} as const
export type StatementColumn = keyof typeof STATEMENT_COLUMNS

const REQUIRED_COLUMNS = [
  'date',
  'type',
  'currency',
  'gross',
  'fee',
  'net',
  'id',
] as const satisfies StatementColumn[]

const plain = (text: string): string => text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

const NAMES = new Map(
  Object.entries(STATEMENT_COLUMNS).flatMap(([column, names]) =>
    names.map((name) => [plain(name), column as StatementColumn] as const),
  ),
)

/** Where the columns are in a header; of two of the same name the first counts. */
export function findColumns(header: readonly string[]): Map<StatementColumn, number> {
  const found = new Map<StatementColumn, number>()
  for (const [index, name] of header.entries()) {
    const column = NAMES.get(plain(name))
    if (column !== undefined && !found.has(column)) found.set(column, index)
  }
  return found
}

/** The columns that a file must have and has not. Either of type and description is enough. */
export const missingColumns = (columns: ReadonlyMap<StatementColumn, number>): StatementColumn[] =>
  REQUIRED_COLUMNS.filter(
    (column) => !columns.has(column) && !(column === 'type' && columns.has('description')),
  )

const LARGEST = 100_000_000_000
/** Currencies that PayPal writes without decimals. */
const WITHOUT_DECIMALS = new Set(['HUF', 'JPY', 'TWD'])
const AMOUNT = /^([+-]?)(\d{1,3}(?:([.,' ])\d{3})(?:\3\d{3})*|\d+)(?:([.,])(\d{2}))?$/

/** Cents of "1.234,56", "-1,234.56" or "1 234,56". @returns undefined for any other text */
export function readSignedAmount(text: string, currency = 'EUR'): number | undefined {
  const plainText = text
    .trim()
    .replaceAll(/[\u{A0}\u{202F}]/gu, ' ')
    .replace('\u{2212}', '-')
  const parts = AMOUNT.exec(plainText)
  if (!parts) return undefined
  const [, sign, whole = '', grouping, decimal, cents] = parts
  if (decimal !== undefined && decimal === grouping) return undefined
  // "1,234" may be either.
  if (cents === undefined && grouping !== undefined && !WITHOUT_DECIMALS.has(currency)) return undefined
  const amount = Number(whole.replaceAll(/\D/g, '')) * 100 + Number(cents ?? 0)
  if (amount > LARGEST) return undefined
  return sign === '-' && amount !== 0 ? -amount : amount
}

export const DATE_ORDERS = ['dmy', 'mdy'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

const PARTS = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/

const isoDay = (year: number, month: number, day: number): string | undefined => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return year >= 1998 && year <= 2100 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
    ? date.toISOString().slice(0, 10)
    : undefined
}

/** "2026-11-23" of a date as PayPal writes it. @param order of dates with slashes @returns undefined for no date */
export function readDay(text: string, order: DateOrder): string | undefined {
  const [, first = '', separator, second = '', third = ''] = PARTS.exec(text.trim()) ?? []
  const [one, two, three] = [Number(first), Number(second), Number(third)]
  if (first.length === 4) return isoDay(one, two, three)
  if (third.length !== 4) return undefined
  return separator === '/' && order === 'mdy' ? isoDay(three, one, two) : isoDay(three, two, one)
}

/**
 * Whether the file writes days or months first. Only dates with slashes can be read in two ways; then a day above 12
 * decides, or else that the rows are sorted.
 * @returns undefined when it cannot be told
 */
export function findDateOrder(rows: readonly string[]): DateOrder | undefined {
  const dates = rows.filter((date, index) => date !== rows[index - 1])
  if (dates.every((date) => readDay(date, 'dmy') === readDay(date, 'mdy'))) return 'dmy'
  const possible = DATE_ORDERS.filter((order) => dates.every((date) => readDay(date, order) !== undefined))
  if (possible.length < 2) return possible[0] ?? 'dmy'
  const sorted = possible.filter((order) => isSorted(dates.map((date) => readDay(date, order) ?? '')))
  return sorted.length === 1 ? sorted[0] : undefined
}

const isSorted = (days: readonly string[]): boolean => {
  const falls = days.some((day, index) => index > 0 && day < (days[index - 1] ?? ''))
  const rises = days.some((day, index) => index > 0 && day > (days[index - 1] ?? ''))
  return !(falls && rises)
}

const ZONES = new Set(
  'UTC GMT WET WEST BST CET CEST MEZ MESZ EET EEST EST EDT CST CDT MST MDT PST PDT'.split(' '),
)
const isNamedZone = (text: string): boolean =>
  text.includes('/') && Intl.supportedValuesOf('timeZone').includes(text)

/** The zone of a row's clock, by a name that the database knows. @returns undefined for any other text */
export const readZone = (text: string): string | undefined =>
  ZONES.has(text) || isNamedZone(text) ? text : undefined

const beginsWith = (...words: string[]) => new RegExp(`^(?:${words.join('|')})`, 'iu')
const has = (...words: string[]) => new RegExp(`(?:${words.join('|')})`, 'iu')

/** States of rows that have moved no money. */
const WAITING = beginsWith(
  'pending|denied|cancel+ed|voided|expired|failed|held|under review|unclaimed|created',
  'en attente|refus|annul|expir|échou|non réclamé',
  'in behandeling|in afwachting|geweigerd|geannuleerd|verlopen|mislukt|niet geclaimd',
  'offen|ausstehend|abgelehnt|storniert|abgelaufen|fehlgeschlagen|nicht eingefordert',
)
/** What the column says of rows that have moved no money. */
const MEMO = beginsWith('memo', 'mémo', 'note', 'notitie')

/** Whether the row has moved money. An unknown state counts: the comparison then shows the row. */
export const isBooked = ({ status, impact }: { status: string; impact: string }): boolean =>
  !WAITING.test(plain(status)) && !MEMO.test(plain(impact))

const REFUND = has(
  'refund|revers|chargeback',
  'rembours|rejet de paiement|annulation de paiement',
  'terugbetal|terugbetaling|terugboek',
  'rückzahl|rückerstatt|rückbuch|stornierung',
)
const PAYMENT = has('payment|checkout', 'paiement', 'betaling', 'zahlung')
/** What belongs to a payment and is none: fees of disputes, holds and their ends. */
const BESIDE = has(
  'fee|hold|reserve|cancell?ation|authorization',
  'frais|commission|blocage|retenue|réserve|autorisation',
  'kosten|vasthoud|blokkering|reservering|autorisatie|annulering',
  'gebühr|einbehalt|reserve|autorisierung|aufhebung',
)

/**
 * What a row is by its words and its sign, when its id is not known here.
 * @param isOurs whether it names an order of ours: then it is a payment, however it is called
 */
export function kindOf(type: string, gross: number, isOurs = false): 'payment' | 'refund' | 'other' {
  if (BESIDE.test(type)) return 'other'
  if (gross < 0) return REFUND.test(type) ? 'refund' : 'other'
  if (isOurs && gross > 0) return 'payment'
  return gross > 0 && PAYMENT.test(type) && !REFUND.test(type) ? 'payment' : 'other'
}
