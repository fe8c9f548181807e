/** The register of a shop, to which the witnesses' signatures belong (docs/draw-v1.md, section 6). */
import type { ByteReader } from './byte-reader.ts'
import { LF, type Sha256, fromHex, toHex, toText } from './bytes.ts'
import { DrawFault } from './faults.ts'
import { tagOf } from './formats.ts'
import { Fields, LEAF_TAG, type Leaf, type ReadLeaf, leafText, parseLeaf } from './leaves.ts'
import type { LogState } from './log.ts'
import { MerkleRoots } from './merkle.ts'
import type { Terms } from './terms.ts'

/** The leaf by which the terms of a contest are published; without LF, as the others. */
export const termsLeaf = (leaf: { contest: string; termsHash: string; rehearsal?: boolean }): string =>
  [tagOf('volant-terms-v1', leaf.rehearsal ?? false), leaf.contest, leaf.termsHash].join('\t')

/** The leaf that fixes the first `size` leaves of a contest's log. @param leaf.root hexadecimal */
export const logLeaf = (leaf: { contest: string; size: number; root: string; rehearsal?: boolean }): string =>
  [tagOf('volant-log-v1', leaf.rehearsal ?? false), leaf.contest, leaf.size, leaf.root].join('\t')

/** The leaf of a program that checks draws. @param leaf.hash hexadecimal SHA-256 of the program */
export const verifierLeaf = (leaf: { name: string; hash: string; rehearsal?: boolean }): string =>
  [tagOf('volant-verifier-v1', leaf.rehearsal ?? false), leaf.name, leaf.hash].join('\t')

/** Leaves of a contest's log that the register repeats. */
const REPEATED = ['seal', 'result', 'forfeit', 'award', 'cancel'] as const
type RepeatedType = (typeof REPEATED)[number]

/** Whether the register has a leaf of this type just as the log of the contest has it. */
export const isRegistered = (type: Leaf['type']): type is RepeatedType =>
  (REPEATED as readonly string[]).includes(type)

type RegisterLeaf =
  | ({ rehearsal: boolean } & (
      | { type: 'terms'; contest: string; termsHash: string }
      | { type: 'log'; contest: string; size: number; root: string }
      | { type: 'verifier'; name: string; hash: string }
    ))
  | Extract<ReadLeaf, { type: RepeatedType }>

/** Reads a leaf of the register; throws a DrawFault of `line`. */
function parseRegisterLeaf(text: string, line: number): RegisterLeaf {
  const [tag = '', ...rest] = text.split('\t')
  const [, prefix, type = ''] = LEAF_TAG.exec(tag) ?? []
  const rehearsal = prefix !== undefined
  const fields = new Fields(line, rest)
  const read = (): RegisterLeaf => {
    switch (type) {
      case 'terms':
        return { rehearsal, type, contest: fields.slugNext(), termsHash: fields.hashNext() }
      case 'log':
        return {
          rehearsal,
          type,
          contest: fields.slugNext(),
          size: fields.integerNext(1),
          root: fields.hashNext(),
        }
      case 'verifier':
        return { rehearsal, type, name: fields.programNext(), hash: fields.hashNext() }
      default:
        return fields.fault('tag', { found: tag })
    }
  }
  if (isRegistered(type as Leaf['type'])) return parseLeaf(text, line) as RegisterLeaf
  const leaf = read()
  fields.end()
  return leaf
}

/** A leaf that fixes the log of the contest. */
export interface RegisteredLog {
  /** In the register, counted from 0. */
  index: number
  size: number
  root: Uint8Array
}

/** What a register says of one contest. */
export interface Register {
  /** How many leaves it has. */
  size: number
  /** By the sizes asked for. */
  roots: ReadonlyMap<number, Uint8Array>
  logs: readonly RegisteredLog[]
  /** Leaves that the log has, too. */
  repeated: readonly { index: number; text: string }[]
}

/** The leaves of one contest among those of a register, held to the rules that need nothing else. */
class OwnLeaves {
  readonly logs: RegisteredLog[] = []
  readonly repeated: { index: number; text: string }[] = []
  private readonly terms: Terms
  private readonly first: string
  private isOpen = false

  constructor(terms: Terms, termsHash: string) {
    this.terms = terms
    this.first = termsLeaf({ ...terms, termsHash })
  }

