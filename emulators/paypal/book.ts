import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Faults } from './faults.ts'
import {
  type Capture,
  type HookEvent,
  hasLeft,
  type Order,
  type Refund,
  type Remembered,
  type SigningKey,
} from './model.ts'
import { centsOf } from './money.ts'

/** Delivered events kept for the page; waiting ones are always kept. */
const eventsKept = 5000
/** A table is looked through again once it has grown by this factor. */
const slack = 1.1

const createTables = () => ({
  order: new Map<string, Order>(),
  capture: new Map<string, Capture>(),
  refund: new Map<string, Refund>(),
  event: new Map<string, HookEvent>(),
  remembered: new Map<string, Remembered>(),
  key: new Map<string, SigningKey>(),
  faults: new Map<string, Partial<Faults>>(),
  /** How many orders were forgotten. */
  forgotten: new Map<string, { orders: number }>(),
})
type Tables = ReturnType<typeof createTables>
type Sum = { ordered: number; captured: number; pending: number; refunded: number; net: number }
type TableName = keyof Tables
type Row<T extends TableName> = Tables[T] extends Map<string, infer R> ? R : never

export type Book = Awaited<ReturnType<typeof openBook>>

/**
 * Everything the emulator knows, in memory, with every change also written to the journal. Beyond `keepOrders` the oldest
 * orders are forgotten, so that memory stays flat; those that are approved, or whose payment is pending, are always kept.
 */
export async function openBook(stateFile?: string, keepOrders = Infinity) {
  const tables = createTables()
  let trimEventsAt = eventsKept
  let forgetAt = keepOrders * slack
  const paidInvoices = new Map<string, string>()
  const refundsOf = new Map<string, string[]>()

  const index = (kind: TableName, id: string): void => {
    if (kind === 'capture') {
      const capture = tables.capture.get(id)
      if (capture?.invoiceId && capture.status !== 'DECLINED' && capture.status !== 'FAILED') {
        paidInvoices.set(capture.invoiceId, id)
      } else if (capture?.invoiceId && paidInvoices.get(capture.invoiceId) === id) {
        paidInvoices.delete(capture.invoiceId)
      }
    }
    if (kind === 'refund') {
      const captureId = tables.refund.get(id)?.captureId ?? ''
      const list = refundsOf.get(captureId) ?? []
      if (!list.includes(id)) refundsOf.set(captureId, [...list, id])
    }
  }

  const apply = ([kind, id, patch]: Line): void => {
    if (!Object.hasOwn(tables, kind)) return
    // The tables differ only in their row type, which the journal's own writer guarantees.
    const table = tables[kind as TableName] as Map<string, object>
    if (patch === null) {
      if (kind === 'capture') {
        const { invoiceId = '' } = tables.capture.get(id) ?? {}
        if (paidInvoices.get(invoiceId) === id) paidInvoices.delete(invoiceId)
        refundsOf.delete(id)
      }
      table.delete(id)
      return
    }
    const row = table.get(id)
    if (row) Object.assign(row, patch)
    else table.set(id, patch as object)
    index(kind as TableName, id)
    if (kind === 'event') trimEvents()
  }

  /** Drops the oldest settled events from memory; the journal keeps them until the next start. */
  const trimEvents = (): void => {
    if (tables.event.size <= trimEventsAt) return
    for (const [id, event] of tables.event) {
      if (tables.event.size <= eventsKept) break
      if (event.state !== 'waiting') tables.event.delete(id)
    }
    trimEventsAt = Math.max(eventsKept, tables.event.size) * slack
  }

  function* rows(): Generator<Line> {
    for (const [kind, table] of Object.entries(tables)) for (const [id, row] of table) yield [kind, id, row]
  }

  const journal: Journal = stateFile ? await openJournal(stateFile, apply, rows) : memoryJournal
  const record = (line: Line): void => {
    journal.append(line)
    apply(line)
  }

  const isOver = ({ status, captureIds }: Order): boolean =>
    status !== 'APPROVED' && captureIds.every((id) => tables.capture.get(id)?.status !== 'PENDING')

  const forgetOldest = (): void => {
    if (tables.order.size <= forgetAt) return
    let orders = tables.forgotten.get('current')?.orders ?? 0
    for (const order of tables.order.values()) {
      if (tables.order.size <= keepOrders) break
      if (!isOver(order)) continue
      for (const id of order.captureIds) {
        for (const refund of refundsOf.get(id) ?? []) record(['refund', refund, null])
        record(['capture', id, null])
      }
      record(['order', order.id, null])
      orders += 1
    }
    record(['forgotten', 'current', { orders }])
    forgetAt = Math.max(keepOrders, tables.order.size) * slack
  }

  return {
    forgotten: (): number => tables.forgotten.get('current')?.orders ?? 0,
    orders: tables.order as ReadonlyMap<string, Order>,
    captures: tables.capture as ReadonlyMap<string, Capture>,
    refunds: tables.refund as ReadonlyMap<string, Refund>,
    events: tables.event as ReadonlyMap<string, HookEvent>,
    remembered: tables.remembered as ReadonlyMap<string, Remembered>,
    signingKey: (): SigningKey | undefined => tables.key.get('current'),
    savedFaults: (): Partial<Faults> => tables.faults.get('current') ?? {},
    written: () => journal.written(),
    close: () => journal.close(),

    insert<T extends TableName>(kind: T, id: string, row: Row<T>): Row<T> {
      record([kind, id, row])
      if (kind === 'order') forgetOldest()
      return row
    },
    /** A row for the page only: gone after a restart. */
    note: <T extends TableName>(kind: T, id: string, row: Row<T>): void => apply([kind, id, row]),
    update: <T extends TableName>(kind: T, id: string, patch: Partial<Row<T>>): void =>
      record([kind, id, patch]),
    remove: (kind: TableName, id: string): void => record([kind, id, null]),
    /** The capture that already paid this invoice number, if any. */
    captureOfInvoice: (invoiceId: string): string | undefined => paidInvoices.get(invoiceId),
    refundsOf: (captureId: string): Refund[] =>
      (refundsOf.get(captureId) ?? []).flatMap((id) => tables.refund.get(id) ?? []),

    /** What was ordered and what became of the money, by currency. */
    sums(): Record<string, Sum> {
      const sums: Record<string, Sum> = {}
      const of = (currency: string) =>
        (sums[currency] ??= { ordered: 0, captured: 0, pending: 0, refunded: 0, net: 0 })
      for (const { units } of tables.order.values())
        for (const unit of units) of(unit.amount.currency_code).ordered += centsOf(unit)
      for (const { currency, cents, status } of tables.capture.values()) {
        if (status === 'PENDING') of(currency).pending += cents
        else if (status !== 'DECLINED' && status !== 'FAILED') of(currency).captured += cents
      }
      for (const refund of tables.refund.values())
        if (hasLeft(refund)) of(refund.currency).refunded += refund.cents
      for (const sum of Object.values(sums)) sum.net = sum.captured - sum.refunded
      return sums
    },

    /** Forgets everything but the signing key. */
    async reset(): Promise<void> {
      const key = tables.key.get('current')
      for (const table of Object.values(tables)) table.clear()
      paidInvoices.clear()
      refundsOf.clear()
      await journal.clear()
      if (key) {
        tables.key.set('current', key)
        journal.append(['key', 'current', key])
      }
      await journal.written()
    },
  }
}

