import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse/sync'
import type { MessageKey } from '#i18n/keys.ts'
import { type MessageValues, Refusal } from '#shared/refusal.ts'
import {
  type DateOrder,
  STATEMENT_COLUMNS,
  type StatementColumn,
  findColumns,
  findDateOrder,
  isBooked,
  missingColumns,
  readDay,
  readSignedAmount,
  readZone,
} from '../statement.rules.ts'

const MAX_ROWS = 100_000
/** PayPal's longest download has about sixty. */
const MAX_COLUMNS = 200
/** Characters of a row. */
const MAX_ROW = 20_000
/** Rows at a time; other calls get a response in between. */
const ROWS_AT_ONCE = 1_000
const TYPE_LENGTH = 60
const KEPT_LENGTH = 300
const ID = /^[\w-]{6,64}$/

/** A row that moved money; in cents. */
export interface StatementEntry {
  id: string
  reference: string
  /** What the shop gave to the provider: the order's number and its id. */
  invoice: string
  custom: string
  day: string
  /** What its kind is read from; not kept. */
  words: string
  /** Empty where the file has none. */
  type: string
  currency: string
  gross: number
  fee: number
  net: number
}

export interface StatementFile {
  hash: Buffer
  rows: number
  unbooked: number
  from: string
  to: string
  /** Zones of the clock on the first and the last day. */
  zones: { from: string; to: string } | undefined
  entries: StatementEntry[]
}

type Fault =
  | 'encoding'
  | 'malformed'
  | 'empty'
  | 'columns'
  | 'tooManyRows'
  | 'tooManyColumns'
  | 'tooMuch'
  | 'date'
  | 'dateOrder'
  | 'amount'
  | 'transactionId'
  | 'currency'
  | 'sum'
  | 'statementPeriod'

/** A file that cannot be read or compared. */
export class StatementFault extends Refusal {
  readonly fault: Fault
  readonly shown: MessageValues

  constructor(fault: Fault, shown: MessageValues) {
    const key = `consoleReports.refusals.${fault}` as MessageKey
    super(`reports.statement.${fault}`, 422, key, { values: shown })
    this.fault = fault
    this.shown = shown
  }
}

export const statementFault = (fault: Fault, values: MessageValues = {}): StatementFault =>
  new StatementFault(fault, values)

/** Mistakes are found, and the byte order mark stays for `decode` to take away. */
const decoderOf = (encoding: string) => new TextDecoder(encoding, { fatal: true, ignoreBOM: true })

/** UTF-16 by its byte order mark, or without one by the zeros beside the letters of its first line; else UTF-8. */
function encodingOf(file: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = file
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const head = file.subarray(0, 64)
  const zeros = (from: 0 | 1): number => head.filter((byte, at) => at % 2 === from && byte === 0).length
  if (zeros(1) > head.length / 4 && zeros(0) === 0) return 'utf-16le'
  if (zeros(0) > head.length / 4 && zeros(1) === 0) return 'utf-16be'
  return 'utf-8'
}

/**
 * Reads PayPal's activity download. It may take seconds and a hundred megabytes: see statement-thread.ts.
 * @throws StatementFault that names the row and the column
 */
export function readStatement(file: Uint8Array, chosen: DateOrder | undefined): StatementFile {
  const text = decode(file)
  const { head, rows } = readRows(text)
  if (rows.length === 0) throw statementFault('empty')
  if (rows.length > MAX_ROWS) throw statementFault('tooManyRows', { most: MAX_ROWS })
  const columns = findColumns(head)
  const missing = missingColumns(columns)
  if (missing.length > 0)
    throw statementFault('columns', {
      columns: missing.map((column) => STATEMENT_COLUMNS[column].join(' / ')).join(', '),
    })
  const cell = ({ cells }: Row, column: StatementColumn): string => cells.get(column) ?? ''
  const nameOf = (column: StatementColumn): string => head[columns.get(column) ?? -1]?.trim() ?? column
  const order = chosen ?? findDateOrder(rows.map((row) => cell(row, 'date')))
  if (order === undefined) throw statementFault('dateOrder')

  const fail = (fault: Fault, line: Row, column: StatementColumn): Refusal =>
    statementFault(fault, {
      row: line.row,
      column: nameOf(column),
      value: shorten(cell(line, column)),
    })
  let [first, last] = [
    { day: '', zone: '' },
    { day: '', zone: '' },
  ]
  const entries = new Map<string, StatementEntry>()
  for (const line of rows) {
    if (line.hasControls) throw statementFault('malformed', { row: line.row })
    const day = readDay(cell(line, 'date'), order)
    if (day === undefined) throw fail('date', line, 'date')
    if (first.day === '' || day < first.day) first = { day, zone: cell(line, 'zone') }
    if (day > last.day) last = { day, zone: cell(line, 'zone') }
    if (!isBooked({ status: cell(line, 'status'), impact: cell(line, 'impact') })) continue
    const id = cell(line, 'id')
    if (!ID.test(id)) throw fail('transactionId', line, 'id')
    // Items of a cart follow their payment under its id.
    if (entries.has(id)) continue
    const currency = cell(line, 'currency')
    if (!/^[A-Z]{3}$/.test(currency)) throw fail('currency', line, 'currency')
    const amountOf = (column: 'gross' | 'fee' | 'net'): number => {
      const amount = readSignedAmount(cell(line, column), currency)
      if (amount === undefined) throw fail('amount', line, column)
      return amount
    }
    const [gross, fee, net] = [amountOf('gross'), amountOf('fee'), amountOf('net')]
    if (gross + fee !== net) throw fail('sum', line, 'net')
    entries.set(id, {
      id,
      reference: keep(cell(line, 'reference')),
      invoice: keep(cell(line, 'invoice')),
      custom: keep(cell(line, 'custom')),
      day,
      words: keep(cell(line, columns.has('type') ? 'type' : 'description')),
      type: shorten(cell(line, 'type')),
      currency,
      gross,
      fee,
      net,
    })
  }
  const [zoneFrom, zoneTo] = [readZone(first.zone), readZone(last.zone)]
  return {
    hash: createHash('sha256').update(file).digest(),
    rows: rows.length,
    unbooked: rows.length - entries.size,
    from: first.day,
    to: last.day,
    zones: zoneFrom !== undefined && zoneTo !== undefined ? { from: zoneFrom, to: zoneTo } : undefined,
    entries: [...entries.values()],
  }
}

