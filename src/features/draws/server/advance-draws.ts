import { cancelOffer, cancellationTooLate, endDraw, moveOffer } from '#features/offers/server/index.ts'
import { voidTicketsWithoutOrder } from '#features/tickets/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit } from '#platform/audit-log.ts'
import { BeaconError, type BeaconRound } from '#platform/beacon/beacon-client.ts'
import { publicChain } from '#platform/beacon/chains.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { timeOfRound } from '#draw-protocol/beacon.ts'
import { fromHex, toHex } from '#draw-protocol/bytes.ts'
import type { CancelReason } from '#draw-protocol/formats.ts'
import { leafText } from '#draw-protocol/leaves.ts'
import { beaconFile, resultFile } from '#draw-protocol/results.ts'
import { selectWinner } from '#draw-protocol/selection.ts'
import type { Beacon } from '#draw-protocol/terms.ts'
import { type JobStep, type Timeline, drawOf, jobStep, schedule } from '../timeline.rules.ts'
import { appendAll } from './append-entries.ts'
import { drawFilesRepository } from './draw-files.repository.ts'
import { drawnRow, storeFile, storeList, termsOf } from './draw-files.ts'
import { type LockedLog, drawLogsWrites } from './draw-logs.repository.ts'
import { type Situation, drawStepsRepository, drawStepsWrites } from './draw-steps.repository.ts'
import type { DrawsDeps } from './draws-deps.ts'
import { eachDraw } from './each-draw.ts'
import { appendStep, createRegister, register, registerHalt } from './register/register.ts'
import { sha256 } from './sha256.ts'

/** Called before the commit of a step; a test stops there. */
type BeforeCommit = (step: JobStep, offerId: number) => Promise<void>
const goOn: BeforeCommit = async () => {}

const timelineOf = (seen: Situation): Timeline => schedule(seen.durations, seen, seen.now)
const nextStep = (seen: Situation): JobStep | null => jobStep(timelineOf(seen), seen)

/**
 * Background job: takes every draw on by the steps that are due: close, list, seal, draw. Each is one transaction that
 * holds the lock of the contest's row, so of two workers one makes it, and a killed one has made all of it or nothing.
 * Steps that need no network come first, and all rounds are asked for at the same time: a silent relay holds up nobody
 * else's draw.
 * @returns function that rejects at the end when some draw could not go on
 */
export const drawAdvance = (deps: DrawsDeps, beforeCommit: BeforeCommit = goOn): (() => Promise<void>) => {
  const silences = new Map<number, Silence>()
  return async () => {
    const waiting = new Map<number, Situation>()
    const faults: unknown[] = []
    const note = (error: unknown): void => void faults.push(error)
    // Every step stands in the register.
    const isHalted = (await registerHalt(deps.db)) !== null
    const found = isHalted ? [] : await drawStepsRepository(deps.db).toAdvance()
    const due = found.filter((seen) => nextStep(seen) !== null).map(({ id }) => id)
    await eachDraw(due, deps, async (id) => {
      while (!deps.isStopping?.() && (await advance(deps, id, waiting, beforeCommit)));
    }).catch(note)
    await Promise.all(
      [...waiting].map(([id, seen]) => drawWhenThere(deps, id, seen, silences, beforeCommit).catch(note)),
    )
    await settleAlerts(deps, silences)
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, 'draws')
  }
}

/** A round that was asked for in vain. */
interface Silence {
  tries: number
  nextMs: number
  fault: string
}

/**
 * Makes the next step, unless it is the draw.
 * @param waiting gets the contest whose draw is due
 * @returns whether a step was made, after which another may be due
 */
async function advance(
  deps: DrawsDeps,
  offerId: number,
  waiting: Map<number, Situation>,
  beforeCommit: BeforeCommit,
): Promise<boolean> {
  const { db } = deps
  const seen = await situationOf(db, offerId)
  const step = seen && nextStep(seen)
  if (!seen || !step) return false
  if (step === 'draw') {
    waiting.set(offerId, seen)
    return false
  }
  return transact(db, async (trx) => {
    await drawStepsWrites(trx).lockOffer(offerId)
    const current = await situationOf(trx, offerId)
    if (!current || nextStep(current) !== step) return false
    await STEPS[step](deps, trx, offerId, current)
    await beforeCommit(step, offerId)
    return true
  })
}

