/** Changes of what people have entered for: titles, descriptions, figures and pictures, after the first entry (ADR 0096). */
import {
  type AskForPictures,
  addressOf,
  replacePictures,
  requirePicturesReady,
  stillOf,
} from '#features/pictures/server/index.ts'
import type { DecidedPicture } from '#features/pictures/pictures.contract.ts'
import { type ApprovalKind, type StaffShop, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, ReadDatabase, Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { MadeChange, PublishedChange, WaitingChange } from '../descriptions.contract.ts'
import { type Description, changeOf, changedOf, changedTo, isSamePictures } from '../descriptions.rules.ts'
import type { OfferChange } from '../offers.contract.ts'
import { descriptionsRepository, recordChange } from './descriptions.repository.ts'
import { staffOfferWrites } from './staff-offers.repository.ts'
import { storedText } from '#shared/localized-text.ts'
import { fromFields, textFields } from '#shared/text-fields.ts'

export interface DescriptionsDeps {
  db: Database
  shop: StaffShop
}

interface ChangeInput {
  offerId: number
  before: Description
  after: Description
}

interface Asked {
  offerId: number
  /** What differs from the present description. */
  change: Partial<Description>
  reason: string | undefined
  actor: StaffCaller
}

/**
 * Asks a second person for a change of a contest that has entries, in the caller's transaction, which holds its lock.
 * @throws Refusal 409 `offers.consentNeeded` without a reason, `staff.approvalWaits` while another change waits
 */
export async function askDescription(
  trx: Trx,
  shop: StaffShop,
  { offerId, change, reason = '', actor }: Asked,
): Promise<Approval> {
  if (reason === '') throw new Refusal('offers.consentNeeded', 409, 'consoleContests.refusals.consentNeeded')
  const before = await descriptionsRepository(trx).present(offerId)
  const after = changedTo(before, change)
  return askApproval(trx, {
    actor,
    shop,
    permission: 'offers.describe',
    subject: { kind: 'offer', id: offerId },
    input: { offerId, before, after } satisfies ChangeInput,
    preview: { ...textFields('title', fromFields('title', before)), ...changeOf(before, after, stillOf) },
    reason,
  })
}

/** How pictures of a contest with entries change. */
export const askPictures =
  (shop: StaffShop): AskForPictures =>
  (trx, offerId, pictures, by) =>
    askDescription(trx, shop, { offerId, change: { pictures }, ...by })

const changedSince = (): Refusal =>
  new Refusal('offers.describedSince', 409, 'consoleContests.refusals.describedSince')

/** How an approved change is made: recorded, then written. A contest that is described otherwise by now keeps its words. */
export const descriptionApproval = ({ db }: Pick<DescriptionsDeps, 'db'>): ApprovalKind => ({
  permission: 'offers.describe',
  async check(input) {
    const { offerId, before, after } = input as ChangeInput
    if (!(await descriptionsRepository(db).isStill(offerId, before))) throw changedSince()
    if (!isSamePictures(before.pictures, after.pictures)) await requirePicturesReady(db, after.pictures)
  },
  async run(input, { actor, approver, approvalId }) {
    const { offerId, before, after } = input as ChangeInput
    await transact(db, async (trx) => {
      const descriptions = descriptionsRepository(trx)
      await staffOfferWrites(trx).lock(offerId)
      if (await descriptions.isMade(approvalId)) return
      if (!(await descriptions.isStill(offerId, before))) throw changedSince()
      const requestedBy = actor.userId
      const approvedBy = approver.userId
      await recordChange(trx, { offerId, approvalId, requestedBy, approvedBy, before, after })
      if (changedOf(before, after).some((part) => part !== 'pictures'))
        await staffOfferWrites(trx).update(offerId, {
          titles: storedText(fromFields('title', after)),
          descriptions: storedText(fromFields('description', after)),
          prize_power_kw: after.prize_power_kw ?? null,
          prize_zero_to_100: after.prize_zero_to_100 ?? null,
          prize_year: after.prize_year ?? null,
          prize_range_km: after.prize_range_km ?? null,
        })
      if (!isSamePictures(before.pictures, after.pictures))
        await replacePictures(trx, offerId, after.pictures)
      await audit(trx, {
        actor: 'system',
        action: 'offers.describe',
        subject: { kind: 'offer', id: offerId },
        after: {
          approval: approvalId,
          requested_by: requestedBy,
          approved_by: approvedBy,
          ...changeOf(before, after, stillOf),
        },
      })
    })
  },
})

/** What changed of a contest after its first entry, the newest first, with who decided it. */
export const madeChanges = async (db: Sql, offerId: number): Promise<MadeChange[]> =>
  (await descriptionsRepository(db).made(offerId)).map(({ before, after, at, asked_by, approved_by }) => ({
    ...changeOf(before, after, stillOf),
    at: at.toISOString(),
    asked_by,
    approved_by,
  }))

/** The same as everybody sees it, with the files that the shop shows. */
export async function publishedChanges(db: ReadDatabase, offerId: number): Promise<PublishedChange[]> {
  const descriptions = descriptionsRepository(db)
  const rows = await descriptions.made(offerId)
  const pictures = rows.flatMap(({ before, after }) => [...before.pictures, ...after.pictures])
  const widths = await descriptions.widths(pictures.flatMap(({ rendition }) => rendition ?? []))
  const srcOf = (picture: DecidedPicture): string =>
    picture.rendition === null
      ? stillOf(picture)
      : `${addressOf(picture.rendition)}-${widths.get(picture.rendition) ?? 0}.webp`
  return rows.map(({ before, after, at }) => ({
    ...changeOf(before, after, srcOf),
    at: at.toISOString(),
  }))
}

/** When what of a contest changed after its first entry, the newest first. */
export const changedParts = async (db: ReadDatabase, offerId: number): Promise<OfferChange[]> =>
  (await descriptionsRepository(db).made(offerId)).map(({ before, after, at }) => ({
    at: at.toISOString(),
    of: changedOf(before, after),
  }))

export async function waitingChange(db: Sql, offerId: number): Promise<WaitingChange | null> {
  const row = await descriptionsRepository(db).waiting(offerId)
  if (!row) return null
  const { approval, input, reason, asked_by: id, asked_by_name: name, asked_at, alone_from } = row
  return {
    ...changeOf(input.before, input.after, stillOf),
    approval,
    asked_by: { id, name },
    asked_at: asked_at.toISOString(),
    reason,
    alone_from: alone_from?.toISOString() ?? null,
  }
}
