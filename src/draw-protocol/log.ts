/** What the log of a contest says, and its rules of order (docs/draw-v1.md, section 4). */
import type { ByteReader } from './byte-reader.ts'
import { LF, type Sha256, fromHex, toHex, toText } from './bytes.ts'
import { DrawFault, type FaultCode, type FaultValues } from './faults.ts'
import { KINDS, type Kind, type VoidReason, timeText } from './formats.ts'
import { type Leaf, type ReadLeaf, parseLeaf } from './leaves.ts'
import { RowWriter } from './lists.ts'
import { MerkleRoots } from './merkle.ts'
import type { Terms } from './terms.ts'

const COMMITMENT = 32
const ROWS = 1024

interface Entry {
  number: number
  kind: Kind
  commitment: Uint8Array
}

/** The entries of a log in its order: some bytes each, however many there are. */
class Entries {
  count = 0
  private numbers = new Uint32Array(1024)
  private kinds = new Uint8Array(1024)
  private commitments = new Uint8Array(1024 * COMMITMENT)
  /** By number, the place of its entry in the log's order, counted from 1. */
  private places = new Uint32Array(1024)
  private greatest = 0

  has(number: number): boolean {
    return number <= this.greatest && this.places[number] !== 0
  }

  add({ number, kind, commitment }: Extract<Leaf, { type: 'entry' }>): void {
    if (this.count === this.numbers.length) {
      this.numbers = grown(this.numbers, this.count * 2)
      this.kinds = grown(this.kinds, this.count * 2)
      this.commitments = grown(this.commitments, this.count * 2 * COMMITMENT)
    }
    if (number >= this.places.length)
      this.places = grown(this.places, Math.max(number + 1, this.places.length * 2))
    this.numbers[this.count] = number
    this.kinds[this.count] = KINDS.indexOf(kind)
    this.commitments.set(fromHex(commitment), this.count * COMMITMENT)
    this.count += 1
    this.places[number] = this.count
    this.greatest = Math.max(this.greatest, number)
  }

  private at(place: number): Entry {
    const start = place * COMMITMENT
    return {
      number: this.numbers[place]!,
      kind: KINDS[this.kinds[place]!]!,
      commitment: this.commitments.subarray(start, start + COMMITMENT),
    }
  }

  /** Its place among the entries of the log, counted from 0. */
  placeOf(number: number): number {
    return this.places[number]! - 1
  }

  /** The entry of a number that has one. */
  of(number: number): Entry {
    return this.at(this.placeOf(number))
  }

  /** Numbers of the first `count` entries of the log, sorted. */
  sorted(count: number): Uint32Array {
    return this.numbers.slice(0, count).sort()
  }

  /** Two numbers with one commitment, which are one ticket under two numbers; null when there are none. */
  sameCommitment(): [number: number, other: number] | null {
    const view = new DataView(this.commitments.buffer)
    const startOf = (place: number): number =>
      view.getUint32(place * COMMITMENT) * 2 ** 16 + view.getUint16(place * COMMITMENT + 4)
    const starts = new Float64Array(this.count)
    for (let place = 0; place < this.count; place += 1) starts[place] = startOf(place)
    const sorted = starts.toSorted()
    const alike = new Set<number>()
    for (let at = 1; at < this.count; at += 1) if (sorted[at] === sorted[at - 1]) alike.add(sorted[at]!)
    const seen = new Map<string, number>()
    for (let place = 0; alike.size > 0 && place < this.count; place += 1) {
      if (!alike.has(starts[place]!)) continue
      const { number, commitment } = this.at(place)
      const text = toHex(commitment)
      const other = seen.get(text)
      if (other !== undefined) return [number, other]
      seen.set(text, number)
    }
    return null
  }

  /** How many of the first `count` entries have each kind. */
  kindsOf(count: number): Record<Kind, number> {
    const counts = { paid: 0, postal: 0, demo: 0 }
    for (const kind of this.kinds.subarray(0, count)) counts[KINDS[kind]!] += 1
    return counts
  }
}

function grown<T extends Uint32Array | Uint8Array>(array: T, length: number): T {
  const copy = new (array.constructor as new (length: number) => T)(length)
  copy.set(array)
  return copy
}

/** A leaf that names a list, with how many entries there are before it. */
export interface ListLeaf {
  index: number
  entries: number
  listHash: string
}

/** What the sealed list's leaf says: so many of its rows are valid, and their root. */
export type SealLeaf = ListLeaf & Omit<Extract<Leaf, { type: 'seal' }>, 'type'>

interface HashLeaf {
  index: number
  hash: string
}