  add(text: string, index: number): void {
    const line = index + 1
    const leaf = parseRegisterLeaf(text, line)
    const { contest, rehearsal } = this.terms
    if (leaf.rehearsal !== rehearsal) throw new DrawFault('mixed-rehearsal', line)
    if (leaf.type === 'verifier' || leaf.contest !== contest) {
      if (rehearsal) throw new DrawFault('contest', line, { expected: contest, found: text })
      return
    }
    if (!this.isOpen && text !== this.first)
      throw new DrawFault('terms-leaf', line, { expected: this.first, found: text })
    if (this.isOpen && leaf.type === 'terms') throw new DrawFault('second-terms', line)
    this.isOpen = true
    if (leaf.type === 'log') {
      const before = this.logs.at(-1)?.size ?? 0
      if (leaf.size < before) throw new DrawFault('registered-size-fell', line, { before, found: leaf.size })
      this.logs.push({ index, size: leaf.size, root: fromHex(leaf.root) })
    } else if (leaf.type !== 'terms') this.repeated.push({ index, text })
  }

  end(): void {
    if (!this.isOpen) throw new DrawFault('terms-leaf', 0, { expected: this.first, found: '' })
  }
}

/**
 * Reads `register.txt` in one pass: leaves and roots together. Throws a DrawFault.
 * `pause` is called after each part, so that others have their turn.
 */
export async function scanRegister(
  register: ByteReader,
  {
    terms,
    termsHash,
    sizes,
    sha256,
  }: { terms: Terms; termsHash: string; sizes: Iterable<number>; sha256: Sha256 },
  pause: (done: number) => Promise<void>,
): Promise<Register> {
  const own = new OwnLeaves(terms, termsHash)
  const tree = new MerkleRoots(sha256)
  const wanted = new Set(sizes)
  const roots = new Map<number, Uint8Array>()
  for (;;) {
    const batch = await register.takeLines()
    if (batch.length === 0) break
    const lines = toText(batch).split('\n')
    for (let [from, at] = [0, 0]; from < batch.length; at += 1) {
      const to = batch.indexOf(LF, from)
      if (to === -1) throw new DrawFault('no-final-newline', tree.size + 1)
      own.add(lines[at]!, tree.size)
      if (wanted.has(tree.size)) roots.set(tree.size, tree.root())
      tree.add(batch.subarray(from, to))
      from = to + 1
    }
    await pause(register.at)
  }
  own.end()
  roots.set(tree.size, tree.root())
  return { size: tree.size, roots, logs: own.logs, repeated: own.repeated }
}

/** The leaves of a log that the register repeats, as texts in their order. */
function repeatedOf(state: LogState, terms: Terms): { index: number; text: string }[] {
  const { seal, results, forfeits, award, cancel } = state
  const leaves: (Leaf & { index: number })[] = [
    ...(seal ? [{ type: 'seal' as const, ...seal }] : []),
    ...results.map((one, attempt) => ({ type: 'result' as const, attempt, ...one })),
    ...forfeits.map((one, attempt) => ({ type: 'forfeit' as const, attempt, ...one })),
    ...(award ? [{ type: 'award' as const, ...award }] : []),
    ...(cancel ? [{ type: 'cancel' as const, ...cancel }] : []),
  ]
  return leaves
    .toSorted((a, b) => a.index - b.index)
    .map((leaf) => ({ index: leaf.index, text: leafText(leaf, terms) }))
}

/** Holds a register against the log of the contest. Throws a fault of `register.txt`, or of `log.txt` where it is silent. */
export function compareWithLog(
  { logs, repeated }: Register,
  { state, size, roots, terms }: { state: LogState; size: number; roots: Register['roots']; terms: Terms },
  fail: (file: 'register.txt' | 'log.txt', fault: DrawFault) => never,
): void {
  for (const log of logs) {
    const line = log.index + 1
    const bad = (code: 'registered-beyond-log' | 'registered-root', values: DrawFault['values']): never =>
      fail('register.txt', new DrawFault(code, line, values))
    if (log.size > size) bad('registered-beyond-log', { found: log.size, most: size })
    const [expected, found] = [toHex(roots.get(log.size)!), toHex(log.root)]
    if (found !== expected) bad('registered-root', { size: log.size, expected, found })
  }
  const covered = logs.at(-1)?.size ?? 0
  const voids = state.seal ? [...state.voids.values()].map(({ index }) => index) : []
  const silent = [...state.milestones, ...voids].filter((index) => index >= covered)
  if (silent.length > 0)
    fail('log.txt', new DrawFault('not-registered', Math.min(...silent) + 1, { size: covered }))
  const inLog = repeatedOf(state, terms)
  for (const [at, { index, text }] of repeated.entries()) {
    const expected = inLog[at]?.text ?? ''
    if (text !== expected)
      fail('register.txt', new DrawFault('registered-line', index + 1, { expected, found: text }))
  }
  const lost = inLog[repeated.length]
  if (lost) fail('log.txt', new DrawFault('not-registered', lost.index + 1, { expected: lost.text }))
}
