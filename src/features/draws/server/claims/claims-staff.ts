/** What staff do with the claim of a prize. Each of it is in the audit log. */
import { moveOffer } from '#features/offers/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import {
  type ApprovalActor,
  type ApprovalKind,
  askApproval,
  hasColleague,
} from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { type AuditEntry, audit, auditOpening } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { AwardBody, ClaimContact, ClaimSummary, RecordBody } from '../../claims.contract.ts'
import { claimState } from '../../claims.rules.ts'
import { appendAll } from '../append-entries.ts'
import { type AttemptId, type ClaimRow, claimsRepository, claimsWrites } from './claims.repository.ts'
import { contactOf, storeClaim } from './claims.ts'
import { drawLogsWrites } from '../draw-logs.repository.ts'
import { summaryOf } from '../draw-page.ts'
import { drawStepsWrites } from '../draw-steps.repository.ts'
import type { ForfeituresDeps } from './forfeitures.ts'
import { appendStep } from '../register/register.ts'
import { logClaim } from './receipts.ts'
import { tellWinner } from './tell-winner.ts'
import { textFields } from '#shared/text-fields.ts'

export type StaffClaimsDeps = ForfeituresDeps

const notFound = (): Refusal => new Refusal('request.notFound', 404, 'errors.request.notFound')

async function requireClaim(trx: Trx, id: AttemptId): Promise<ClaimRow> {
  const claim = await claimsRepository(trx).find(id)
  if (!claim) throw notFound()
  return claim
}

const entryOf = ({ offerId, attempt }: AttemptId, action: AuditEntry['action'], actor: StaffCaller) => ({
  actor,
  action,
  subject: { kind: 'offer' as const, id: offerId },
  after: { attempt },
})

/** Who the winner is. @throws Refusal 404 */
export const readContact = (
  { db }: StaffClaimsDeps,
  id: AttemptId,
  actor: StaffCaller,
): Promise<ClaimContact> =>
  transact(db, async (trx) => {
    const claim = await requireClaim(trx, id)
    // One opening is one entry, until the claim has changed.
    const { after, ...opened } = entryOf(id, 'draws.readClaim', actor)
    const submittedAt = claim.submitted_at?.toISOString() ?? null
    await auditOpening(trx, { ...opened, after: { ...after, submitted_at: submittedAt } })
    return {
      number: padTicketNumber(claim.number, claim.total),
      source: claim.source,
      user_id: claim.user_id,
      postal_entry_id: claim.postal_entry_id,
      known: { name: claim.known_name, email: claim.known_email, language: claim.language },
      contact: contactOf(claim),
      leaf_hash: claim.leaf_hash?.toString('hex') ?? null,
      seen: claim.hash.toString('hex'),
      is_alone:
        claim.recorded_by === actor.userId && !(await hasColleague(trx, 'draws.claims', actor.userId)),
    }
  })

/** Writes down the claim of a winner who wrote a letter, never over what the winner has submitted. @throws Refusal 404, 409 */
export const recordClaim = (
  { db, key }: StaffClaimsDeps,
  id: AttemptId,
  form: RecordBody,
  actor: StaffCaller,
): Promise<ClaimSummary> =>
  transact(db, async (trx) => {
    await storeClaim(trx, { key }, await requireClaim(trx, id), form, actor.userId)
    const claim = await requireClaim(trx, id)
    await audit(trx, entryOf(id, 'draws.recordClaim', actor))
    return summaryOf(claim)
  })

const changed = (): Refusal => new Refusal('claim.changed', 409, 'consoleDraws.refusals.changed')

/** A locked claim that is what somebody saw. @throws Refusal 404, 409 `claim.changed` */
async function requireSeen(trx: Trx, id: AttemptId, seen: string): Promise<ClaimRow> {
  await claimsWrites(trx).lock(id)
  const claim = await requireClaim(trx, id)
  if (claim.hash.toString('hex') !== seen) throw changed()
  return claim
}

/**
 * Notes that a proof of identity was seen, by whom, and of which claim. Whoever wrote the claim down does not see it too,
 * unless nobody else could. @param seen of `ClaimContact` @throws Refusal 404, 409
 */