/** A log that keeps the rules, as far as it has been read. */
export class LogState {
  readonly entries = new Entries()
  readonly voids = new Map<number, { index: number; reason: VoidReason }>()
  readonly results: HashLeaf[] = []
  readonly forfeits: HashLeaf[] = []
  /** Attempts whose winner has claimed. */
  readonly claimed = new Set<number>()
  /** Indexes of the leaves that are neither entries nor voids. */
  readonly milestones: number[] = []
  size = 0
  close: { index: number; pending: number } | null = null
  list: ListLeaf | null = null
  seal: SealLeaf | null = null
  award: { index: number; attempt: number; number: number } | null = null
  cancel: { index: number; reason: Extract<Leaf, { type: 'cancel' }>['reason'] } | null = null
  private readonly terms: Terms
  private latePaid = 0

  constructor(terms: Terms) {
    this.terms = terms
  }

  /** How the contest has ended; null while it goes on. */
  get over(): 'awarded' | 'cancelled' | null {
    return this.award ? 'awarded' : this.cancel && 'cancelled'
  }

  /** Takes a leaf when some of those before it are not known: what they were, no rule asks. Throws as `add`. */
  addAt(index: number, leaf: ReadLeaf): void {
    this.size = index
    this.add(leaf)
  }

  /** Takes the next leaf; throws a DrawFault of its line in `log.txt` when it breaks a rule. */
  add(leaf: ReadLeaf): void {
    const index = this.size
    if (leaf.rehearsal !== this.terms.rehearsal) this.fault('mixed-rehearsal')
    if (leaf.contest !== this.terms.contest)
      this.fault('contest', { expected: this.terms.contest, found: leaf.contest })
    if (index === 0 && leaf.type !== 'open') this.fault('first-leaf')
    if ((this.cancel || this.award) && leaf.type !== 'void') this.fault('after-end')
    this.take(leaf, index)
    if (leaf.type !== 'entry' && leaf.type !== 'void') this.milestones.push(index)
    this.size += 1
  }

  private fault(code: FaultCode, values: FaultValues = {}): never {
    throw new DrawFault(code, this.size + 1, values)
  }

  private take(leaf: Leaf, index: number): void {
    switch (leaf.type) {
      case 'open':
        if (index > 0) this.fault('second-open')
        return
      case 'entry':
        return this.takeEntry(leaf)
      case 'void':
        return this.takeVoid(leaf, index)
      case 'close':
        if (this.close) this.fault('close-twice')
        if (leaf.instant !== this.terms.closes)
          this.fault('close-instant', {
            expected: timeText(this.terms.closes),
            found: timeText(leaf.instant),
          })
        this.close = { index, pending: leaf.pending }
        return
      case 'list':
        if (!this.close || this.list) this.fault('order')
        this.list = { index, entries: this.entries.count, listHash: leaf.listHash }
        return
      case 'seal':
        if (!this.list || this.seal) this.fault('order')
        this.seal = { ...leaf, index, entries: this.entries.count }
        return
      case 'result':
        if (!this.seal || this.results.length !== this.forfeits.length) this.fault('order')
        if (leaf.attempt !== this.results.length)
          this.fault('attempt', { expected: this.results.length, found: leaf.attempt })
        this.results.push({ index, hash: leaf.hash })
        return
      case 'claim':
        this.needWinner(leaf.attempt)
        this.claimed.add(leaf.attempt)
        return
      case 'forfeit':
        this.needWinner(leaf.attempt)
        this.forfeits.push({ index, hash: leaf.hash })
        return
      case 'award':
        this.needWinner(leaf.attempt)
        if (!this.claimed.has(leaf.attempt)) this.fault('claim-missing', { attempt: leaf.attempt })
        this.award = { index, attempt: leaf.attempt, number: leaf.number }
        return
      case 'cancel':
        if (leaf.reason === 'shop' ? this.results.length > 0 : !this.seal) this.fault('order')
        if (this.results.length !== this.forfeits.length) this.fault('order')
        this.cancel = { index, reason: leaf.reason }
    }
  }

  /** Refuses a leaf that is not about the winner of the last attempt, who has not forfeited. */
  private needWinner(attempt: number): void {
    const last = this.forfeits.length
    if (this.results.length !== last + 1) this.fault('order')
    if (attempt !== last) this.fault('attempt', { expected: last, found: attempt })
  }

  private takeEntry(leaf: Extract<Leaf, { type: 'entry' }>): void {
    const { number, kind } = leaf
    if (this.seal) this.fault('after-seal', { number })
    if (number > this.terms.tickets) this.fault('number-range', { number, most: this.terms.tickets })
    if (this.entries.has(number)) this.fault('number-twice', { number })
    if (!this.terms.kinds.includes(kind)) this.fault('kind-of-terms', { number, kind })
    if (this.close && kind !== 'postal') {
      this.latePaid += 1
      if (kind === 'demo' || this.latePaid > this.close.pending)
        this.fault('late-entry', { number, kind, pending: this.close.pending })
    }
    this.entries.add(leaf)
  }

