/** Provisional and sealed lists (docs/draw-v1.md, section 7). */
import { LF, type Sha256, toBytes, toText } from './bytes.ts'
import { DrawFault } from './faults.ts'
import {
  ALGORITHM,
  HeaderReader,
  KINDS,
  type Kind,
  VOID_REASONS,
  type VoidReason,
  Values,
  headerFile,
} from './formats.ts'
import { MerkleRoots, leafHash } from './merkle.ts'

const TAG = 'volant-list-v1'
const HEADER_LINES = 12
const VALID = 'valid'
const VOID = 'void:'

export interface ListHeader {
  rehearsal: boolean
  contest: string
  termsHash: string
  logSize: number
  logRoot: string
  paid: number
  postal: number
  demo: number
  valid: number
  chain: string
  round: number
}

export interface ListRow {
  number: number
  kind: Kind
  commitment: string
  /** Why the entry is void; null when it is valid. */
  voided: VoidReason | null
}

/** What stands before the rows, the empty line included. */
export const listHeader = (header: ListHeader): Uint8Array => {
  const lines = headerFile(TAG, header.rehearsal, [
    ['contest', header.contest],
    ['terms', header.termsHash],
    ['log-size', header.logSize],
    ['log-root', header.logRoot],
    ['paid', header.paid],
    ['postal', header.postal],
    ['demo', header.demo],
    ['valid', header.valid],
    ['chain', header.chain],
    ['round', header.round],
    ['algorithm', ALGORITHM],
  ])
  return Uint8Array.of(...lines, LF)
}

/** A row, without LF. */
export const rowText = ({ number, kind, commitment, voided }: ListRow): string =>
  `${number}\t${kind}\t${commitment}\t${voided === null ? VALID : VOID + voided}`

const LONGEST_ROW = 128
const TAB = 0x09
const HEX = toBytes('0123456789abcdef')

/** The roots of a sealed list: of all its rows, and of those that are drawn from. */
export class ListTrees {
  readonly all: MerkleRoots
  readonly valid: MerkleRoots
  private readonly sha256: Sha256

  constructor(sha256: Sha256) {
    this.sha256 = sha256
    this.all = new MerkleRoots(sha256)
    this.valid = new MerkleRoots(sha256)
  }

  /** Appends a row, without LF. */
  add(row: Uint8Array): void {
    const hash = leafHash(this.sha256, row)
    this.all.addHash(hash)
    if (row[row.length - VALID.length - 1] === TAB) this.valid.addHash(hash)
  }
}

/** Writes rows with their LF into the same bytes again and again: a list can have millions. */
export class RowWriter {
  rows = 0
  private length = 0
  private readonly buffer: Uint8Array

  /** @param most how many rows are written before `clear` */
  constructor(most: number) {
    this.buffer = new Uint8Array(most * LONGEST_ROW)
  }

  add(row: { number: number; kind: Kind; commitment: Uint8Array; voided: VoidReason | null }): void {
    this.text(`${row.number}\t${row.kind}`)
    this.byte(TAB)
    for (const byte of row.commitment) {
      this.byte(HEX[byte >> 4]!)
      this.byte(HEX[byte & 15]!)
    }
    this.text(row.voided === null ? `\t${VALID}\n` : `\t${VOID}${row.voided}\n`)
    this.rows += 1
  }

  /** The rows since `clear`; the next ones take their place. */
  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length)
  }

  clear(): void {
    this.rows = 0
    this.length = 0
  }

  private byte(byte: number): void {
    this.buffer[this.length] = byte
    this.length += 1
  }

  private text(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.byte(text.charCodeAt(at))
  }
}

/** The bytes of some rows, each with its LF. */
export const rowsFile = (rows: readonly ListRow[]): Uint8Array =>
  toBytes(rows.map((row) => `${rowText(row)}\n`).join(''))

/** Reads a list: its header, and its rows one after the other. Both throw a DrawFault. */
export function parseList(bytes: Uint8Array): { header: ListHeader; rows: Iterable<ListRow> } {
  const start = endOfLines(bytes, HEADER_LINES)
  const read = new HeaderReader(bytes.subarray(0, start), TAG)
  const header: ListHeader = {
    rehearsal: read.rehearsal,
    contest: read.slug('contest'),
    termsHash: read.hash('terms'),
    logSize: read.integer('log-size'),
    logRoot: read.hash('log-root'),
    paid: read.integer('paid'),
    postal: read.integer('postal'),
    demo: read.integer('demo'),
    valid: read.integer('valid'),
    chain: read.hash('chain'),
    round: read.integer('round', 1),
  }
  read.word('algorithm', [ALGORITHM])
  read.end()
  if (bytes[start] !== LF) throw new DrawFault('line', HEADER_LINES + 1, { expected: '' })
  return { header, rows: rowsOf(bytes.subarray(start + 1), header) }
}

/** Where the line after the first `count` lines begins. */
function endOfLines(bytes: Uint8Array, count: number): number {
  let at = 0
  for (let line = 1; line <= count; line += 1) {
    at = bytes.indexOf(LF, at) + 1
    if (at === 0) throw new DrawFault('too-short', line)
  }
  return at
}

function* rowsOf(bytes: Uint8Array, header: ListHeader): Iterable<ListRow> {
  const counts = { paid: 0, postal: 0, demo: 0, valid: 0 }
  let line = HEADER_LINES + 2
  let last = 0
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LF, start)
    if (end === -1) throw new DrawFault('no-final-newline', line)
    const row = parseRow(toText(bytes.subarray(start, end)), line)
    if (row.number <= last) throw new DrawFault('order', line, { found: row.number })
    counts[row.kind] += 1
    if (row.voided === null) counts.valid += 1
    last = row.number
    start = end + 1
    yield row
  }
  for (const [at, name] of (['paid', 'postal', 'demo', 'valid'] as const).entries()) {
    if (counts[name] !== header[name])
      throw new DrawFault('line', at + 6, { expected: counts[name], found: header[name] })
  }
}

/** Reads a row, without LF; throws a DrawFault of `line`. */
export function parseRow(text: string, line: number): ListRow {
  const values = new Values(line)
  const [number = '', kind = '', commitment = '', status = '', ...more] = text.split('\t')
  if (more.length > 0) values.fault('fields', { found: 4 + more.length })
  return {
    number: values.integer(number, 1),
    kind: values.word(kind, KINDS),
    commitment: values.hex(commitment),
    voided:
      status === VALID
        ? null
        : values.word(
            status.startsWith(VOID) ? status.slice(VOID.length) : status,
            status.startsWith(VOID) ? VOID_REASONS : [],
          ),
  }
}
