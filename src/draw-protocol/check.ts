/** What a page asks of a worker: a whole draw from files, or one entry from its proof. */
import {
  type Awaited,
  awaitedIn,
  checkForfeitureLines,
  drawAttempt,
  indexAmongValid,
  signatureIn,
} from './attempts.ts'
import { ArchiveFault, openArchive } from './archive.ts'
import { fromHex, sameBytes, toBytes, toHex, toText, type Sha256 } from './bytes.ts'
import {
  type Checkpoint,
  checkSignature,
  originOf,
  parseCheckpoints,
  parseVerifierKey,
} from './checkpoints.ts'
import { type ProofLink, commitmentOf, parseProofFragment } from './commitments.ts'
import { DrawFault } from './faults.ts'
import type { VoidReason } from './formats.ts'
import { type ReadLeaf, parseLeaf } from './leaves.ts'
import { type ListRow, parseRow, rowText } from './lists.ts'
import { LogState, type SealLeaf } from './log.ts'
import { HASH_BYTES, type TreeHead, isConsistent, isIncluded, leafHash } from './merkle.ts'
import { type Forfeiture, parseForfeiture, resultFile } from './results.ts'
import { type Terms, parseTerms } from './terms.ts'
import {
  type DrawFiles,
  type FileInParts,
  type Progress,
  type Step,
  type StepResult,
  type Verification,
  type Winner,
  unreadablePack,
  verifyDraw,
} from './verify.ts'

/** Files that somebody chose: an archive, or files of a pack one by one. */
export interface PackQuestion {
  files: readonly { name: string; content: Blob }[]
  /** What the reader kept; texts are as they were typed or pasted. */
  kept: { termsHash: string; listHash: string; checkpoints: string; policy: string }
  /** A proof link, or the part behind `#`; empty for none. */
  proof: string
}

/** A file that a step needs and that was not among the files. */
export type StepOutcome = StepResult | { step: Step; outcome: 'skipped'; why: 'not-given'; file: string }

export interface PackOutcome extends Omit<Verification, 'steps'> {
  steps: StepOutcome[]
  verdict: 'passed' | 'cancelled' | 'failed' | 'incomplete'
  ticket: TicketOutcome | null
}

/** What is known of an entry whose holder has shown its secret. */
export type TicketOutcome =
  /** The text is no proof link. */
  | { outcome: 'malformed' }
  /** The link is one of another draw. */
  | { outcome: 'foreign'; found: string; expected: string }
  | { outcome: 'absent'; number: number }
  /** The number belongs to another ticket. */
  | { outcome: 'other'; number: number }
  /** The terms are not those under which the ticket was issued: the most serious of all. Both are hashes. */
  | { outcome: 'otherTerms'; number: number; found: string; expected: string }
  /** The log or its proof is not valid, so that nothing can be said. */
  | { outcome: 'unproven'; number: number }
  | FoundTicket

export interface FoundTicket extends DrawEnd {
  outcome: 'found'
  number: number
  line: number
  /** Unix seconds; null without a valid checkpoint. */
  since: number | null
  /** In the sealed list; null while there is none. */
  listed: 'valid' | VoidReason | null
  /** Why it is void by now. */
  voided: VoidReason | null
  end: TicketEnd
}

/**
 * How the draw ended for a number: `waiting`, another winner is to be drawn; `out`, it was void before the seal, so that it
 * does not take part; `unknown`, there is a result that does not follow from the files.
 */
export type TicketEnd = 'undrawn' | 'won' | 'forfeited' | 'lost' | 'waiting' | 'cancelled' | 'out' | 'unknown'

/** How a draw stands, as it was computed. */
export interface DrawEnd {
  /** By their attempts. */
  winners: readonly Pick<Winner, 'attempt' | 'number' | 'isClaimed' | 'isForfeited'>[]
  /** How the contest has ended; null while it goes on. */
  over: 'awarded' | 'cancelled' | null
  /** The attempt that is to be drawn next, with its round; null when there is none, or it is not known. */
  awaited: Awaited | null
}