  private takeVoid({ number, reason }: Extract<Leaf, { type: 'void' }>, index: number): void {
    if (!this.entries.has(number)) this.fault('void-without-entry', { number })
    if (this.voids.has(number)) this.fault('void-twice', { number })
    if (!this.terms.voidReasons.includes(reason)) this.fault('reason-of-terms', { number, reason })
    this.voids.set(number, { index, reason })
  }

  /** What became of the entry of a number that has one: in the sealed list, while there is one, and by now. */
  standingOf(number: number): { listed: 'valid' | VoidReason | null; voided: VoidReason | null } {
    const voided = this.voids.get(number)
    return {
      listed: this.seal && (voided && voided.index < this.seal.index ? voided.reason : 'valid'),
      voided: voided?.reason ?? null,
    }
  }

  /** The index of the entry leaf of a number that has one: leaves of other kinds before it move it on. */
  indexOf(number: number): number {
    const others = [...this.milestones, ...[...this.voids.values()].map((one) => one.index)]
    return others
      .toSorted((a, b) => a - b)
      .reduce((index, other) => (other <= index ? index + 1 : index), this.entries.placeOf(number))
  }

  /**
   * Rows of the list that a leaf at `index` names, which has `entries` entries before it, as bytes: some rows at a time,
   * whose bytes the next ones take.
   */
  *rows({ index, entries }: ListLeaf): Iterable<Pick<RowWriter, 'rows' | 'bytes'>> {
    const writer = new RowWriter(ROWS)
    for (const number of this.entries.sorted(entries)) {
      const voided = this.voids.get(number)
      writer.add({
        ...this.entries.of(number),
        voided: voided && voided.index < index ? voided.reason : null,
      })
      if (writer.rows < ROWS) continue
      yield writer
      writer.clear()
    }
    yield writer
  }

  /** Numbers that are valid in the list that a leaf at `index` names, sorted. */
  validNumbers({ index, entries }: ListLeaf): Uint32Array {
    const numbers = this.entries.sorted(entries)
    let count = 0
    for (const number of numbers) {
      if ((this.voids.get(number)?.index ?? index) < index) continue
      numbers[count] = number
      count += 1
    }
    return numbers.subarray(0, count)
  }
}

export interface ScannedLog {
  /** What the leaves say, up to the first that breaks a rule. */
  state: LogState
  fault: DrawFault | null
  /** How many leaves the file has. */
  size: number
  /** Roots by size: of the sizes asked for, and of those before each leaf that names a root. */
  roots: ReadonlyMap<number, Uint8Array>
}

/**
 * Reads `log.txt` in one pass: rules and roots together. After a leaf that breaks a rule it makes only roots.
 * `pause` is called after each part, so that others have their turn.
 */
export async function scanLog(
  log: ByteReader,
  { terms, sizes, sha256 }: { terms: Terms; sizes: Iterable<number>; sha256: Sha256 },
  pause: (done: number) => Promise<void>,
): Promise<ScannedLog> {
  const state = new LogState(terms)
  const tree = new MerkleRoots(sha256)
  const wanted = new Set(sizes)
  const roots = new Map<number, Uint8Array>()
  let fault: DrawFault | null = null
  for (;;) {
    const batch = await log.takeLines()
    if (batch.length === 0) break
    const lines = fault ? [] : toText(batch).split('\n')
    for (let [from, at] = [0, 0]; from < batch.length; at += 1) {
      const to = batch.indexOf(LF, from)
      const leaf = batch.subarray(from, to === -1 ? batch.length : to)
      let namesRoot = false
      if (!fault) {
        try {
          if (to === -1) throw new DrawFault('no-final-newline', tree.size + 1)
          const read = parseLeaf(lines[at]!, tree.size + 1)
          state.add(read)
          namesRoot = read.type === 'list' || read.type === 'seal' || read.type === 'forfeit'
        } catch (error) {
          if (!(error instanceof DrawFault)) throw error
          fault = error
        }
      }
      if (namesRoot || wanted.has(tree.size)) roots.set(tree.size, tree.root())
      tree.add(leaf)
      from += leaf.length + 1
    }
    await pause(log.at)
  }
  roots.set(tree.size, tree.root())
  fault ??= state.size === 0 ? new DrawFault('first-leaf', 1) : null
  return { state, fault, size: tree.size, roots }
}
