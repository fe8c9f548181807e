/** Forfeitures (docs/draw-v1.md, section 10): by themselves, or decided by two people; the next attempt follows. */
import { type ApprovalKind, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit } from '#platform/audit-log.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ForfeitBody, ForfeitPreview } from '../../claims.contract.ts'
import { DECIDED_REASONS, type StaffReason, automaticForfeit } from '../../claims.rules.ts'
import { roundAt, timeOfRound } from '#draw-protocol/beacon.ts'
import { toBytes, toHex } from '#draw-protocol/bytes.ts'
import type { ForfeitReason } from '#draw-protocol/formats.ts'
import { forfeitureFile } from '#draw-protocol/results.ts'
import { endWithoutWinner } from '../advance-draws.ts'
import { appendAll } from '../append-entries.ts'
import { type AttemptId, claimsRepository } from './claims.repository.ts'
import { storeFile, termsOf } from '../draw-files.ts'
import { type LockedLog, drawLogsWrites } from '../draw-logs.repository.ts'
import { rootOfLog } from '../draw-logs.ts'
import { drawStepsWrites } from '../draw-steps.repository.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { type ForfeitFacts, forfeituresRepository, forfeituresWrites } from './forfeitures.repository.ts'
import { logClaim } from './receipts.ts'
import { attestedAt, policyOfDraw } from '../register/policies.ts'
import { appendStep, registerHalt } from '../register/register.ts'
import { sha256 } from '../sha256.ts'
import { byLanguage, textFields } from '#shared/text-fields.ts'

export interface ForfeituresDeps extends Pick<DrawsDeps, 'db' | 'key' | 'log' | 'isStopping'> {
  shop: Parameters<typeof askApproval>[1]['shop']
}

type Statements = Record<Language, string>

/** `statement-K.txt`: the same in each language. */
export const statementText = (statements: Statements): string =>
  LANGUAGES.map(
    (language) => `[${language}]\n${statements[language].replaceAll(/\r\n?/g, '\n').trim()}\n`,
  ).join('\n')

/** What is published when nobody decides. */
export const automaticStatements = (reason: 'unclaimed' | 'voided'): Statements =>
  Object.fromEntries(
    LANGUAGES.map((language) => [language, translate(language, `drawClaims.statements.${reason}`)]),
  ) as Statements

/** @param beforeCommit a test stops there */
export async function forfeitPrizes(
  deps: ForfeituresDeps,
  beforeCommit: (id: AttemptId) => Promise<void> = async () => {},
): Promise<void> {
  if ((await registerHalt(deps.db)) !== null) return
  for (const id of await forfeituresRepository(deps.db).toEnd()) {
    if (deps.isStopping?.()) return
    try {
      await transact(deps.db, async (trx) => {
        if (await forfeitIfDue(deps, trx, id)) await beforeCommit(id)
      })
    } catch (error) {
      // One draw must not hold up another.
      deps.log.warn({ err: error, ...id }, 'a prize could not be forfeited, will be tried again')
    }
  }
}

/** The locks of a forfeiture, in the order of all steps of draws. @returns the log with every void and the claim in it */
async function lock(deps: ForfeituresDeps, trx: Trx, id: AttemptId): Promise<LockedLog | undefined> {
  await drawStepsWrites(trx).lockOffer(id.offerId)
  await forfeituresWrites(trx).lockClaim(id)
  const log = await drawLogsWrites(trx).lock(id.offerId)
  return log && logClaim(trx, deps, id, await appendAll(trx, deps, log))
}