/** Draws with the round, once it is there; ends the contest when the beacon was silent for too long. */
async function drawWhenThere(
  deps: DrawsDeps,
  offerId: number,
  seen: Situation,
  silences: Map<number, Silence>,
  beforeCommit: BeforeCommit,
): Promise<void> {
  const round = await roundOf(deps, offerId, seen, silences)
  if (!round) return
  if (round === 'silent' && seen.now.getTime() < (drawOf(timelineOf(seen))?.ends ?? Infinity)) return
  await transact(deps.db, async (trx) => {
    await drawStepsWrites(trx).lockOffer(offerId)
    const current = await situationOf(trx, offerId)
    if (!current || nextStep(current) !== 'draw') return
    if (round === 'silent') await endWithoutWinner(deps, trx, offerId, current, 'endWithoutBeacon')
    else await drawAttempt(deps, trx, offerId, current, round)
    await beforeCommit('draw', offerId)
  })
  silences.delete(offerId)
}

const situationOf = (db: Sql, offerId: number): Promise<Situation | undefined> =>
  drawStepsRepository(db).situation(offerId)

type Step = (deps: DrawsDeps, trx: Trx, offerId: number, situation: Situation) => Promise<void>

/** All steps but the draw itself, which needs the round first. */
const STEPS: Record<Exclude<JobStep, 'draw'>, Step> = {
  async close(deps, trx, offerId, { closes_at, held, slug }) {
    const log = await appendAll(trx, deps, await lockedLog(trx, offerId))
    const instant = Math.floor(closes_at.getTime() / 1000)
    await appendStep(trx, deps, log, { type: 'close', instant, pending: held }, slug)
    deps.log.info({ slug, pending: held }, 'the log of a contest is closed')
  },

  async list(deps, trx, offerId, { slug }) {
    await requireMove(trx, 'list', offerId)
    const log = await appendAll(trx, deps, await lockedLog(trx, offerId))
    const terms = await termsOf(trx, offerId)
    const { listHash } = await storeList(trx, log, 'provisional.txt', terms)
    await appendStep(trx, deps, log, { type: 'list', listHash }, slug)
    deps.log.info({ slug }, 'a provisional list is published')
  },

  async seal(deps, trx, offerId, situation) {
    const { slug } = situation
    // Cards registered until this moment take part.
    const log = await appendAll(trx, deps, await lockedLog(trx, offerId))
    await requireMove(trx, 'seal', offerId)
    const published = await termsOf(trx, offerId)
    const sealed = await storeList(trx, log, 'list.txt', published)
    await appendStep(trx, deps, log, { type: 'seal', ...sealed }, slug)
    deps.log.info({ slug, valid: sealed.valid }, 'a list is sealed')
    if (sealed.valid === 0) return endWithoutWinner(deps, trx, offerId, situation, 'endWithoutEntries')
    const { beacon } = published.terms
    await drawStepsWrites(trx).insertAttempt(offerId, 0, beacon.round, timeOfRound(beacon, beacon.round))
  },

  // Nobody outside would have seen the list before the round.
  async cancel(deps, trx, offerId, { slug }) {
    await cancelOffer(trx, slug, WHY.unsealed)
    await appendCancellation(trx, deps, await lockedLog(trx, offerId), 'shop')
    await afterEnd(deps, trx, offerId, slug, WHY.unsealed)
  },
}

/** Why a draw ended without a winner, as its page says it: in the language in which staff write such reasons. */
const WHY = {
  unsealed: translate(DEFAULT_LANGUAGE, 'errors.offer.notPrepared'),
  endWithoutEntries: translate(DEFAULT_LANGUAGE, 'errors.offer.noEntries'),
  endWithoutBeacon: translate(DEFAULT_LANGUAGE, 'errors.offer.beaconSilent'),
} as const

const LEAF_REASONS = {
  endWithoutEntries: 'no-entries',
  endWithoutBeacon: 'beacon-silent',
} as const satisfies Record<string, CancelReason>

async function requireMove(trx: Trx, event: 'list' | 'seal' | 'draw', offerId: number): Promise<void> {
  if (!(await moveOffer(trx, event, offerId, 'system')))
    throw new Error(`contest ${offerId} cannot make the move "${event}"`)
}