/** @param results how many there are; each of them has its winner, unless files are missing or wrong */
function foundTicket(
  entry: Pick<FoundTicket, 'number' | 'line' | 'since' | 'listed' | 'voided'>,
  { winners, over, awaited }: DrawEnd,
  results: number,
): FoundTicket {
  const { number, line, since, listed, voided } = entry
  const own = winners.find((winner) => winner.number === number)
  const endOf = (): TicketEnd => {
    if (own) return own.isForfeited ? 'forfeited' : 'won'
    if (over === 'cancelled') return 'cancelled'
    if ((listed ?? voided ?? 'valid') !== 'valid') return 'out'
    if (winners.length < results) return 'unknown'
    if (winners.length === 0) return 'undrawn'
    return winners.every(({ isForfeited }) => isForfeited) ? 'waiting' : 'lost'
  }
  const computed = winners.map(({ attempt, number, isClaimed, isForfeited }) => ({
    attempt,
    number,
    isClaimed,
    isForfeited,
  }))
  return {
    outcome: 'found',
    number,
    line,
    since,
    listed,
    voided,
    end: endOf(),
    winners: computed,
    over,
    awaited,
  }
}

const OPTIONAL = /^(?:forfeitures|end)$/

/** Checks a draw; never throws for what is in the files. */
export async function checkPack(
  { files, kept, proof }: PackQuestion,
  sha256: Sha256,
  told: { onProgress: (progress: Progress) => void; onStep: (step: StepOutcome) => void },
): Promise<PackOutcome> {
  const link = readProof(proof)
  const isArchive = files.length === 1 && (await startsAsArchive(files[0]!.content))
  const verification = await (async (): Promise<Verification> => {
    try {
      const opened = isArchive
        ? await openArchive(files[0]!.content, files[0]!.name)
        : { files: looseFiles(files) }
      return await verifyDraw(opened.files, {
        sha256,
        onProgress: told.onProgress,
        onStep: (step) => told.onStep(isArchive ? step : withoutMissing(step)),
        kept: keptOf(kept),
        ...(kept.policy !== '' && { policy: kept.policy }),
        ...('folder' in opened && { folder: opened.folder }),
        ...(link && { number: link.proof.number }),
      })
    } catch (error) {
      if (error instanceof ArchiveFault) return unreadablePack(error.file, error.fault)
      throw error
    }
  })()
  const steps = isArchive ? verification.steps : verification.steps.map(withoutMissing)
  return {
    ...verification,
    steps,
    verdict: verdictOf(steps, verification.cancelled !== null),
    ticket: proof === '' ? null : ticketOf(link, verification, sha256),
  }
}

/** The verdict of docs/draw-v1.md, section 13. */
function verdictOf(steps: readonly StepOutcome[], isCancelled: boolean): PackOutcome['verdict'] {
  if (steps.some(({ outcome }) => outcome === 'failed')) return 'failed'
  const open = steps.filter(({ step, outcome }) => outcome !== 'passed' && step !== 'stamps')
  if (open.some((one) => one.outcome !== 'skipped' || one.why !== 'not-yet')) return 'incomplete'
  if (isCancelled) return 'cancelled'
  return open.every(({ step }) => OPTIONAL.test(step)) ? 'passed' : 'incomplete'
}

const startsAsArchive = async (blob: Blob): Promise<boolean> =>
  toText(new Uint8Array(await blob.slice(0, 2).arrayBuffer())) === 'PK'

function looseFiles(files: PackQuestion['files']): DrawFiles {
  const named = new Map<string, FileInParts>()
  for (const { name, content } of files) {
    if (named.has(name)) throw new ArchiveFault(name, 'file-twice')
    named.set(name, { size: content.size, parts: () => partsOf(content) })
  }
  return named
}

const PART = 1 << 18

async function* partsOf(content: Blob): AsyncIterable<Uint8Array> {
  for (let at = 0; at < content.size; at += PART)
    yield new Uint8Array(await content.slice(at, at + PART).arrayBuffer())
}

