/** What a page asks of a worker: a whole draw from files, or one entry from its proof. */
import { ArchiveFault, openArchive } from './archive.ts'
import { fromHex, sameBytes, toBytes, toHex, toText, type Sha256 } from './bytes.ts'
import { checkSignature, originOf, parseCheckpoints, parseVerifierKey } from './checkpoints.ts'
import { type ProofLink, commitmentOf, parseProofFragment } from './commitments.ts'
import { DrawFault } from './faults.ts'
import type { VoidReason } from './formats.ts'
import { parseLeaf } from './leaves.ts'
import { isIncluded, leafHash } from './merkle.ts'
import { parseTerms } from './terms.ts'
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
  kept: { termsHash: string; listHash: string; checkpoints: string }
  /** A proof link, or the part behind `#`; empty for none. */
  proof: string
}

/** A file that a step needs and that was not among the files. */
export type StepAnswer = StepResult | { step: Step; outcome: 'skipped'; why: 'not-given'; file: string }

export interface PackAnswer extends Omit<Verification, 'steps'> {
  steps: StepAnswer[]
  verdict: 'passed' | 'failed' | 'incomplete'
  ticket: TicketAnswer | null
}

/** What is known of an entry whose holder has shown its secret. */
export type TicketAnswer =
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
      listed: 'valid' | VoidReason | null
      voided: VoidReason | null
    }

const OPTIONAL = /^(?:forfeitures|end)$/

/** Checks a draw; never throws for what is in the files. */
export async function checkPack(
  { files, kept, proof }: PackQuestion,
  sha256: Sha256,
  told: { onProgress: (progress: Progress) => void; onStep: (step: StepAnswer) => void },
): Promise<PackAnswer> {
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
    verdict: verdictOf(steps),
    ticket: proof === '' ? null : ticketOf(link, verification, sha256),
  }
}

/** A draw passes when no step fails and at most those are skipped that there may be nothing for (section 12). */
const verdictOf = (steps: readonly StepAnswer[]): PackAnswer['verdict'] =>
  steps.some(({ outcome }) => outcome === 'failed')
    ? 'failed'
    : steps.every(({ step, outcome }) => outcome === 'passed' || OPTIONAL.test(step))
      ? 'passed'
      : 'incomplete'

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
const withoutMissing = (result: StepResult): StepAnswer =>
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

function ticketOf(link: ReadProof | null, { terms, entry }: Verification, sha256: Sha256): TicketAnswer {
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
  return { outcome: 'found', number, line, since, listed, voided }
}

const isOf = (proof: ProofLink, commitment: string, sha256: Sha256): boolean =>
  sameBytes(commitmentOf(proof, sha256), fromHex(commitment))

/** A leaf as the shop hands it out: `GET /draws/SLUG/leaf?number=N`. */
export interface LeafAnswer {
  index: number
  leaf: string
  size: number
  proof: readonly string[]
  /** A checkpoint of `size` leaves. */
  checkpoint: string
}

export interface LeafQuestion {
  contest: string
  terms: Uint8Array
  answer: LeafAnswer
  /** The row of the number in the sealed list; null when there is no list or no row. */
  row: string | null
  /** The part behind `#`. */
  proof: string
}

/** Checks one entry by its inclusion proof; never throws for what was handed out. */
export function checkLeaf(
  { contest, terms, answer, row, proof }: LeafQuestion,
  sha256: Sha256,
): TicketAnswer {
  const link = parseProofFragment(proof)
  if (!link) return { outcome: 'malformed' }
  const { number } = link
  try {
    const read = parseTerms(terms, sha256)
    const [checkpoint, second] = parseCheckpoints(toBytes(answer.checkpoint))
    const leaf = parseLeaf(answer.leaf, answer.index + 1)
    const isProven =
      checkpoint !== undefined &&
      second === undefined &&
      read.contest === contest &&
      leaf.contest === contest &&
      leaf.rehearsal === read.rehearsal &&
      leaf.type === 'entry' &&
      leaf.number === number &&
      checkpoint.size === answer.size &&
      isIncluded(
        {
          index: answer.index,
          size: checkpoint.size,
          root: checkpoint.root,
          hash: leafHash(sha256, toBytes(answer.leaf)),
          proof: answer.proof.map((node) => fromHex(node)),
        },
        sha256,
      )
    if (!isProven) return { outcome: 'unproven', number }
    checkSignature(checkpoint, parseVerifierKey(read.logKey, sha256, 0), originOf(read))
    if (!isOf(link, leaf.commitment, sha256)) return { outcome: 'other', number }
    const listed = row === null ? null : statusOf(row, toHex(commitmentOf(link, sha256)))
    if (listed === undefined) return { outcome: 'unproven', number }
    const voided = listed === null || listed === 'valid' ? null : listed
    return { outcome: 'found', number, line: answer.index + 1, since: checkpoint.time, listed, voided }
  } catch (error) {
    // What does not decode is no proof.
    if (error instanceof DrawFault || error instanceof TypeError || error instanceof RangeError)
      return { outcome: 'unproven', number }
    throw error
  }
}

const ROW = /^\d+\t\w+\t([0-9a-f]{64})\t(?:valid|void:([a-z-]+))$/

/** The status of a row; undefined when the row is of another ticket. */
function statusOf(row: string, commitment: string): 'valid' | VoidReason | undefined {
  const [, own, reason] = ROW.exec(row) ?? []
  return own === commitment ? ((reason as VoidReason | undefined) ?? 'valid') : undefined
}