async function lockedLog(trx: Trx, offerId: number) {
  const log = await drawLogsWrites(trx).lock(offerId)
  if (!log) throw new Error(`contest ${offerId} has terms and no log`)
  return log
}

/**
 * Appends the cancellation of a contest by the shop, in the transaction that cancels it. One that had no terms yet, and so
 * has no log, stands in the register alone; one without a draw, nowhere.
 * @throws Refusal 409 when the leaf would be dated after the last instant for it
 */
export async function noteCancellation(
  trx: Trx,
  deps: Pick<DrawsDeps, 'key' | 'host'>,
  offerId: number,
): Promise<void> {
  const found = await drawLogsWrites(trx).lock(offerId)
  if (found) {
    const time = await appendCancellation(trx, deps, found, 'shop')
    const until = await drawStepsRepository(trx).cancelUntil(offerId)
    if (typeof until === 'number' && time > until) throw cancellationTooLate()
    return
  }
  const { slug, hasDraw } = await drawStepsRepository(trx).logged(offerId)
  if (!hasDraw) return
  await createRegister(trx, deps)
  await register(trx, deps, [
    leafText({ type: 'cancel', reason: 'shop' }, { contest: slug, rehearsal: false }),
  ])
}

/** @param reason of docs/draw-v1.md, section 4 @returns the time of its leaf, in Unix seconds */
async function appendCancellation(
  trx: Trx,
  deps: Pick<DrawsDeps, 'key'>,
  found: LockedLog,
  reason: CancelReason,
): Promise<number> {
  const { slug } = await drawStepsRepository(trx).logged(found.id)
  // A sealed list has all entries.
  const log = await appendAll(trx, deps, found, { isEnding: reason === 'shop' })
  return (await appendStep(trx, deps, log, { type: 'cancel', reason }, slug)).time
}

/** Ends a draw that has no winner; all money goes back. */
export async function endWithoutWinner(
  deps: Pick<DrawsDeps, 'key' | 'log'>,
  trx: Trx,
  offerId: number,
  { slug }: Pick<Situation, 'slug'>,
  event: keyof typeof LEAF_REASONS,
): Promise<void> {
  await endDraw(trx, event, offerId, WHY[event])
  await appendCancellation(trx, deps, await lockedLog(trx, offerId), LEAF_REASONS[event])
  await afterEnd(deps, trx, offerId, slug, WHY[event])
}

async function afterEnd(
  deps: Pick<DrawsDeps, 'log'>,
  trx: Trx,
  offerId: number,
  slug: string,
  reason: string,
): Promise<void> {
  await voidTicketsWithoutOrder(trx, offerId)
  const subject = { kind: 'offer', id: offerId } as const
  await audit(trx, { actor: 'system', action: 'offers.cancel', subject, reason })
  deps.log.warn({ slug, reason }, 'a contest is cancelled by its draw')
}

/** Chooses the winner of the attempt that waits for this round. */
async function drawAttempt(
  deps: DrawsDeps,
  trx: Trx,
  offerId: number,
  { slug, state }: Situation,
  { round, signature, randomness, relay }: BeaconRound,
): Promise<void> {
  const steps = drawStepsRepository(trx)
  const attempts = await steps.attempts(offerId)
  const attempt = attempts.find(({ number }) => number === null)
  if (attempt?.round !== round) throw new Error(`the draw of ${slug} waits for another round`)
  if (state === 'sealed') await requireMove(trx, 'draw', offerId)
  const log = await appendAll(trx, deps, await lockedLog(trx, offerId))
  const [list, file] = await Promise.all([
    drawFilesRepository(trx).list(offerId, 'list.txt'),
    drawFilesRepository(trx).file(offerId, 'list.txt'),
  ])
  const { terms } = await termsOf(trx, offerId)
  const before = attempts.flatMap(({ number }) => (number === null ? [] : [number]))
  const remaining = list!.valid - before.length
  const listHash = file!.sha256
  const selection = selectWinner(
    { attempt: attempt.attempt, randomness: fromHex(randomness), listHash, remaining },
    sha256,
  )
  const row = await drawnRow(trx, offerId, selection.index, before)
  if (!row) throw new Error(`the sealed list of ${slug} has no row ${selection.index}`)
  const { number, kind, commitment } = row
  const result = {
    rehearsal: false,
    contest: slug,
    attempt: attempt.attempt,
    listHash: toHex(listHash),
    chain: terms.beacon.chain,
    round,
    signature,
    randomness,
    remaining,
    ...selection,
    number,
    kind,
    commitment,
  }
  await storeFile(trx, offerId, `beacon-${attempt.attempt}.json`, beaconFile(result))
  const hash = toHex(await storeFile(trx, offerId, `result-${attempt.attempt}.txt`, resultFile(result)))
  const { time } = await appendStep(trx, deps, log, { type: 'result', attempt: attempt.attempt, hash }, slug)
  // A result that is dated before its round is a false one.
  if (time < attempt.round_at) throw new Error(`the draw of ${slug} is before its round`)
  await drawStepsWrites(trx).finishAttempt(offerId, {
    attempt: attempt.attempt,
    relay,
    randomness: Buffer.from(randomness, 'hex'),
    number,
  })
  deps.log.info({ slug, attempt: attempt.attempt, number }, 'a winner is drawn')
}