/** Of a text that is shown or kept; half a character at its end becomes a replacement character. */
const shorten = (text: string): string => text.slice(0, TYPE_LENGTH).toWellFormed()

/** Of what is compared: no id of ours or of PayPal is longer. */
const keep = (text: string): string => text.slice(0, KEPT_LENGTH)

/** Characters that no statement has, and the database refuses. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\u{8}\u{B}\u{C}\u{E}-\u{1F}]/u

/** Items in order, with time for other work after each thousand. */
export async function* inTurns<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const [index, item] of items.entries()) {
    if (index % ROWS_AT_ONCE === 0) await setImmediate()
    yield item
  }
}

function decode(file: Uint8Array): string {
  // What is no UTF-8 was saved by a spreadsheet of Western Europe. Its encoding has a character for every byte; the names
  // of the columns and the amounts are checked afterwards.
  for (const encoding of new Set([encodingOf(file), 'windows-1252']))
    try {
      const text = decoderOf(encoding)
        .decode(file)
        .replace(/^\u{FEFF}/u, '')
      if (encoding !== 'windows-1252' || !text.includes('\0')) return text
    } catch {
      // Not this one.
    }
  throw statementFault('encoding')
}

interface Row {
  /** As a spreadsheet counts: the header is 1. */
  row: number
  /** Those that are read. */
  cells: ReadonlyMap<StatementColumn, string>
  /** In any cell. */
  hasControls: boolean
}

/** The one of which the header has most. */
const separatorOf = (header: string): string =>
  [',', ';', '\t'].reduce((best, one) => (count(header, one) > count(header, best) ? one : best))

const count = (text: string, part: string): number => text.split(part).length

function readRows(text: string): { head: string[]; rows: Row[] } {
  const delimiter = separatorOf(text.slice(0, Math.min(text.search(/\r|\n|$/), MAX_ROW)))
  requireBounds(text, delimiter)
  let head: string[] | undefined
  let columns: ReturnType<typeof findColumns>
  const rows: Row[] = []
  // The other cells of a row are forgotten at once.
  const keepRow = (record: string[], { records: row }: { records: number }): null => {
    if (head) {
      const cells = new Map([...columns].map(([column, at]) => [column, record[at]?.trim() ?? ''] as const))
      rows.push({ row, cells, hasControls: record.some((one) => CONTROL.test(one)) })
    } else {
      head = record
      columns = findColumns(record)
    }
    return null
  }
  try {
    parse(text, { delimiter, skip_empty_lines: true, on_record: keepRow as never })
  } catch (error) {
    if (error instanceof CsvError)
      throw statementFault('malformed', { row: Number(error['records'] ?? 0) + 1 })
    throw error
  }
  return { head: head ?? [], rows }
}

/** Counts before anything is parsed: a parser makes a string of every cell. */
function requireBounds(text: string, delimiter: string): void {
  const [separator, quote, feed, back] = [delimiter, '"', '\n', '\r'].map((one) => one.charCodeAt(0))
  let [row, begin, columns, isQuoted] = [1, 0, 1, false]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (at - begin > MAX_ROW) throw statementFault('malformed', { row })
    if (code === quote) isQuoted = !isQuoted
    else if (!isQuoted && code === separator) {
      columns += 1
      if (columns > MAX_COLUMNS) throw statementFault('tooManyColumns', { row, most: MAX_COLUMNS })
    } else if (!isQuoted && (code === feed || code === back)) {
      // An empty line is none.
      if (at > begin) row += 1
      if (row > MAX_ROWS + 2) throw statementFault('tooManyRows', { most: MAX_ROWS })
      begin = at + 1
      columns = 1
    }
  }
}
