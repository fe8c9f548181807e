/** What becomes of a card that was registered wrongly: how it was read is corrected, or two people void it (ADR 0048). */
import { exclusionsRepository } from '#features/accounts/server/index.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { type ApprovalKind, type StaffShop, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { voidPostalTicket } from '#features/tickets/server/index.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { audit } from '#platform/audit-log.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { findCountry } from '#shared/countries.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { CorrectBody, PostalEntry, VoidBody, VoidPreview } from '../postal.contract.ts'
import {
  CORRECTABLE,
  type CorrectableField,
  type VoidGround,
  isSpellingOf,
  postcodeKey,
  searchWords,
  shownPostalNumber,
} from '../postal.rules.ts'
import { type EntryRow, postalWrites } from './postal.repository.ts'
import {
  type PostalDeps,
  hasLetter,
  keyOf,
  personIn,
  requireEntry,
  requireRow,
  similarTo,
  toSimilar,
} from './postal.service.ts'
import { textFields } from '#shared/text-fields.ts'

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Corrects how a card was read. The former text is kept nowhere. The poster is told again: at a new address for email at
 * once, else by a letter that waits for the printer.
 * @throws Refusal 409 when the data are erased, or the corrected entry is like another one that nobody has compared
 * @throws InvalidFields for what is no correction, or could not have entered
 */
export async function correctCard(
  { db, emails }: PostalDeps,
  actor: StaffCaller,
  id: string,
  { reason, other_than: judged, ...card }: CorrectBody,
): Promise<PostalEntry> {
  await transact(db, async (trx) => {
    const { offer_id: offerId } = await requireRow(trx, id)
    await postalWrites(trx).lockDesk(offerId)
    const entry = await requireRow(trx, id)
    if (entry.erased_at) throw new Refusal('post.erased', 409, 'consolePost.refusals.erased')
    const fields = CORRECTABLE.filter((field) => !isSame(entry[field], card[field]))
    if (fields.length === 0) return
    await checkCorrection(trx, entry, card, fields)
    const personKey = await checkPerson(trx, entry, card, judged)
    const userId = await ownerOf(trx, entry, card, fields)
    const correction = await postalWrites(trx).correct(
      id,
      {
        ...card,
        postcode_key: postcodeKey(card.postcode),
        person_key: personKey,
        words: searchWords(card.name, card.postcode, card.city),
        user_id: userId,
        other_than: [...new Set([...entry.other_than, ...judged])],
      },
      { fields, reason, by: actor.userId },
    )
    if (userId !== entry.user_id) await postalWrites(trx).giveTicketTo(id, userId)
    const now = await requireRow(trx, id)
    const mail = fields.includes('email') ? emails.corrected(now, correction) : undefined
    if (mail) {
      await enqueueEmail(trx, mail)
      // The email says that the number is void.
      if (now.voided_at) await postalWrites(trx).markTold([id])
    }
    await audit(trx, {
      actor,
      action: 'post.correct',
      subject: { kind: 'postalEntry', id },
      after: { correction, fields },
    })
  })
  return requireEntry(db, id)
}

type Corrected = Omit<CorrectBody, 'reason' | 'other_than'>

/** @throws InvalidFields */
async function checkCorrection(
  trx: Trx,
  entry: EntryRow,
  card: Corrected,
  fields: readonly CorrectableField[],
): Promise<void> {
  const faults: Partial<Record<CorrectableField, MessageKey[]>> = {}
  if (entry.name !== null && !isSpellingOf(entry.name, card.name))
    faults.name = ['consolePost.faults.otherPerson']
  if (fields.includes('country') && entry.status === 'entered' && !findCountry(card.country))
    faults.country = ['consolePost.faults.closedCountry']
  if (fields.includes('email') && entry.user_id !== null) faults.email = ['consolePost.faults.ofAccount']
  else if (
    fields.includes('email') &&
    card.email !== null &&
    (await exclusionsRepository(trx).isAddressExcluded(card.email))
  )
    faults.email = ['consolePost.faults.excludedEmail']
  if (Object.keys(faults).length > 0) throw new InvalidFields(faults)
}

/**
 * The key of the person as corrected. @throws Refusal 409 `post.similar` with entries of the contest that nobody has
 * compared with this one
 */
