/** Leaves of a contest's log (docs/draw-v1.md, section 4). */
import {
  CANCEL_REASONS,
  type CancelReason,
  KINDS,
  type Kind,
  VOID_REASONS,
  type VoidReason,
  Values,
  tagOf,
  timeText,
} from './formats.ts'

export type Leaf =
  | { type: 'open'; termsHash: string }
  | { type: 'entry'; number: number; kind: Kind; commitment: string }
  | { type: 'void'; number: number; reason: VoidReason }
  | { type: 'close'; instant: number; pending: number }
  | { type: 'list'; listHash: string }
  | { type: 'seal'; listHash: string; listRoot: string; valid: number; validRoot: string }
  | { type: 'result'; attempt: number; hash: string }
  | { type: 'claim'; attempt: number; hash: string }
  | { type: 'forfeit'; attempt: number; hash: string }
  | { type: 'award'; attempt: number; number: number }
  | { type: 'cancel'; reason: CancelReason }

/** A leaf as it was read. */
export type ReadLeaf = { rehearsal: boolean; contest: string } & Leaf

const fieldsOf = (leaf: Leaf): (string | number)[] => {
  switch (leaf.type) {
    case 'open':
      return [leaf.termsHash]
    case 'entry':
      return [leaf.number, leaf.kind, leaf.commitment]
    case 'void':
      return [leaf.number, leaf.reason]
    case 'close':
      return [timeText(leaf.instant), leaf.pending]
    case 'list':
      return [leaf.listHash]
    case 'seal':
      return [leaf.listHash, leaf.listRoot, leaf.valid, leaf.validRoot]
    case 'result':
    case 'claim':
    case 'forfeit':
      return [leaf.attempt, leaf.hash]
    case 'award':
      return [leaf.attempt, leaf.number]
    case 'cancel':
      return [leaf.reason]
  }
}

const tagOfType = (type: Leaf['type']): string => `volant-${type}-v1`

/** The first field of an entry. */
export const ENTRY_TAG = tagOfType('entry')

/** The text of a leaf, without LF. */
export const leafText = (
  leaf: Leaf,
  { contest, rehearsal }: { contest: string; rehearsal: boolean },
): string => [tagOf(tagOfType(leaf.type), rehearsal), contest, ...fieldsOf(leaf)].join('\t')

/** Reads one field after the other. */
export class Fields extends Values {
  private readonly fields: string[]
  private at = 0

  constructor(line: number, fields: string[]) {
    super(line)
    this.fields = fields
  }

  private next(): string {
    const field = this.fields[this.at]
    this.at += 1
    return field ?? this.fault('fields', { found: this.fields.length })
  }

  slugNext(): string {
    return this.slug(this.next())
  }

  integerNext(least?: number): number {
    return this.integer(this.next(), least)
  }

  timeNext(): number {
    return this.time(this.next())
  }

  hashNext(): string {
    return this.hex(this.next())
  }

  /** The name of a program that checks draws. */
  programNext(): string {
    const name = this.next()
    return /^[a-z0-9.-]+$/.test(name) ? name : this.fault('word', { found: name })
  }

  wordNext<const T extends string>(words: readonly T[]): T {
    return this.word(this.next(), words)
  }

  end(): void {
    if (this.at !== this.fields.length) this.fault('fields', { found: this.fields.length })
  }
}

const READERS: { [T in Leaf['type']]: (fields: Fields) => Extract<Leaf, { type: T }> } = {
  open: (fields) => ({ type: 'open', termsHash: fields.hashNext() }),
  entry: (fields) => ({
    type: 'entry',
    number: fields.integerNext(1),
    kind: fields.wordNext(KINDS),
    commitment: fields.hashNext(),
  }),
  void: (fields) => ({ type: 'void', number: fields.integerNext(1), reason: fields.wordNext(VOID_REASONS) }),
  close: (fields) => ({ type: 'close', instant: fields.timeNext(), pending: fields.integerNext() }),
  list: (fields) => ({ type: 'list', listHash: fields.hashNext() }),
  seal: (fields) => ({
    type: 'seal',
    listHash: fields.hashNext(),
    listRoot: fields.hashNext(),
    valid: fields.integerNext(),
    validRoot: fields.hashNext(),
  }),
  result: (fields) => ({ type: 'result', attempt: fields.integerNext(), hash: fields.hashNext() }),
  claim: (fields) => ({ type: 'claim', attempt: fields.integerNext(), hash: fields.hashNext() }),
  forfeit: (fields) => ({ type: 'forfeit', attempt: fields.integerNext(), hash: fields.hashNext() }),
  award: (fields) => ({ type: 'award', attempt: fields.integerNext(), number: fields.integerNext(1) }),
  cancel: (fields) => ({ type: 'cancel', reason: fields.wordNext(CANCEL_REASONS) }),
}

/** The first field of a leaf: whether it is a rehearsal's, and its type. */
export const LEAF_TAG = /^(rehearsal-)?volant-([a-z]+)-v1$/
const isType = (type: string): type is Leaf['type'] => Object.hasOwn(READERS, type)

/** Reads a leaf; throws a DrawFault of `line`. */
export function parseLeaf(text: string, line: number): ReadLeaf {
  const [tag = '', ...rest] = text.split('\t')
  const [, rehearsal, type = ''] = LEAF_TAG.exec(tag) ?? []
  const fields = new Fields(line, rest)
  if (!isType(type)) return fields.fault('tag', { found: tag })
  const contest = fields.slugNext()
  const leaf = READERS[type](fields)
  fields.end()
  return { rehearsal: rehearsal !== undefined, contest, ...leaf }
}