async function forfeitIfDue(deps: ForfeituresDeps, trx: Trx, id: AttemptId): Promise<boolean> {
  const log = await lock(deps, trx, id)
  const facts = await forfeituresRepository(trx).facts(id)
  if (!log || !facts || !isOpen(facts)) return false
  const { submitted_at, is_over: isOver, decided, most } = facts
  const due = automaticForfeit({
    isSubmitted: submitted_at !== null,
    isOver,
    decided,
    most,
    voided: facts.void_index === null ? null : { isDecided: await isVoidDecided(trx, id, facts) },
  })
  if (!due) return false
  const statements = automaticStatements(due.reason)
  await publish(deps, trx, { id, facts, log }, { ...due, approvalId: null, statements })
  await audit(trx, {
    actor: 'system',
    action: 'draws.forfeit',
    subject: { kind: 'offer', id: id.offerId },
    after: { attempt: id.attempt, reason: due.reason },
  })
  return true
}

/** Nobody has the prize of the last attempt yet, and nobody has lost it. */
const isOpen = ({ awarded_at, forfeited_at, is_last }: ForfeitFacts): boolean =>
  is_last && awarded_at === null && forfeited_at === null

/** Whether the shop has decided a void, or it could have been made by somebody who knew the winner (section 10). */
async function isVoidDecided(
  db: Sql,
  { offerId }: AttemptId,
  { slug, void_index, void_time, void_reason, ...facts }: ForfeitFacts,
): Promise<boolean> {
  if (void_index === null || void_index > facts.result_index) return true
  if (DECIDED_REASONS.some((reason) => reason === void_reason)) return true
  const policy = await policyOfDraw(db, offerId)
  const time = policy ? (await attestedAt(db, policy, slug, [void_index]))[0]! : void_time
  return time === null || time > facts.void_until
}

interface NewForfeiture {
  reason: ForfeitReason
  isDecided: boolean
  approvalId: number | null
  statements: Statements
}

/** Publishes a forfeiture, and the round of the next attempt; without a row to draw from the contest ends. */
async function publish(
  deps: ForfeituresDeps,
  trx: Trx,
  { id, facts, log }: { id: AttemptId; facts: ForfeitFacts; log: LockedLog },
  { reason, isDecided, approvalId, statements }: NewForfeiture,
): Promise<void> {
  const { offerId, attempt } = id
  const { slug, number, remaining } = facts
  const { terms } = await termsOf(trx, offerId)
  const { beacon } = terms
  const published = await drawLogsWrites(trx).nextTime(offerId)
  const round = roundAt(beacon, published + terms.alternateDelay)
  if (round === null) throw new Error(`the beacon of ${slug} begins after the next attempt`)
  const statement = toHex(
    await storeFile(trx, offerId, `statement-${attempt}.txt`, toBytes(statementText(statements))),
  )
  const file = forfeitureFile({
    rehearsal: false,
    contest: slug,
    attempt,
    number,
    reason,
    statement,
    published,
    round,
    logSize: log.size,
    logRoot: toHex(await rootOfLog(trx, log)),
    chain: beacon.chain,
  })
  const hash = toHex(await storeFile(trx, offerId, `forfeiture-${attempt}.txt`, file))
  const { time } = await appendStep(trx, deps, log, { type: 'forfeit', attempt, hash }, slug)
  const roundTime = timeOfRound(beacon, round)
  // Whoever knows the round must not choose whether somebody forfeits.
  if (time >= roundTime) throw new Error(`the forfeiture of ${slug} is not before its round`)
  await forfeituresWrites(trx).insert(id, { reason, isDecided, published, approvalId })
  deps.log.info({ slug, attempt, reason }, 'a prize is forfeited')
  if (remaining > 0) await drawStepsWrites(trx).insertAttempt(offerId, attempt + 1, round, roundTime)
  else await endWithoutWinner(deps, trx, offerId, { slug }, 'endWithoutEntries')
}

// Decided by two people -----------------------------------------------------------------------------------------------

const notFound = (): Refusal => new Refusal('request.notFound', 404, 'errors.request.notFound')

/** @throws Refusal 404, 409 when nothing can be decided about it */
async function requireFacts(db: Sql, id: AttemptId): Promise<ForfeitFacts> {
  const facts = await forfeituresRepository(db).facts(id)
  if (!facts) throw notFound()
  if (!isOpen(facts)) throw new Refusal('claim.notToForfeit', 409, 'consoleDraws.refusals.notToForfeit')
  return facts
}