async function checkPerson(
  trx: Trx,
  entry: EntryRow,
  card: Corrected,
  judged: readonly string[],
): Promise<Buffer | null> {
  const person = personIn({ ...entry, ...card })
  if (!person) return null
  if (entry.status === 'entered' && entry.voided_at === null) {
    const found = (await similarTo(trx, entry.offer_id, person)).filter((one) => one.entry.id !== entry.id)
    const known = new Set([...judged, ...entry.other_than])
    const open = found.filter(
      ({ isSame: isCertain, entry: other }) =>
        isCertain || !(known.has(other.id) || other.other_than.includes(entry.id)),
    )
    if (open.length > 0)
      throw new Refusal('post.similar', 409, 'consolePost.refusals.similarToOthers', {
        values: () => ({ numbers: open.map((one) => shownPostalNumber(one.entry.number)).join(', ') }),
        body: { items: open.map(toSimilar) },
      })
  }
  return keyOf(person)
}

/** The account whose confirmed address is on the card as corrected. */
const ownerOf = async (
  trx: Trx,
  entry: EntryRow,
  { email }: Corrected,
  fields: readonly CorrectableField[],
): Promise<number | null> =>
  fields.includes('email') && email !== null ? await postalWrites(trx).accountOf(email) : entry.user_id

/** States of a contest whose list cannot change any more. */
const SEALED: readonly string[] = ['sealed', 'drawn', 'awarded']

/**
 * What voiding a card does now: for the preview, the request and the act itself.
 * @throws Refusal 409 when it has no number that counts, or its contest's list is sealed
 */
async function planVoid(db: Sql, id: string): Promise<{ entry: EntryRow; preview: VoidPreview }> {
  const entry = await requireRow(db, id)
  const number = entry.ticket_number
  if (number === null || entry.ticket_status !== 'valid')
    throw new Refusal('post.notEntered', 409, 'consolePost.refusals.notEntered')
  if (SEALED.includes(entry.offer_state)) throw new Refusal('post.sealed', 409, 'consolePost.refusals.sealed')
  return {
    entry,
    preview: {
      number: shownPostalNumber(entry.number),
      ticket_number: padTicketNumber(number, entry.total_tickets),
      ...textFields('title', entry.titles),
      told: entry.email !== null ? 'email' : hasLetter(entry) ? 'letter' : null,
    },
  }
}

/** @throws Refusal 409 as the void itself */
export const previewVoid = async ({ db }: Pick<PostalDeps, 'db'>, id: string): Promise<VoidPreview> =>
  (await planVoid(db, id)).preview

/** Asks a second person to void a card. @throws Refusal 409 when that is not possible, or somebody asked already */
export const askVoid = (
  { db }: Pick<PostalDeps, 'db'>,
  shop: StaffShop,
  actor: StaffCaller,
  id: string,
  { ground, reason }: VoidBody,
): Promise<Approval> =>
  transact(db, async (trx) => {
    const { preview } = await planVoid(trx, id)
    return askApproval(trx, {
      actor,
      shop,
      permission: 'post.void',
      subject: { kind: 'postalEntry', id },
      input: { id, ground } satisfies VoidInput,
      preview: { ...preview, ground },
      reason,
    })
  })

interface VoidInput {
  id: string
  ground: VoidGround
}

/** How an approved void is carried out; a second time it does nothing. */
export const voidApproval = ({ db }: Pick<PostalDeps, 'db'>): ApprovalKind => ({
  permission: 'post.void',
  async run(input, { actor, approvalId }) {
    const { id, ground } = input as VoidInput
    await transact(db, async (trx) => {
      const { offer_id: offerId } = await requireRow(trx, id)
      // A seal waits for this, or this for the seal.
      await postalWrites(trx).lockOffer(offerId)
      const present = await requireRow(trx, id)
      if (present.ticket_status === 'void' && present.void_ground === ground) return
      const { entry, preview } = await planVoid(trx, id)
      await voidPostalTicket(trx, entry.offer_id, Number(entry.ticket_number))
      await postalWrites(trx).noteGround(id, ground)
      await audit(trx, {
        actor: 'system',
        action: 'post.void',
        subject: { kind: 'postalEntry', id },
        after: {
          number: preview.ticket_number,
          ground,
          approval: approvalId,
          requested_by: actor.userId,
        },
      })
    })
  },
})
