import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { MessageKey } from '#i18n/keys.ts'
import { Refusal } from '#shared/refusal.ts'
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
const MAX_CELL = 20_000
/** Of the file and of its rows at a time; other calls are answered in between. */
const CHUNK_BYTES = 64 * 1024
const ROWS_AT_ONCE = 1_000
const TYPE_LENGTH = 60
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
  | 'date'
  | 'dateOrder'
  | 'amount'
  | 'transactionId'
  | 'currency'
  | 'sum'
  | 'statementPeriod'

export const statementFault = (fault: Fault, values: Record<string, string | number> = {}): Refusal =>
  new Refusal(`reports.statement.${fault}`, 422, `consoleReports.refusals.${fault}` as MessageKey, { values })

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads PayPal's activity download. @throws Refusal that names the row and the column */
export async function readStatement(file: Buffer, chosen: DateOrder | undefined): Promise<StatementFile> {
  const text = decode(file)
  const records = await readRecords(text)
  const [head, ...rows] = records
  if (!head || rows.length === 0) throw statementFault('empty')
  const columns = findColumns(head.cells)
  const missing = missingColumns(columns)
  if (missing.length > 0)
    throw statementFault('columns', {
      columns: missing.map((column) => STATEMENT_COLUMNS[column].join(' / ')).join(', '),
    })
  const cell = ({ cells }: Line, column: StatementColumn): string =>
    cells[columns.get(column) ?? -1]?.trim() ?? ''
  const nameOf = (column: StatementColumn): string => head.cells[columns.get(column) ?? -1]?.trim() ?? column
  const order = chosen ?? findDateOrder(rows.map((row) => cell(row, 'date')))
  if (order === undefined) throw statementFault('dateOrder')

  const fail = (fault: Fault, line: Line, column: StatementColumn): Refusal =>
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
  for await (const line of inTurns(rows)) {
    if (line.cells.some((text) => CONTROL.test(text))) throw statementFault('malformed', { row: line.row })
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
      reference: cell(line, 'reference'),
      invoice: cell(line, 'invoice'),
      custom: cell(line, 'custom'),
      day,
      words: cell(line, columns.has('type') ? 'type' : 'description'),
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

function decode(file: Buffer): string {
  try {
    return decoder.decode(file).replace(/^\u{FEFF}/u, '')
  } catch {
    throw statementFault('encoding')
  }
}

interface Line {
  /** As a spreadsheet counts: the header is 1. */
  row: number
  cells: string[]
}

/** The one of which the header has most. */
const separatorOf = (header: string): string =>
  [',', ';', '\t'].reduce((best, one) => (count(header, one) > count(header, best) ? one : best))

const count = (text: string, part: string): number => text.split(part).length

async function readRecords(text: string): Promise<Line[]> {
  const delimiter = separatorOf(text.slice(0, text.search(/\r|\n|$/)))
  const parser = parse({ delimiter, skip_empty_lines: true, max_record_size: MAX_CELL, info: true })
  const chunks = async function* (): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += CHUNK_BYTES) {
      await setImmediate()
      yield text.slice(at, at + CHUNK_BYTES)
    }
  }
  const source = Readable.from(chunks()).pipe(parser)
  const lines: Line[] = []
  try {
    for await (const { record, info } of source as AsyncIterable<{
      record: string[]
      info: { records: number }
    }>) {
      if (lines.length > MAX_ROWS) throw statementFault('tooManyRows', { most: MAX_ROWS })
      lines.push({ row: info.records, cells: record })
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw statementFault('malformed', { row: Number(error['records'] ?? 0) + 1 })
    throw error
  }
  return lines
}