/** @throws Refusal 404, 409 also when the shop has decided as often as the terms allow, or not for that reason */
async function requireDecision(db: Sql, id: AttemptId, reason: StaffReason): Promise<ForfeitFacts> {
  const facts = await requireFacts(db, id)
  const { decided, most } = facts
  requireUnproven(facts, reason)
  if (decided >= most)
    throw new Refusal('claim.noDecisionLeft', 409, 'consoleDraws.refusals.noDecisionLeft', {
      values: { most },
    })
  return facts
}

/** @throws Refusal 409 for `unclaimed` while a proof of identity may still come, or was seen */
function requireUnproven({ is_unproven: isUnproven }: ForfeitFacts, reason: StaffReason): void {
  if (reason === 'unclaimed' && !isUnproven)
    throw new Refusal('claim.notUnproven', 409, 'consoleDraws.refusals.notUnproven')
}

const statementsOf = (body: Pick<ForfeitBody, `statement_${Language}`>): Statements =>
  byLanguage((language) => body[`statement_${language}`])

/** What a forfeiture would publish. @throws Refusal 404, 409 */
export async function previewForfeit(
  { db }: Pick<ForfeituresDeps, 'db'>,
  id: AttemptId,
  body: Omit<ForfeitBody, 'note'>,
): Promise<ForfeitPreview> {
  const facts = await requireFacts(db, id)
  requireUnproven(facts, body.reason)
  const { decided, most, remaining, alternate_delay_seconds: delay_seconds } = facts
  const statement = statementText(statementsOf(body))
  return { statement, sha256: toHex(sha256(toBytes(statement))), decided, most, remaining, delay_seconds }
}

interface ForfeitInput extends AttemptId {
  reason: StaffReason
  statements: Statements
}

/** Asks a second person to let the winner forfeit. @throws Refusal 404, 409 */
export const askForfeit = (
  { db, shop }: ForfeituresDeps,
  id: AttemptId,
  body: ForfeitBody,
  actor: StaffCaller,
): Promise<Approval> =>
  transact(db, async (trx) => {
    await requireDecision(trx, id, body.reason)
    const claim = await claimsRepository(trx).find(id)
    if (!claim) throw notFound()
    const { reason, note } = body
    const { titles, number, total } = claim
    const statements = statementsOf(body)
    return askApproval(trx, {
      actor,
      shop,
      permission: 'draws.decide',
      subject: { kind: 'offer', id: id.offerId },
      input: { ...id, reason, statements } satisfies ForfeitInput,
      preview: {
        ...textFields('title', titles),
        reason,
        number: padTicketNumber(number, total),
        statement: statementText(statements),
      },
      reason: note,
    })
  })

/** How an approved forfeiture is carried out; a second time it does nothing. */
export const forfeitApproval = (deps: ForfeituresDeps): ApprovalKind => ({
  permission: 'draws.decide',
  async check(input) {
    const { reason, ...id } = input as ForfeitInput
    await requireDecision(deps.db, id, reason)
  },
  async run(input, { actor, approver, approvalId }) {
    const { reason, statements, ...id } = input as ForfeitInput
    await transact(deps.db, async (trx) => {
      const log = await lock(deps, trx, id)
      if (!log) throw notFound()
      if (await forfeituresRepository(trx).isDone(approvalId)) return
      const facts = await requireDecision(trx, id, reason)
      await publish(deps, trx, { id, facts, log }, { reason, isDecided: true, approvalId, statements })
      await audit(trx, {
        actor: 'system',
        action: 'draws.forfeit',
        subject: { kind: 'offer', id: id.offerId },
        after: {
          attempt: id.attempt,
          reason,
          approval: approvalId,
          requested_by: actor.userId,
          approved_by: approver.userId,
        },
      })
    })
  },
})