const MOST_PAUSE_MS = 60_000
/** The alert is raised when a round is late for so long. */
const ALERT_AFTER_SECONDS = 120

/**
 * Asks for the round that a draw waits for; after a failure with growing pauses.
 * @returns null without a response; `silent` when a relay responded just now, and none has the round
 */
async function roundOf(
  deps: DrawsDeps,
  offerId: number,
  { slug, now }: Situation,
  silences: Map<number, Silence>,
): Promise<BeaconRound | 'silent' | null> {
  const known = silences.get(offerId)
  if (known && nowMs() < known.nextMs) return null
  const attempt = (await drawStepsRepository(deps.db).attempts(offerId)).find(({ number }) => number === null)
  if (!attempt) return null
  const { terms } = await termsOf(deps.db, offerId)
  try {
    // The clock of the database says that the round is due; that of this process may lag behind.
    return await clientFor(deps, slug, terms.beacon).round(attempt.round, { now })
  } catch (error) {
    if (!(error instanceof BeaconError)) throw error
    const tries = (known?.tries ?? 0) + 1
    const fault = error.faults.map((one) => `${one.relay}: ${one.detail}`).join('; ') || error.fault
    const pause = Math.min(MOST_PAUSE_MS, 1000 * 1.5 ** Math.min(tries, 20))
    silences.set(offerId, { tries, fault, nextMs: nowMs() + pause })
    deps.log.warn({ slug, round: attempt.round, tries, fault }, 'the round of a draw is not there')
    // A worker without a network cannot say that the beacon is silent.
    return error.faults.some(({ isResponse }) => isResponse) ? 'silent' : null
  }
}

/**
 * The chain of a draw, even if the shop has changed to another since.
 * @throws Error in live mode for a chain whose key somebody here may have
 */
function clientFor({ beacon, beaconOf, isDemo }: DrawsDeps, slug: string, named: Beacon) {
  const { chain: hash, key: publicKey, genesis, period } = named
  if (!isDemo && publicChain(hash)?.publicKey !== publicKey)
    throw new Error(`live mode draws with a public chain only, and the draw of ${slug} names another`)
  const isSame = hash === beacon.chain.hash && publicKey === beacon.chain.publicKey
  return isSame ? beacon : beaconOf({ hash, publicKey, genesis, period, scheme: 'bls-unchained-g1-rfc9380' })
}

/** Every process finds the same, however long it has been running. */
async function settleAlerts({ db, alerts }: DrawsDeps, silences: Map<number, Silence>): Promise<void> {
  const found = await drawStepsRepository(db).toAdvance()
  const silent = found.flatMap((seen) => {
    const timeline = timelineOf(seen)
    const since = drawOf(timeline)?.planned
    if (!since || !timeline.late || timeline.late.seconds < ALERT_AFTER_SECONDS) return []
    const details = { since: new Date(since).toISOString(), reason: silences.get(seen.id)?.fault }
    return [{ subject: seen.slug, details }]
  })
  await alerts.settle(db, 'beaconSilent', silent)
}
