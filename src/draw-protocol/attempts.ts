/** What the sealed list, the beacon and the forfeitures decide: for whole packs and for one ticket (docs/draw-v1.md, sections 8 to 10). */
import { isRoundSignature, roundAt, timeOfRound } from './beacon.ts'
import { type Sha256, fromHex, toHex } from './bytes.ts'
import { DrawFault, type FaultCode, type FaultValues } from './faults.ts'
import type { LogState } from './log.ts'
import { type Forfeiture, type Result, parseBeaconFile } from './results.ts'
import { selectWinner } from './selection.ts'
import type { Terms } from './terms.ts'

/** The signature in `beacon-K.json`, which is that of the key for this round. Throws a DrawFault. */
export function signatureIn(
  file: Uint8Array,
  { key, round }: { key: string; round: number },
  sha256: Sha256,
): string {
  const { signature, ...response } = parseBeaconFile(file)
  if (response.round !== round) throw new DrawFault('round', 1, { expected: round, found: response.round })
  if (!isRoundSignature({ key, round, signature }, sha256))
    throw new DrawFault('beacon-signature', 1, { round })
  const expected = toHex(sha256(fromHex(signature)))
  if (response.randomness !== expected)
    throw new DrawFault('randomness', 1, { expected, found: response.randomness })
  return signature
}

interface Attempt {
  terms: Terms
  listHash: string
  attempt: number
  round: number
  /** Of the beacon, for that round. */
  signature: string
  /** How many valid rows there are without those drawn before. */
  remaining: number
}

/** Draws an attempt. @param rowAt the row at an index among those that remain */
export function drawAttempt(
  { terms, listHash, attempt, round, signature, remaining }: Attempt,
  rowAt: (index: number) => Pick<Result, 'number' | 'kind' | 'commitment'>,
  sha256: Sha256,
): Result {
  const randomness = sha256(fromHex(signature))
  const selection = selectWinner({ attempt, randomness, listHash: fromHex(listHash), remaining }, sha256)
  const { number, kind, commitment } = rowAt(selection.index)
  return {
    rehearsal: terms.rehearsal,
    contest: terms.contest,
    attempt,
    listHash,
    chain: terms.beacon.chain,
    round,
    signature,
    randomness: toHex(randomness),
    remaining,
    ...selection,
    number,
    kind,
    commitment,
  }
}

/** The index among all valid rows of one that has `index` among those that remain. @param drawn indexes of those drawn before */
export const indexAmongValid = (index: number, drawn: readonly number[]): number =>
  drawn.toSorted((a, b) => a - b).reduce((at, other) => (other <= at ? at + 1 : at), index)

/**
 * Holds the lines of a forfeiture to what they follow from; its statement and its times are not among them. Throws a
 * DrawFault. @param known.logRoot null where the log is not at hand
 */
export function checkForfeitureLines(
  forfeiture: Forfeiture,
  {
    terms,
    attempt,
    winner,
    index,
    logRoot,
  }: { terms: Terms; attempt: number; winner: number; index: number; logRoot: string | null },
): void {
  const bad = (code: FaultCode, line: number, values: FaultValues = {}): never => {
    throw new DrawFault(code, line, values)
  }
  const equal = (line: number, found: string | number, expected: string | number | null): void => {
    if (found !== expected) bad('line', line, { expected: expected ?? 'none', found })
  }
  const { reason, published } = forfeiture
  if (forfeiture.rehearsal !== terms.rehearsal) bad('mixed-rehearsal', 1)
  equal(2, forfeiture.contest, terms.contest)
  equal(3, forfeiture.attempt, attempt)
  equal(4, forfeiture.number, winner)
  if (!terms.forfeitReasons.includes(reason)) bad('reason-of-terms', 5, { reason })
  equal(7, forfeiture.logSize, index)
  if (logRoot !== null) equal(8, forfeiture.logRoot, logRoot)
  equal(10, forfeiture.chain, terms.beacon.chain)
  equal(11, forfeiture.round, roundAt(terms.beacon, published + terms.alternateDelay))
}

/** The attempt that is still to be drawn, and its round. */
export interface Awaited {
  attempt: number
  round: number
  /** Of the round, in Unix seconds. */
  time: number
}

/** The round that a draw waits for; null when there is none. @param roundAfter that of a forfeiture; null when it is not known */
export function awaitedIn(
  { results, forfeits, seal, over }: LogState,
  { beacon }: Terms,
  roundAfter: (attempt: number) => number | null,
): Awaited | null {
  const attempt = results.length
  if (over || attempt > forfeits.length || seal?.valid === attempt) return null
  const round = attempt === 0 ? beacon.round : roundAfter(attempt - 1)
  return round === null ? null : { attempt, round, time: timeOfRound(beacon, round) }
}