type Line = [kind: string, id: string, patch: unknown]

type Journal = {
  append(line: Line): void
  /** Resolves when everything appended so far has been handed to the operating system. */
  written(): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

const memoryJournal: Journal = {
  append() {},
  written: () => Promise.resolve(),
  clear: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/**
 * An append-only file of JSON lines. Appends that wait at the same moment leave in one write; a killed
 * process loses nothing that a response told, because responses wait for `written()`. No fsync: a power cut is
 * not imitated.
 */
async function openJournal(
  file: string,
  replay: (line: Line) => void,
  rows: () => Iterable<Line>,
): Promise<Journal> {
  mkdirSync(dirname(file), { recursive: true })
  let whole = existsSync(file) ? await replayFile(file, replay) : 0
  let needed = 0
  for (const row of rows()) needed += Buffer.byteLength(lineOf(row))
  if (whole > needed * 2) whole = await shorten(file, rows(), needed)
  const handle: FileHandle = await open(file, 'a', 0o600)
  const { size } = await handle.stat()
  if (size > whole) await handle.truncate(whole)
  else if (size < whole) await handle.appendFile('\n')

  let gathering = newBatch()
  let writer: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    // One turn of the event loop lets the requests of the same moment share the write.
    await new Promise((resolve) => setImmediate(resolve))
    const batch = gathering
    gathering = newBatch()
    try {
      await handle.appendFile(batch.lines.join(''))
      batch.resolve()
    } catch (error) {
      batch.reject(error)
    }
  }

  return {
    append(line) {
      gathering.lines.push(lineOf(line))
      if (gathering.lines.length === 1) writer = writer.then(flush)
    },
    written: () => (gathering.lines.length > 0 ? gathering.done : writer),
    async clear() {
      await writer
      await handle.truncate(0)
    },
    async close() {
      await writer
      await handle.close()
    },
  }
}

const lineOf = (line: Line): string => `${JSON.stringify(line)}\n`

/** Rewrites a journal with what is still known. */
async function shorten(file: string, rows: Iterable<Line>, size: number): Promise<number> {
  const draft = `${file}.new`
  await pipeline(Readable.from(rows).map(lineOf), createWriteStream(draft, { mode: 0o600 }))
  await rename(draft, file)
  return size
}

type Batch = { lines: string[]; done: Promise<void>; resolve: () => void; reject: (error: unknown) => void }

function newBatch(): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {})
  return { lines: [], done: promise, resolve, reject }
}

/** Replays whole lines and returns how many bytes of the file are good: a torn last line is left out. */
async function replayFile(file: string, replay: (line: Line) => void): Promise<number> {
  let good = 0
  let number = 0
  let torn: number | undefined
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  for await (const text of lines) {
    number += 1
    if (torn !== undefined) throw new Error(`${file}: line ${torn} is damaged and is not the last one`)
    const line = parseLine(text)
    if (line) {
      replay(line)
      good += Buffer.byteLength(text) + 1
    } else {
      torn = number
    }
  }
  return good
}

function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.length === 3 ? (value as Line) : undefined
  } catch {
    return undefined
  }
}
