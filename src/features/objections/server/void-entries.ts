/**
 * Entries that two people void between the publication of the terms and the seal, for one of the closed reasons
 * (docs/draw-v1.md, section 4). The leaf follows by the job that appends to logs, or with the seal. From the seal on only
 * a forfeiture takes a number out.
 */
import { DECIDED_REASONS, type DecidedReason } from '#features/draws/claims.rules.ts'
import { leafText } from '#features/draws/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { type OrdersDeps, orderWrites } from '#features/purchase/orders/server/index.ts'
import { howEntrantIsTold } from '#features/postal/server/index.ts'
import {
  previewVoidedTickets,
  refundVoidedTickets,
  sendNow,
} from '#features/purchase/refunds/server/index.ts'
import { type ApprovalKind, askApproval } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import { entryTicket, validNumbersOf, voidEntries } from '#features/tickets/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { toDecimal } from '#shared/money.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import {
  NUMBERS_SHOWN,
  type VoidBody,
  type VoidPreview,
  type VoidPreviewBody,
} from '../objections.contract.ts'
import { type ObjectedOffer, objectionsRepository, objectionsWrites } from './objections.repository.ts'
import { textFields } from '#shared/text-fields.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'

/** What an approval keeps until it is carried out. */
interface VoidInput {
  offerId: number
  numbers: number[]
  reason: DecidedReason
}

const UNSEALED: readonly string[] = ['open', 'closed', 'listed']
/** Whether entries of a contest can be voided. */
export const isVoidable = ({ state, has_terms }: ObjectedOffer): boolean =>
  has_terms && UNSEALED.includes(state)

const gone = (): Refusal => new Refusal('objection.notValid', 409, 'consoleDrawActions.refusals.notValid')

/** @throws Refusal 404, 409 from the seal on */
async function requireOffer(db: Sql, id: number): Promise<ObjectedOffer> {
  const offer = await objectionsRepository(db).offer(id)
  if (!offer) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  if (!isVoidable(offer)) throw new Refusal('objection.sealed', 409, 'consoleDrawActions.refusals.sealed')
  return offer
}

interface Voided {
  offer: ObjectedOffer
  numbers: number[]
  source: VoidPreview['source']
  orderId: string | null
}

/** @throws Refusal 404, 409; InvalidFields for a reason that cannot be that of the entry */
async function entryOf(
  db: Sql,
  { offerId, numbers, reason }: { offerId: number; numbers: readonly [number, ...number[]]; reason: string },
): Promise<Voided> {
  const offer = await requireOffer(db, offerId)
  const entry = await entryTicket(db, offerId, numbers[0])
  if (!entry) throw new InvalidFields({ number: ['consoleDrawActions.refusals.noSuchNumber'] })
  if (entry.status !== 'valid') throw gone()
  const { source, order_id: orderId } = entry
  if (reason === 'postal-rule' && source !== 'postal')
    throw new InvalidFields({ reason: ['consoleDrawActions.refusals.onlyPost'] })
  return { offer, numbers: [...numbers], source, orderId }
}

/** What staff ask for, with the numbers that it means now. @throws as `entryOf` */
async function wantedOf(
  db: Sql,
  offerId: number,
  { number, whole_order: isWhole, reason }: VoidPreviewBody,
): Promise<Voided> {
  const one = await entryOf(db, { offerId, numbers: [number], reason })
  if (!isWhole || one.orderId === null) return one
  return { ...one, numbers: await validNumbersOf(db, offerId, one.orderId) }
}

/** What voiding would do. @throws Refusal 404, 409, 503 as the voiding itself */
export async function previewVoid(
  deps: OrdersDeps,
  offerId: number,
  body: VoidPreviewBody,
): Promise<VoidPreview> {
  return toPreview(deps, await wantedOf(deps.db, offerId, body), body.reason)
}

