/** What a page asks of a worker: a whole draw from files, or one entry from its proof. */
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
import type { Kind, VoidReason } from './formats.ts'
import { type ReadLeaf, parseLeaf } from './leaves.ts'
import { parseRow, rowText } from './lists.ts'
import { isConsistent, isIncluded, leafHash } from './merkle.ts'
import { type Terms, parseTerms } from './terms.ts'
import {
  type DrawFiles,
  type FileInParts,
  type Progress,
  type Step,
  type StepResult,
  type Verification,
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
  /** The log or its proof is not valid, so that nothing can be said. */
  | { outcome: 'unproven'; number: number }
  | {
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
 * does not take part.
 */
export type TicketEnd = 'undrawn' | 'won' | 'forfeited' | 'lost' | 'waiting' | 'cancelled' | 'out'

interface DrawEnd {
  winners: readonly { number: number; isForfeited: boolean }[]
  isCancelled: boolean
}

function endOf(
  {
    number,
    listed,
    voided,
  }: { number: number; listed: 'valid' | VoidReason | null; voided: VoidReason | null },
  { winners, isCancelled }: DrawEnd,
): TicketEnd {
  const won = winners.find((winner) => winner.number === number)
  if (won) return won.isForfeited ? 'forfeited' : 'won'
  if (isCancelled) return 'cancelled'
  if ((listed ?? voided ?? 'valid') !== 'valid') return 'out'
  if (winners.length === 0) return 'undrawn'
  return winners.every(({ isForfeited }) => isForfeited) ? 'waiting' : 'lost'
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
  const open = steps.filter(({ outcome }) => outcome !== 'passed')
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
  const { terms, entry } = verification
  if (!link) return { outcome: 'malformed' }
  const { number } = link.proof
  if (!terms) return { outcome: 'unproven', number }
  const expected = originOf({ ...terms, rehearsal: false })
  if (link.origin !== null && link.origin !== expected)
    return { outcome: 'foreign', found: link.origin, expected }
  if (entry === undefined) return { outcome: 'unproven', number }
  if (entry === null) return { outcome: 'absent', number }
  if (!isOf(link.proof, entry.commitment, sha256)) return { outcome: 'other', number }
  const { line, since, listed, voided } = entry
  const { winners, cancelled } = verification
  const end = endOf({ number, listed, voided }, { winners, isCancelled: cancelled !== null })
  return { outcome: 'found', number, line, since, listed, voided, end }
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
  /** All leaves that are neither an entry nor a void, in order; with the file that a result's leaf names. */
  steps: readonly (ProvenLeaf & { file: string | null })[]
  /** The row of the number in the sealed list, with its proof for the root that the seal's leaf names. */
  row: { index: number; size: number; row: string; proof: readonly string[] } | null
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
  const { number } = link
  try {
    const log = new ProvenLog(contest, terms, response, sha256)
    const entry = log.entry(response, number)
    if (!isOf(link, entry.commitment, sha256)) return { outcome: 'other', number }
    const { seal, ...end } = log.steps(response.steps)
    const voided = response.void && log.void(response.void, number)
    const isOut = voided !== null && (seal === null || response.void!.index < seal.index)
    need(voided === null || response.void!.index > response.index)
    need(seal === null || response.index < seal.index)
    const listed = seal === null ? null : statusOf(response.row, seal, entry, sha256)
    need(seal === null ? response.row === null : listed === (isOut ? voided : 'valid'))
    const found = { number, line: response.index + 1, since: log.first.time, listed, voided }
    return { outcome: 'found', ...found, end: endOf(found, end) }
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

const fromHexes = (texts: readonly string[]): Uint8Array[] => texts.map((text) => fromHex(text))

/** The log of a contest as two of its checkpoints sign it. */
class ProvenLog {
  readonly first: Checkpoint
  private readonly last: Checkpoint
  private readonly terms: Terms
  private readonly termsHash: string
  private readonly sha256: Sha256

  constructor(contest: string, terms: Uint8Array, { size, checkpoint, last }: LeafResponse, sha256: Sha256) {
    this.sha256 = sha256
    this.terms = parseTerms(terms, sha256)
    this.termsHash = toHex(sha256(terms))
    need(this.terms.contest === contest)
    this.first = this.signed(checkpoint, size)
    this.last = this.signed(last.checkpoint, last.size)
    need(isConsistent(this.first, this.last, fromHexes(last.proof), sha256))
    need(this.first.time <= this.last.time)
  }

  private signed(note: string, size: number): Checkpoint {
    const [checkpoint, second] = parseCheckpoints(toBytes(note))
    need(checkpoint !== undefined && second === undefined && checkpoint.size === size)
    const { logKey } = this.terms
    checkSignature(checkpoint, parseVerifierKey(logKey, this.sha256, 0), originOf(this.terms))
    return checkpoint
  }

  private leaf({ index, leaf, proof }: ProvenLeaf, { size, root }: Checkpoint): ReadLeaf {
    const hash = leafHash(this.sha256, toBytes(leaf))
    need(isIncluded({ index, size, root, hash, proof: fromHexes(proof) }, this.sha256))
    const read = parseLeaf(leaf, index + 1)
    need(read.contest === this.terms.contest && read.rehearsal === this.terms.rehearsal)
    return read
  }

  entry(proven: ProvenLeaf, number: number): { number: number; kind: Kind; commitment: string } {
    const leaf = this.leaf(proven, this.first)
    need(leaf.type === 'entry' && leaf.number === number)
    return leaf
  }

  void(proven: ProvenLeaf, number: number): VoidReason {
    const leaf = this.leaf(proven, this.last)
    need(leaf.type === 'void' && leaf.number === number)
    return leaf.reason
  }

  /** What the steps say: the seal, who has won, and whether the contest is cancelled. */
  steps(steps: LeafResponse['steps']): DrawEnd & { seal: { index: number; listRoot: string } | null } {
    const leaves = steps.map((proven) => ({ ...this.leaf(proven, this.last), ...proven }))
    need(leaves.every(({ index }, at) => at === 0 || index > leaves[at - 1]!.index))
    const [open] = leaves
    need(open?.type === 'open' && open.index === 0 && open.termsHash === this.termsHash)
    const forfeited = leaves.flatMap((leaf) => (leaf.type === 'forfeit' ? [leaf.attempt] : []))
    return {
      seal: leaves.find((leaf) => leaf.type === 'seal') ?? null,
      isCancelled: leaves.some(({ type }) => type === 'cancel'),
      winners: leaves.flatMap((leaf) =>
        leaf.type === 'result'
          ? [{ number: this.drawn(leaf.hash, leaf.file), isForfeited: forfeited.includes(leaf.attempt) }]
          : [],
      ),
    }
  }

  /** The number in a result's file. */
  private drawn(hash: string, file: string | null): number {
    need(file !== null && toHex(this.sha256(toBytes(file))) === hash)
    const [, number = ''] = /^number: (\d{1,8})$/m.exec(file) ?? []
    need(number !== '')
    return Number(number)
  }
}

/** The status of a row that is proven for the root of the sealed list. */
function statusOf(
  found: LeafResponse['row'],
  { listRoot }: { listRoot: string },
  entry: { number: number; kind: Kind; commitment: string },
  sha256: Sha256,
): 'valid' | VoidReason {
  need(found !== null)
  const { index, size, row, proof } = found
  const hash = leafHash(sha256, toBytes(row))
  need(isIncluded({ index, size, root: fromHex(listRoot), hash, proof: fromHexes(proof) }, sha256))
  const { voided, ...rest } = parseRow(row, 1)
  need(rowText({ ...entry, voided }) === rowText({ ...rest, voided }))
  return voided ?? 'valid'
}
