/** Which winners are told by letter, and when theirs was printed and sent. */
import { type AuditEntry, audit } from '#platform/audit-log.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ClaimSummary } from '../../claims.contract.ts'
import { summaryOf } from '../draw-page.ts'
import { type AttemptId, type ClaimRow, claimsRepository, claimsWrites } from './claims.repository.ts'

/** A winner who needs a letter, as long as the prize is neither awarded nor forfeited. */
export async function winnerByLetter(db: Sql, id: AttemptId): Promise<ClaimRow | undefined> {
  const claim = await claimsRepository(db).find(id)
  return claim?.needs_letter && !claim.awarded_at && !claim.forfeited_at ? claim : undefined
}

/** @throws Refusal 409 when no letter is needed */
export const letterPrinted = (db: Database, id: AttemptId, actor: StaffCaller): Promise<void> =>
  transact(db, async (trx) => {
    if (!(await claimsWrites(trx).printLetter(id)))
      throw new Refusal('claim.noLetter', 409, 'consoleDraws.refusals.noLetter')
    await note(trx, id, 'draws.printLetter', actor)
  })

/** Marks the letter as sent: from now on the time for the claim runs. @throws Refusal 409 unless it was printed, or again */
export const letterSent = (db: Database, id: AttemptId, actor: StaffCaller): Promise<ClaimSummary> =>
  transact(db, async (trx) => {
    if (!(await claimsWrites(trx).sendLetter(id, actor.userId)))
      throw new Refusal('claim.letterNotPrinted', 409, 'consoleDraws.refusals.letterNotPrinted')
    await note(trx, id, 'draws.sendLetter', actor)
    return summaryOf((await claimsRepository(trx).find(id))!)
  })

const note = (
  trx: Trx,
  { offerId, attempt }: AttemptId,
  action: AuditEntry['action'],
  actor: StaffCaller,
): Promise<void> => audit(trx, { actor, action, subject: { kind: 'offer', id: offerId }, after: { attempt } })