async function toPreview(
  deps: OrdersDeps,
  { offer, numbers, source, orderId }: Voided,
  reason: DecidedReason,
): Promise<VoidPreview> {
  const part = { offer_id: offer.id, quantity: numbers.length }
  const refund = orderId === null ? null : await previewVoidedTickets(deps, orderId, part)
  return {
    source,
    count: numbers.length,
    numbers: numbers.slice(0, NUMBERS_SHOWN).map((number) => padTicketNumber(number, offer.total)),
    leaf: leafText({ type: 'void', number: numbers[0]!, reason }, { contest: offer.slug, rehearsal: false }),
    refund: refund === null ? null : toDecimal(refund),
    told_by: orderId === null ? await howEntrantIsTold(deps.db, offer.id, numbers[0]!) : ('email' as const),
  }
}

/** Asks a second person to void entries. @throws Refusal 404, 409, 503 */
export async function askVoid(
  deps: OrdersDeps,
  offerId: number,
  body: VoidBody,
  actor: StaffCaller,
): Promise<Approval> {
  const { db, shop } = deps
  const wanted = await wantedOf(db, offerId, body)
  const preview = await toPreview(deps, wanted, body.reason)
  const { offer, numbers, orderId, source } = wanted
  const card = source === 'postal' ? await objectionsRepository(db).card(offerId, numbers[0]!) : undefined
  const { titles } = offer
  return transact(db, (trx) =>
    askApproval(trx, {
      actor,
      shop,
      permission: 'draws.void',
      // What is written about a holder is kept and erased with their order or card.
      subject:
        orderId !== null
          ? { kind: 'order', id: orderId }
          : card !== undefined
            ? { kind: 'postalEntry', id: card }
            : { kind: 'offer', id: offerId },
      input: { offerId, numbers, reason: body.reason } satisfies VoidInput,
      preview: {
        ...textFields('title', titles),
        numbers: preview.numbers.join(', '),
        count: numbers.length,
        reason: body.reason,
        refund: preview.refund,
      },
      reason: body.note,
    }),
  )
}

/** Voids what two people agreed to, once. @throws Refusal 404, 409; 503 while another refund is open: tried again later */
async function voidApproved(
  deps: OrdersDeps,
  { offerId, numbers, reason }: VoidInput,
  approval: { id: number; requestedBy: number; approvedBy: number },
): Promise<string | undefined> {
  const [first, ...others] = numbers
  if (first === undefined) throw gone()
  return transact(deps.db, async (trx: Trx) => {
    // Locks in the order of all steps: the order, then the contest, as the seal has it.
    const known = await entryTicket(trx, offerId, first)
    const order = known?.order_id ? await orderWrites(trx).lock(known.order_id) : undefined
    await objectionsWrites(trx).lockOffer(offerId)
    if (await objectionsRepository(trx).isDone(approval.id)) return order?.id
    const { offer } = await entryOf(trx, { offerId, numbers: [first, ...others], reason })
    if ((await voidEntries(trx, offerId, numbers, reason)) !== numbers.length) throw gone()
    await objectionsWrites(trx).insertVoids(offerId, numbers, reason, approval.id)
    if (order)
      await refundVoidedTickets(deps, trx, order, {
        offerId,
        title: offer.titles[DEFAULT_LANGUAGE],
        numbers: numbers.map((number) => padTicketNumber(number, offer.total)),
        reason,
        requestedBy: approval.requestedBy,
        approvalId: approval.id,
      })
    await audit(trx, {
      actor: 'system',
      action: 'draws.void',
      subject: { kind: 'offer', id: offerId },
      after: {
        numbers,
        reason,
        approval: approval.id,
        requested_by: approval.requestedBy,
        approved_by: approval.approvedBy,
      },
    })
    return order?.id
  })
}

const isInput = (input: unknown): input is VoidInput =>
  DECIDED_REASONS.some((one) => one === (input as Partial<VoidInput>).reason)

/** How an approved request is carried out; a second time it voids nothing. */
export const voidApproval = (deps: OrdersDeps): ApprovalKind => ({
  permission: 'draws.void',
  async check(input) {
    if (!isInput(input)) throw gone()
    const [first, ...others] = input.numbers
    await entryOf(deps.db, { ...input, numbers: [first!, ...others] })
  },
  async run(input, { actor, approver, approvalId }) {
    if (!isInput(input)) throw gone()
    const approval = { id: approvalId, requestedBy: actor.userId, approvedBy: approver.userId }
    const orderId = await voidApproved(deps, input, approval)
    if (orderId !== undefined) await sendNow(deps, orderId)
  },
})
