/** What staff do with the claim of a prize. Each of it is in the audit log. */
import { moveOffer } from '#features/offers/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { type AuditEntry, audit } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ClaimContact, ClaimSummary, RecordBody } from '../../claims.contract.ts'
import { leafText } from '../../protocol/leaves.ts'
import { appendAll } from '../append-entries.ts'
import { type AttemptId, type ClaimRow, claimsRepository, claimsWrites } from './claims.repository.ts'
import { contactOf, storeClaim } from './claims.ts'
import { drawLogsWrites } from '../draw-logs.repository.ts'
import { appendLeaves } from '../draw-logs.ts'
import { summaryOf } from '../draw-page.ts'
import { drawStepsWrites } from '../draw-steps.repository.ts'
import type { ForfeituresDeps } from './forfeitures.ts'
import { register } from '../publish-terms.ts'

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
    await audit(trx, entryOf(id, 'draws.readClaim', actor))
    return {
      number: padTicketNumber(claim.number, claim.total),
      source: claim.source,
      user_id: claim.user_id,
      postal_entry_id: claim.postal_entry_id,
      known: { name: claim.known_name, email: claim.known_email, language: claim.language },
      contact: contactOf(claim),
    }
  })

/** Writes down the claim of a winner who wrote a letter. @throws Refusal 404, 409 */
export const recordClaim = (
  { db }: StaffClaimsDeps,
  id: AttemptId,
  form: RecordBody,
  actor: StaffCaller,
): Promise<ClaimSummary> =>
  transact(db, async (trx) => {
    await storeClaim(trx, await requireClaim(trx, id), form, actor.userId)
    const claim = await requireClaim(trx, id)
    await audit(trx, entryOf(id, 'draws.recordClaim', actor))
    return summaryOf(claim)
  })

/** Notes that a proof of identity was seen, and by whom. @throws Refusal 404, 409 */
export const seeIdentity = (
  { db }: StaffClaimsDeps,
  id: AttemptId,
  actor: StaffCaller,
): Promise<ClaimSummary> =>
  transact(db, async (trx) => {
    await requireClaim(trx, id)
    if (!(await claimsWrites(trx).seeIdentity(id, actor.userId)))
      throw new Refusal('claim.notToCheck', 409, 'consoleDraws.refusals.notToCheck')
    const claim = await requireClaim(trx, id)
    await audit(trx, entryOf(id, 'draws.seeIdentity', actor))
    return summaryOf(claim)
  })

/**
 * Records that the winner has the prize: the contest is awarded, and its log says so.
 * @param deliveredOn "2026-11-30" @throws Refusal 404, 409
 */
export const awardPrize = (
  { db, key }: StaffClaimsDeps,
  id: AttemptId,
  deliveredOn: string,
  actor: StaffCaller,
): Promise<ClaimSummary> =>
  transact(db, async (trx) => {
    const { offerId, attempt } = id
    await drawStepsWrites(trx).lockOffer(offerId)
    const before = await requireClaim(trx, id)
    if (!(await claimsWrites(trx).award(id, actor.userId, deliveredOn)))
      throw new Refusal('claim.notToAward', 409, 'consoleDraws.refusals.notToAward')
    if (!(await moveOffer(trx, 'award', offerId, actor)))
      throw new Refusal('claim.notToAward', 409, 'consoleDraws.refusals.notToAward')
    const found = await drawLogsWrites(trx).lock(offerId)
    if (!found) throw new Error(`contest ${offerId} is drawn and has no log`)
    const log = await appendAll(trx, { key }, found)
    const leaf = leafText(
      { type: 'award', attempt, number: before.number },
      { contest: before.slug, rehearsal: false },
    )
    await appendLeaves(trx, key, log, [leaf])
    await register(trx, { key }, [leaf])
    const claim = await requireClaim(trx, id)
    await audit(trx, { ...entryOf(id, 'draws.award', actor), after: { attempt, delivered_on: deliveredOn } })
    return summaryOf(claim)
  })