export const seeIdentity = (
  { db }: StaffClaimsDeps,
  id: AttemptId,
  seen: string,
  actor: StaffCaller,
): Promise<ClaimSummary> =>
  transact(db, async (trx) => {
    const { recorded_by: recordedBy } = await requireSeen(trx, id, seen)
    const isOwn = recordedBy === actor.userId
    if (isOwn && (await hasColleague(trx, 'draws.claims', actor.userId)))
      throw new Refusal('claim.seenByAnother', 409, 'consoleDraws.refusals.seenByAnother')
    if (!(await claimsWrites(trx).seeIdentity(id, actor.userId, isOwn)))
      throw new Refusal('claim.notToCheck', 409, 'consoleDraws.refusals.notToCheck')
    const claim = await requireClaim(trx, id)
    await tellWinner(trx, id, 'checked')
    const entry = entryOf(id, 'draws.seeIdentity', actor)
    await audit(trx, isOwn ? { ...entry, after: { ...entry.after, alone: true } } : entry)
    return summaryOf(claim)
  })

interface AwardInput extends AttemptId {
  seen: string
  deliveredOn: string
}

/** @throws Refusal 404, 409 unless the identity of this very claim was seen and the prize is still to be given */
async function requireAwardable(trx: Trx, { seen, ...id }: AttemptId & { seen: string }): Promise<ClaimRow> {
  const claim = await requireSeen(trx, { offerId: id.offerId, attempt: id.attempt }, seen)
  if (claim.is_changed) throw changed()
  if (claim.is_void || claimState(claim) !== 'checked')
    throw new Refusal('claim.notToAward', 409, 'consoleDraws.refusals.notToAward')
  return claim
}

/**
 * Asks a second person to note that the winner has the prize; the winner is told at once.
 * @throws Refusal 404, 409
 */
export const askAward = (
  { db, shop }: StaffClaimsDeps,
  id: AttemptId,
  { seen, delivered_on: deliveredOn }: AwardBody,
  actor: StaffCaller,
): Promise<Approval> =>
  transact(db, async (trx) => {
    const { titles, number, total, leaf_hash: leafHash } = await requireAwardable(trx, { ...id, seen })
    await tellWinner(trx, id, 'awarding')
    return askApproval(trx, {
      actor,
      shop,
      permission: 'draws.award',
      subject: { kind: 'offer', id: id.offerId },
      input: { ...id, seen, deliveredOn } satisfies AwardInput,
      preview: {
        ...textFields('title', titles),
        number: padTicketNumber(number, total),
        delivered_on: deliveredOn,
        leaf_hash: leafHash?.toString('hex') ?? null,
        seen,
      },
      reason: deliveredOn,
    })
  })

/**
 * How an approved award is carried out: the contest is awarded, and its log says so. A claim that changed since somebody
 * asked is refused.
 */
export const awardApproval = (deps: StaffClaimsDeps): ApprovalKind => ({
  permission: 'draws.award',
  async check(input) {
    await transact(deps.db, (trx) => requireAwardable(trx, input as AwardInput))
  },
  async run(input, { actor, approver, approvalId }) {
    const { seen, deliveredOn, ...id } = input as AwardInput
    await transact(deps.db, (trx) => award(deps, trx, { id, seen, deliveredOn, actor, approver, approvalId }))
  },
})

interface Award {
  id: AttemptId
  seen: string
  deliveredOn: string
  actor: ApprovalActor
  approver: ApprovalActor
  approvalId: number
}

async function award({ key }: StaffClaimsDeps, trx: Trx, given: Award): Promise<void> {
  const { id, seen, deliveredOn, actor, approver, approvalId } = given
  const { offerId, attempt } = id
  const claims = claimsWrites(trx)
  await drawStepsWrites(trx).lockOffer(offerId)
  if (await claims.isAwardedBy(approvalId)) return
  const before = await requireAwardable(trx, { ...id, seen })
  const found = await drawLogsWrites(trx).lock(offerId)
  if (!found) throw new Error(`contest ${offerId} is drawn and has no log`)
  const log = await logClaim(trx, { key }, id, await appendAll(trx, { key }, found))
  if (
    !(await claims.award(id, { by: actor.userId, deliveredOn, approvalId })) ||
    !(await moveOffer(trx, 'award', offerId, actor))
  )
    throw new Refusal('claim.notToAward', 409, 'consoleDraws.refusals.notToAward')
  await appendStep(trx, { key }, log, { type: 'award', attempt, number: before.number }, before.slug)
  await tellWinner(trx, id, 'awarded')
  await audit(trx, {
    actor: 'system',
    action: 'draws.award',
    subject: { kind: 'offer', id: offerId },
    after: {
      attempt,
      delivered_on: deliveredOn,
      approval: approvalId,
      requested_by: actor.userId,
      approved_by: approver.userId,
    },
  })
}
