/**
 * That all cards of a contest are registered, counted by two people between its closing and its seal. The seal waits for
 * nobody: an alert says in time that the count is missing.
 */
import type { Alerts } from '#features/alerts/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { CountBody, PostCount } from '../post-count.contract.ts'
import { type CountFacts, postCountRepository, postCountWrites } from './post-count.repository.ts'

/** @throws Refusal 404 */
async function requireFacts(db: Sql, offerId: number): Promise<CountFacts> {
  const facts = await postCountRepository(db).facts(offerId)
  if (!facts) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  return facts
}

const canCount = ({ state }: CountFacts): boolean => state === 'closed' || state === 'listed'

/** @throws Refusal 404 */
export async function postCount(db: Sql, offerId: number, userId: number): Promise<PostCount> {
  const facts = await requireFacts(db, offerId)
  const last = await postCountRepository(db).last(offerId)
  return {
    can_count: canCount(facts),
    is_counted: last?.confirmed_at != null && last.cards === facts.registered,
    seal_by: facts.seal_by?.toISOString() ?? null,
    last: last
      ? {
          id: last.id,
          cards: last.confirmed_at === null && last.user_id !== userId ? null : last.cards,
          counted_by: last.counted_by,
          counted_at: last.counted_at.toISOString(),
          confirmed_by: last.confirmed_by,
          confirmed_at: last.confirmed_at?.toISOString() ?? null,
          is_outdated: last.cards !== facts.registered,
          is_own: last.user_id === userId,
        }
      : null,
  }
}

/** What was counted by hand is what is registered. @throws Refusal 404, 409 */
async function requireAgreement(db: Sql, offerId: number, cards: number): Promise<void> {
  const facts = await requireFacts(db, offerId)
  if (!canCount(facts)) throw new Refusal('post.notToCount', 409, 'consoleDrawActions.refusals.notToCount')
  const { registered } = facts
  // How many are registered is not told: whoever counted wrongly counts again.
  if (cards !== registered)
    throw new Refusal('post.countDiffers', 409, 'consoleDrawActions.refusals.countDiffers')
}

/** Stores the count of the first person. @throws Refusal 404, 409 */
export const countCards = (
  db: Database,
  offerId: number,
  { cards }: CountBody,
  actor: StaffCaller,
): Promise<PostCount> =>
  transact(db, async (trx) => {
    await postCountWrites(trx).lockDesk(offerId)
    await requireAgreement(trx, offerId, cards)
    await postCountWrites(trx).insert(offerId, cards, actor.userId)
    const response = await postCount(trx, offerId, actor.userId)
    // How many is told with the second count: whoever counts next may read the log.
    await audit(trx, { actor, action: 'post.count', subject: { kind: 'offer', id: offerId } })
    return response
  })

/** The second person has counted as many. @throws Refusal 404, 409 also for the person who counted first */
export const confirmCount = (
  db: Database,
  offerId: number,
  { id, cards }: CountBody & { id: number },
  actor: StaffCaller,
): Promise<PostCount> =>
  transact(db, async (trx) => {
    await postCountWrites(trx).lockDesk(offerId)
    const last = await postCountRepository(trx).last(offerId)
    if (last?.id !== id || last.confirmed_at !== null)
      throw new Refusal('post.notToConfirm', 409, 'consoleDrawActions.refusals.notToConfirm')
    if (last.user_id === actor.userId)
      throw new Refusal('staff.secondPersonNeeded', 409, 'console.refusals.secondPersonNeeded')
    await requireAgreement(trx, offerId, cards)
    if (last.cards !== cards)
      throw new Refusal('post.notToConfirm', 409, 'consoleDrawActions.refusals.notToConfirm')
    await postCountWrites(trx).confirm(id, actor.userId)
    const response = await postCount(trx, offerId, actor.userId)
    await audit(trx, {
      actor,
      action: 'post.confirmCount',
      subject: { kind: 'offer', id: offerId },
      after: { cards, count: id },
    })
    return response
  })

/** Raises an alert for each contest whose cards are not counted when half of the time for objections has passed. */
export async function watchPostCounts(db: Database, alerts: Alerts): Promise<void> {
  const due = await postCountRepository(db).uncounted()
  await alerts.settle(
    db,
    'postNotCounted',
    // Whoever reads the alert may be the one who counts.
    due.map((slug) => ({ subject: slug, details: {} })),
  )
}