/** Of single files a missing one is no fault: it was not given. */
const withoutMissing = (result: StepResult): StepOutcome =>
  result.outcome === 'failed' && result.code === 'missing-file'
    ? { step: result.step, outcome: 'skipped', why: 'not-given', file: result.file }
    : result

const keptOf = ({ termsHash, listHash, checkpoints }: PackQuestion['kept']) => ({
  ...(termsHash !== '' && { termsHash }),
  ...(listHash !== '' && { listHash }),
  ...(checkpoints !== '' && { checkpoints: toBytes(checkpoints) }),
})

interface ReadProof {
  proof: ProofLink
  /** `HOST/draws/SLUG` of a whole link. */
  origin: string | null
}

/** Reads a proof link, or what stands behind its `#`. */
function readProof(text: string): ReadProof | null {
  const [, origin = null, rest = ''] = /^\s*(?:https?:\/\/([^#?\s]*)[^#\s]*)?#?(\S*)\s*$/.exec(text) ?? []
  const proof = parseProofFragment(`#${rest}`)
  return proof && { proof, origin }
}

function ticketOf(link: ReadProof | null, verification: Verification, sha256: Sha256): TicketOutcome {
  const { terms, termsHash, entry } = verification
  if (!link) return { outcome: 'malformed' }
  const { number } = link.proof
  if (!terms) return { outcome: 'unproven', number }
  const expected = originOf({ ...terms, rehearsal: false })
  if (link.origin !== null && link.origin !== expected)
    return { outcome: 'foreign', found: link.origin, expected }
  if (termsHash !== null && link.proof.termsHash !== termsHash)
    return { outcome: 'otherTerms', number, found: termsHash, expected: link.proof.termsHash }
  if (entry === undefined) return { outcome: 'unproven', number }
  if (entry === null) return { outcome: 'absent', number }
  if (!isOf(link.proof, entry.commitment, sha256)) return { outcome: 'other', number }
  return foundTicket({ ...entry, number }, verification, verification.results)
}

const isOf = (proof: ProofLink, commitment: string, sha256: Sha256): boolean =>
  sameBytes(commitmentOf(proof, sha256), fromHex(commitment))

/** A leaf and its inclusion proof. */
export interface ProvenLeaf {
  index: number
  leaf: string
  proof: readonly string[]
}

/** What the shop hands out of an entry: `GET /draws/SLUG/leaf?number=N` (docs/draw-v1.md, appendix). */
export interface LeafResponse extends ProvenLeaf {
  size: number
  /** The first checkpoint that contains the leaf, of `size` leaves, for which the proof is. */
  checkpoint: string
  /** The last checkpoint, and the proof that its log begins with that of the first one. */
  last: { size: number; checkpoint: string; proof: readonly string[] }
  /** The leaf that voids the number; its proof and those of the steps are for the last checkpoint. */
  void: ProvenLeaf | null
  /** All leaves that are neither an entry nor a void, in order. */
  steps: readonly ProvenLeaf[]
  /** The row of the number in the sealed list, with its proof for the root that the seal's leaf names. */
  row: { index: number; size: number; row: string; proof: readonly string[] } | null
  /** The same row among the valid ones, with its proof for the valid root; null when it is not valid. */
  valid: ValidRow | null
  /** What follows each result's leaf: the files of the attempt, and the row that was drawn with its proof for the valid root. */
  attempts: readonly {
    beacon: string
    row: ValidRow
    forfeiture: string | null
  }[]
}

/** A row by its index among the valid ones. */
interface ValidRow {
  index: number
  row: string
  proof: readonly string[]
}

export interface LeafQuestion {
  contest: string
  terms: Uint8Array
  response: LeafResponse
  /** The part behind `#`. */
  proof: string
}

/** Checks one entry and what became of it by proofs alone; never throws for what was handed out. */
export function checkLeaf({ contest, terms, response, proof }: LeafQuestion, sha256: Sha256): TicketOutcome {
  const link = parseProofFragment(proof)
  if (!link) return { outcome: 'malformed' }
  const { number, termsHash: expected } = link
  const otherThan = (found: string): TicketOutcome => ({ outcome: 'otherTerms', number, found, expected })
  const found = toHex(sha256(terms))
  if (found !== expected) return otherThan(found)
  try {
    const log = new ProvenLog(contest, terms, response, sha256)
    const entry = log.entry(response, number)
    if (!isOf(link, entry.commitment, sha256)) return { outcome: 'other', number }
    const steps = log.steps(response.steps)
    const [open] = steps
    need(open?.leaf.type === 'open' && open.index === 0)
    if (open.leaf.termsHash !== expected) return otherThan(open.leaf.termsHash)
    const voided = response.void === null ? [] : [log.void(response.void, number)]
    const state = log.stateOf([...steps, { index: response.index, leaf: entry }, ...voided])
    const { listed } = state.standingOf(number)
    const own = { ...entry, voided: listed === 'valid' ? null : listed }
    if (state.seal) need(log.row(response.row, state.seal) === rowText(own))
    else need(response.row === null)
    // Otherwise a seal could leave the number out of the rows that are drawn from.
    if (state.seal && own.voided === null) need(log.validRow(response.valid, state.seal) === rowText(own))
    else need(response.valid === null)
    const draw = log.draw(state, response.attempts, own)
    const ticket = { number, line: response.index + 1, since: log.first.time, ...state.standingOf(number) }
    return foundTicket(ticket, draw, state.results.length)
  } catch (error) {
    // What does not decode is no proof.
    if (error instanceof DrawFault || error instanceof TypeError || error instanceof RangeError)
      return { outcome: 'unproven', number }
    throw error
  }
}

/** Throws what `checkLeaf` takes for something unproven. */
function need(isProven: boolean): asserts isProven {
  if (!isProven) throw new RangeError('not proven')
}

/** Bytes of a text; what else a response has in its place is not converted to one. */
function bytesOf(text: string): Uint8Array {
  need(typeof text === 'string')
  return toBytes(text)
}

interface LeafAt {
  index: number
  leaf: ReadLeaf
}

/** The log of a contest as two of its checkpoints sign it. */
class ProvenLog {
  readonly first: Checkpoint
  private readonly last: Checkpoint
  private readonly terms: Terms
  private readonly sha256: Sha256

  constructor(contest: string, terms: Uint8Array, { size, checkpoint, last }: LeafResponse, sha256: Sha256) {
    this.sha256 = sha256
    this.terms = parseTerms(terms, sha256)
    need(this.terms.contest === contest)
    this.first = this.signed(checkpoint, size)
    this.last = this.signed(last.checkpoint, last.size)
    need(isConsistent(this.first, this.last, hashesOf(last.proof), sha256))
    need(this.first.time <= this.last.time)
  }

  private signed(note: string, size: number): Checkpoint {
    const [checkpoint, second] = parseCheckpoints(bytesOf(note))
    need(checkpoint !== undefined && second === undefined && checkpoint.size === size)
    const { logKey } = this.terms
    checkSignature(checkpoint, parseVerifierKey(logKey, this.sha256, 0), originOf(this.terms))
    return checkpoint
  }

  /** Takes a text for what its proof says: the leaf at an index of a tree. */
  private include(
    text: string,
    { index, proof }: { index: number; proof: readonly string[] },
    head: TreeHead,
  ): void {
    need(Number.isSafeInteger(index))
    const hash = leafHash(this.sha256, bytesOf(text))
    need(isIncluded({ index, ...head, hash, proof: hashesOf(proof) }, this.sha256))
  }

  private leaf({ index, leaf, proof }: ProvenLeaf, head: TreeHead): ReadLeaf {
    this.include(leaf, { index, proof }, head)
    return parseLeaf(leaf, index + 1)
  }

  entry(proven: ProvenLeaf, number: number): Extract<ReadLeaf, { type: 'entry' }> {
    const leaf = this.leaf(proven, this.first)
    need(leaf.type === 'entry' && leaf.number === number)
    return leaf
  }

  void(proven: ProvenLeaf, number: number): LeafAt {
    const leaf = this.leaf(proven, this.last)
    need(leaf.type === 'void' && leaf.number === number)
    return { index: proven.index, leaf }
  }

  /** Leaves that are neither an entry nor a void, in their order. */
  steps(steps: LeafResponse['steps']): LeafAt[] {
    const leaves = steps.map((proven) => ({ index: proven.index, leaf: this.leaf(proven, this.last) }))
    need(leaves.every(({ index }, at) => at === 0 || index > leaves[at - 1]!.index))
    return leaves
  }

  /** What the leaves say together, which keep the rules of a log. */
  stateOf(leaves: readonly LeafAt[]): LogState {
    const state = new LogState(this.terms)
    for (const { index, leaf } of leaves.toSorted((a, b) => a.index - b.index)) state.addAt(index, leaf)
    return state
  }

  /** The text of a row of the sealed list. */
  row(found: LeafResponse['row'], { listRoot }: SealLeaf): string {
    need(found !== null)
    const { size, row } = found
    need(Number.isSafeInteger(size))
    this.include(row, found, { size, root: fromHex(listRoot) })
    return row
  }

  /** Computes each attempt from the beacon and the sealed list, and holds the log to it. @param own the row of the ticket */
  draw(state: LogState, attempts: LeafResponse['attempts'], own: ListRow): DrawEnd {
    const { results, forfeits, claimed, award, cancel, over } = state
    need(Array.isArray(attempts) && attempts.length === results.length)
    const forfeitures: Forfeiture[] = []
    const drawn: number[] = []
    const winners: DrawEnd['winners'][number][] = []
    const roundAfter = (attempt: number): number => forfeitures[attempt]!.round
    for (const [attempt, given] of (attempts as LeafResponse['attempts']).entries()) {
      const { key, round: first } = this.terms.beacon
      const seal = state.seal!
      const round = attempt === 0 ? first : roundAfter(attempt - 1)
      const signature = signatureIn(bytesOf(given.beacon), { key, round }, this.sha256)
      const remaining = seal.valid - attempt
      const result = drawAttempt(
        { terms: this.terms, listHash: seal.listHash, attempt, round, signature, remaining },
        (index) => {
          need(given.row.index === indexAmongValid(index, drawn))
          return parseRow(this.validRow(given.row, seal), 1)
        },
        this.sha256,
      )
      need(this.hash(resultFile(result)) === results[attempt]!.hash)
      const { number } = result
      need(number !== own.number || rowText({ ...result, voided: null }) === rowText(own))
      const forfeit = forfeits[attempt]
      const isForfeited = forfeit !== undefined
      if (isForfeited)
        forfeitures.push(this.forfeiture(given.forfeiture, { attempt, winner: number, ...forfeit }))
      else need(given.forfeiture === null)
      winners.push({ attempt, number, isClaimed: claimed.has(attempt), isForfeited })
      drawn.push(given.row.index)
    }
    need(award === null || award.number === winners[award.attempt]!.number)
    need(cancel?.reason !== 'no-entries' || state.seal?.valid === winners.length)
    return { winners, over, awaited: awaitedIn(state, this.terms, roundAfter) }
  }

  private hash(bytes: Uint8Array): string {
    return toHex(this.sha256(bytes))
  }

  /** The text of a row among those that are drawn from. */
  validRow(found: ValidRow | null, { valid, validRoot }: SealLeaf): string {
    need(found !== null)
    this.include(found.row, found, { size: valid, root: fromHex(validRoot) })
    need(parseRow(found.row, 1).voided === null)
    return found.row
  }

  private forfeiture(
    file: string | null,
    { hash, ...expected }: { hash: string; index: number; attempt: number; winner: number },
  ): Forfeiture {
    need(file !== null)
    const bytes = bytesOf(file)
    need(this.hash(bytes) === hash)
    const forfeiture = parseForfeiture(bytes)
    checkForfeitureLines(forfeiture, { terms: this.terms, logRoot: null, ...expected })
    return forfeiture
  }
}

function hashesOf(texts: readonly string[]): Uint8Array[] {
  need(Array.isArray(texts))
  const hashes = texts.map((text: string) => fromHex(text))
  need(hashes.every(({ length }) => length === HASH_BYTES))
  return hashes
}
