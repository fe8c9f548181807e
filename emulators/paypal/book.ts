import type { Faults } from './faults.ts'
import { type Journal, type Line, memoryJournal, openJournal } from './journal.ts'
import type { Capture, HookEvent, Order, Refund, Remembered, SigningKey } from './model.ts'

/** Delivered events kept in memory for the page; waiting ones are always kept. */
const eventsKept = 5000

type Tables = {
  order: Map<string, Order>
  capture: Map<string, Capture>
  refund: Map<string, Refund>
  event: Map<string, HookEvent>
  remembered: Map<string, Remembered>
  key: Map<string, SigningKey>
  faults: Map<string, Partial<Faults>>
}
export type TableName = keyof Tables
type Row<T extends TableName> = Tables[T] extends Map<string, infer R> ? R : never

export type Book = Awaited<ReturnType<typeof openBook>>

/** Everything the emulator knows, in memory, with every change also written to the journal. */
export async function openBook(stateFile?: string) {
  const tables: Tables = {
    order: new Map(),
    capture: new Map(),
    refund: new Map(),
    event: new Map(),
    remembered: new Map(),
    key: new Map(),
    faults: new Map(),
  }
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
      table.delete(id)
      return
    }
    const row = table.get(id)
    if (row) Object.assign(row, patch)
    else table.set(id, patch as object)
    index(kind as TableName, id)
  }

  const journal: Journal = stateFile ? await openJournal(stateFile, apply) : memoryJournal

  return {
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
      const line: Line = [kind, id, row]
      journal.append(line)
      apply(line)
      return row
    },
    /** A row for the page only: gone after a restart. */
    note<T extends TableName>(kind: T, id: string, row: Row<T>): void {
      apply([kind, id, row])
    },
    update<T extends TableName>(kind: T, id: string, patch: Partial<Row<T>>): void {
      const line: Line = [kind, id, patch]
      journal.append(line)
      apply(line)
    },
    remove(kind: TableName, id: string): void {
      const line: Line = [kind, id, null]
      journal.append(line)
      apply(line)
    },
    /** Drops the oldest settled events from memory; the journal keeps them. */
    trimEvents(): void {
      for (const [id, event] of tables.event) {
        if (tables.event.size <= eventsKept) break
        if (event.state === 'waiting') break
        tables.event.delete(id)
      }
    },
    /** The capture that already paid this invoice number, if any. */
    captureOfInvoice: (invoiceId: string): string | undefined => paidInvoices.get(invoiceId),
    refundsOf: (captureId: string): Refund[] =>
      (refundsOf.get(captureId) ?? []).flatMap((id) => tables.refund.get(id) ?? []),

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
