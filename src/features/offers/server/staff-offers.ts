import { randomBytes } from 'node:crypto'
import { type MessageKey, key } from '#i18n/keys.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, ReadDatabase, Sql, Trx } from '#platform/database.ts'
import { errorCode } from '#platform/database-errors.ts'
import { copyOfferPictures, picturesReady } from '#features/pictures/server/index.ts'
import type { StaffShop } from '#features/staff/server/index.ts'
import type { Approval } from '#features/staff/staff.contract.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { NO_TEXT, type LocalizedText, anyText, storedText } from '#shared/localized-text.ts'
import { fieldsOf, fromFields, textFields, inEachLanguage } from '#shared/text-fields.ts'
import { cents, parseEur, toDecimal } from '#shared/money.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { type StaffRole, permits } from '#shared/staff-permissions.ts'
import { MOST_OF_A_KIND, type RecordSearch } from '#shared/staff-search.ts'
import { instantOf, wallClockOf } from '#shared/zoned-time.ts'
import {
  type CheckedShop,
  type DraftFault,
  EMPTY_DRAFT,
  TIMES,
  type TimeField,
  type TranslatedField,
  checklistOf,
  differences,
  everyDay,
  faultsOf,
  lockedFields,
  paceOf,
  priceWithVat,
  shiftDays,
  slugOf,
  tidyDraft,
  withFields,
} from '../offer-drafts.rules.ts'
import { type OfferState, isPublished, statesHiddenFrom } from '../offer-states.rules.ts'
import type {
  ChangeOfferBody,
  Checklist,
  ListedStaffOffer,
  NewOfferBody,
  OfferChanged,
  OfferDraft,
  OfferPreview,
  OfferSales,
  StaffOffer,
  StaffOfferList,
  StaffOfferQuery,
} from '../staff-offers.contract.ts'
import { askDescription, madeChanges, waitingChange } from './descriptions.ts'
import { type PublishTerms, moveOffer, noteOffer, publishOffer } from './offer-moves.repository.ts'
import { previewOf } from './offer-preview.ts'
import { offersRepository } from './offers.repository.ts'
import {
  type ListedOfferRow,
  type StaffOfferRow,
  staffOfferWrites,
  staffOffersRepository,
} from './staff-offers.repository.ts'

export interface StaffOffersOptions {
  db: Database
  timeZone: string
  pricesIncludeVat: boolean
  /** No customer is told the right answer. */
  hideAnswer: boolean
  /** Share of the numbers that a new draft keeps for entries by post. */
  postalReservePercent: number
  shop: CheckedShop
  /** For the emails to whoever can consent. */
  staffShop: StaffShop
  /** Whether a picture for shared links can be made of the first picture. */
  canBeShared: (offer: { slug: string; pictures: StaffOfferRow['pictures'] }) => Promise<boolean>
  publishTerms: PublishTerms
}

const UNIQUE_VIOLATION = '23505'

const FAULTS: Record<DraftFault, MessageKey> = {
  slugForm: key('consoleContests.faults.slugForm'),
  slugReserved: key('consoleContests.faults.slugReserved'),
  amount: key('consoleContests.faults.amount'),
  amountAmbiguous: key('consoleContests.faults.amountAmbiguous'),
  priceZero: key('consoleContests.faults.priceZero'),
  priceTooHigh: key('consoleContests.faults.priceTooHigh'),
  prizeZero: key('consoleContests.faults.prizeZero'),
  power: key('consoleContests.faults.power'),
  zeroTo100: key('consoleContests.faults.zeroTo100'),
  year: key('consoleContests.faults.year'),
  range: key('consoleContests.faults.range'),
  totalTooLow: key('consoleContests.faults.totalTooLow'),
  totalTooHigh: key('consoleContests.faults.totalTooHigh'),
  capTooLow: key('consoleContests.faults.capTooLow'),
  capAboveTotal: key('consoleContests.faults.capAboveTotal'),
  reserve: key('consoleContests.faults.reserve'),
  choiceTwice: key('consoleContests.faults.choiceTwice'),
  timeInvalid: key('consoleContests.faults.timeInvalid'),
  timeSkipped: key('consoleContests.faults.timeSkipped'),
  timeRepeated: key('consoleContests.faults.timeRepeated'),
}

const notFound = (): Refusal => new Refusal('offer.notFound', 404, 'errors.offer.notFound')

const decimal = (amount: number | null): string => (amount === null ? '' : toDecimal(cents(amount)))
const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/** The calls of staff for contests. Every change is one transaction with its entry in the audit log. */
export function staffOffers(options: StaffOffersOptions) {
  const { db, timeZone, pricesIncludeVat, postalReservePercent, publishTerms, shop, canBeShared, staffShop } =
    options
  const wall = (at: Date | null): string => (at === null ? '' : wallClockOf(at, timeZone))

  const draftOf = (row: StaffOfferRow): OfferDraft => ({
    slug: row.slug ?? '',
    ...textFields('title', row.titles),
    ...textFields('description', row.descriptions),
    ticket_price: decimal(row.price_cents),
    total_tickets: row.total_tickets,
    max_per_person: row.max_per_person,
    postal_reserve_percent: row.postal_reserve_percent,
    prize_value: decimal(row.prize_value_cents),
    prize_power_kw: row.prize_power_kw,
    prize_zero_to_100: row.prize_zero_to_100 ?? '',
    prize_year: row.prize_year,
    prize_range_km: row.prize_range_km,
    opens_at: wall(row.opens_at),
    end_date: wall(row.end_date),
    draw_at: wall(row.draw_at),
    ...textFields('draw_terms', row.draw_terms_texts),
    ...textFields('question', row.questions ?? NO_TEXT),
    choices: row.choices,
    correct_choice: row.correct_choice ?? '',
  })

  /** @param present the stored row: a time that was not changed stays what it is, seconds included */
  function columnsOf(draft: OfferDraft, present?: StaffOfferRow) {
    const at = (field: TimeField): Date | null => {
      if (present && wall(present[field]) === draft[field]) return present[field]
      const instant = instantOf(draft[field], timeZone)
      return typeof instant === 'string' ? null : instant
    }
    const amount = (text: string): number | null => (text === '' ? null : parseEur(text))
    const { slug, ticket_price, prize_value, total_tickets, max_per_person, choices, correct_choice } = draft
    const texts = (field: TranslatedField): LocalizedText => storedText(fromFields(field, draft))
    return {
      slug: slug || null,
      titles: texts('title'),
      descriptions: texts('description'),
      draw_terms_texts: texts('draw_terms'),
      questions: fieldsOf('question').some((field) => draft[field] !== '') ? texts('question') : null,
      price_cents: amount(ticket_price),
      total_tickets,
      max_per_person,
      prize_value_cents: amount(prize_value),
      prize_power_kw: draft.prize_power_kw,
      prize_zero_to_100: draft.prize_zero_to_100 || null,
      prize_year: draft.prize_year,
      prize_range_km: draft.prize_range_km,
      choices,
      correct_choice: correct_choice || null,
      postal_reserve_percent: draft.postal_reserve_percent ?? 0,
      opens_at: at('opens_at'),
      end_date: at('end_date'),
      draw_at: at('draw_at'),
    }
  }

  /** @throws InvalidFields for what cannot be stored; a time that staff have not changed is none */
  function readDraft(draft: OfferDraft, present: OfferDraft): OfferDraft {
    const tidy = tidyDraft(draft)
    const faults = faultsOf(tidy, timeZone)
    for (const field of TIMES) if (tidy[field] === present[field]) delete faults[field]
    const fields = Object.entries(faults).map(([field, fault]): [string, MessageKey[]] => [
      field,
      [FAULTS[fault]],
    ])
    if (fields.length > 0) throw new InvalidFields(Object.fromEntries(fields))
    return tidy
  }

  const toListed = ({ price_cents, ...row }: ListedOfferRow): ListedStaffOffer => ({
    id: row.id,
    slug: row.slug,
    ...textFields('title', row.titles),
    state: row.state,
    is_active: row.is_active,
    ticket_price: price_cents === null ? null : decimal(price_cents),
    total_tickets: row.total_tickets,
    tickets_sold: row.tickets_sold,
    by_post: row.by_post,
    tickets_held: row.tickets_held,
    opens_at: iso(row.opens_at),
    end_date: iso(row.end_date),
    draw_at: iso(row.draw_at),
    published_at: iso(row.published_at),
  })

  async function shown(on: Sql, row: StaffOfferRow): Promise<StaffOffer> {
    const stored = staffOffersRepository(on)
    const [moved, at, changes, waiting] = await Promise.all([
      stored.moves(row.id),
      stored.now(),
      madeChanges(on, row.id),
      waitingChange(on, row.id),
    ])
    return {
      ...toListed(row),
      version: row.version,
      draft: draftOf(row),
      locked: lockedFields(row.state),
      pictures: row.pictures.map(({ alts, ...picture }) => ({
        ...picture,
        alt: inEachLanguage(alts),
      })),
      created_at: row.created_at.toISOString(),
      entered_at: iso(row.entered_at),
      is_cancellable: row.is_cancellable,
      cancel_until: iso(row.cancel_until),
      cancelled_at: iso(row.cancelled_at),
      cancelled_why: row.cancelled_why,
      price_with_vat: priceWithVat(decimal(row.price_cents), pricesIncludeVat, at),
      odds: row.total_tickets,
      postal_reserve: { kept: row.postal_reserve, used: row.postal_reserve_used },
      moves: moved.map(({ event, to_state: to, actor, username, people, at: when }) => ({
        event,
        to,
        by: username ?? actor,
        is_staff: actor === 'staff',
        people,
        at: when.toISOString(),
      })),
      changes,
      waiting,
    }
  }

  async function show(id: number, on: Sql = db): Promise<StaffOffer> {
    const row = await staffOffersRepository(on).byId(id)
    if (!row) throw notFound()
    return shown(on, row)
  }

  /** A contest that the role sees; a hidden one does not exist for it. @throws Refusal 404 */
  async function find(id: number, role: StaffRole): Promise<StaffOfferRow> {
    const row = await staffOffersRepository(db).byId(id)
    if (!row || statesHiddenFrom(role).includes(row.state)) throw notFound()
    return row
  }

  async function checklistFor(on: Sql, row: StaffOfferRow): Promise<Checklist> {
    const [now, { isReady }, isShareable] = await Promise.all([
      staffOffersRepository(on).now(),
      picturesReady(on, row.id),
      canBeShared({ slug: row.slug ?? '', pictures: row.pictures }),
    ])
    const pictures = row.pictures.map(({ alts }) => ({
      alt: inEachLanguage(alts),
      isReady,
    }))
    return checklistOf({ draft: draftOf(row), times: row, pictures, isShareable, now }, shop)
  }

  /** @throws Refusal with the checklist */
  async function requireComplete(trx: Trx, row: StaffOfferRow): Promise<void> {
    const checklist = await checklistFor(trx, row)
    if (!checklist.is_complete)
      throw new Refusal('offers.incomplete', 409, 'consoleContests.refusals.incomplete', {
        body: { checklist },
      })
  }

  /** A change may not undo what a scheduled or published contest had. @throws Refusal with the checklist */
  async function requireNoLess(trx: Trx, before: StaffOfferRow, after: StaffOfferRow): Promise<void> {
    const done = (await checklistFor(trx, before)).items
    const checklist = await checklistFor(trx, after)
    if (checklist.items.some(({ is_done: isDone }, index) => !isDone && done[index]?.is_done))
      throw new Refusal('offers.incomplete', 409, 'consoleContests.refusals.incomplete', {
        body: { checklist },
      })
  }

  /**
   * Locks a contest that must still be in the version that its editor saw, or already be what the editor sends.
   * @throws Refusal 409 with the present one
   */
  async function lockVersion(
    trx: Trx,
    id: number,
    version: number,
    sent?: OfferDraft,
  ): Promise<StaffOfferRow> {
    const row = await staffOfferWrites(trx).lock(id)
    if (!row) throw notFound()
    if (row.version !== version) {
      const current = await shown(trx, row)
      const fields = sent ? differences(tidyDraft(sent), current.draft) : []
      if (sent && fields.length === 0) return row
      const body: OfferChanged = { current, fields }
      throw new Refusal('offers.changed', 409, 'consoleContests.refusals.changed', { body: { ...body } })
    }
    return row
  }

  const wrongState = (row: StaffOfferRow): Refusal =>
    new Refusal('offers.wrongState', 409, 'consoleContests.refusals.wrongState', {
      body: { state: row.state },
    })

  const subject = (id: number) => ({ kind: 'offer', id }) as const

  return {
    async list(reads: ReadDatabase, query: StaffOfferQuery, { role }: StaffCaller): Promise<StaffOfferList> {
      const rows = await staffOffersRepository(reads).list(query, statesHiddenFrom(role))
      const next = rows.length === query.limit ? String(rows.at(-1)?.id) : null
      return { items: rows.map(toListed), next }
    },

    /** As the role sees it. @throws Refusal 404 */
    async read(id: number, { role }: StaffCaller): Promise<StaffOffer> {
      const offer = await shown(db, await find(id, role))
      return permits(role, 'offers.edit')
        ? offer
        : { ...offer, draft: { ...offer.draft, correct_choice: '' } }
    },

    /** Makes a draft, which nobody else sees. */
    create: ({ copy_of, shift_days }: NewOfferBody, actor: StaffCaller): Promise<StaffOffer> =>
      transact(db, async (trx) => {
        const original = copy_of === undefined ? undefined : await staffOffersRepository(trx).byId(copy_of)
        if (copy_of !== undefined && !original) throw notFound()
        const draft = original
          ? draftOf(original)
          : { ...EMPTY_DRAFT, postal_reserve_percent: postalReservePercent }
        const times = Object.fromEntries(
          TIMES.map((field) => [
            field,
            shift_days === undefined ? '' : shiftDays(draft[field], shift_days, timeZone),
          ]),
        )
        const slug = draft.slug || slugOf(draft.title)
        const free = slug === '' ? '' : await staffOffersRepository(trx).freeSlug(slug)
        const values = columnsOf({ ...draft, ...times, slug: free })
        const id = await staffOfferWrites(trx).insert({ ...values, number_key: randomBytes(32) })
        if (original) await copyOfferPictures(trx, original.id, id)
        await noteOffer(trx, id, 'create', actor)
        const after = copy_of === undefined ? undefined : { copy_of }
        await audit(trx, { actor, action: 'offers.create', subject: subject(id), after })
        return show(id, trx)
      }).catch(explain),

    /**
     * Stores what staff wrote; of a contest that others see or will see nothing may be missing. Of one that has entries a
     * second person is asked: the terms are locked, and the rest tells what the prize is.
     */
    change: (
      id: number,
      { version, reason, ...sent }: ChangeOfferBody,
      actor: StaffCaller,
    ): Promise<StaffOffer | { approval: Approval }> =>
      transact(db, async (trx) => {
        const row = await lockVersion(trx, id, version, sent)
        const before = draftOf(row)
        const after = readDraft(sent, before)
        const fields = differences(before, after)
        if (fields.length === 0) return shown(trx, row)
        const locked = lockedFields(row.state)
        const refused = fields.filter((field) => locked.includes(field))
        if (refused.length > 0)
          throw new Refusal('offers.termsLocked', 409, 'consoleContests.refusals.termsLocked', {
            body: { locked: refused },
          })
        const values = columnsOf(after, row)
        if (row.state !== 'draft') await requireNoLess(trx, row, { ...row, ...values })
        if (row.entered_at !== null) {
          const change = withFields({} as OfferDraft, after, fields)
          return { approval: await askDescription(trx, staffShop, { offerId: id, change, reason, actor }) }
        }
        await staffOfferWrites(trx).update(id, values)
        const part = (draft: OfferDraft) => withFields({} as OfferDraft, toldDraft(draft, row.state), fields)
        await audit(trx, {
          actor,
          action: 'offers.edit',
          subject: subject(id),
          before: part(before),
          after: part(after),
        })
        return show(id, trx)
      }).catch(explain),

    /** What a contest lacks before it can be published. */
    checklist: async (id: number, { role }: StaffCaller): Promise<Checklist> =>
      checklistFor(db, await find(id, role)),

    /** What is stored, as the shop would show it; stand-ins take the place of what is missing. */
    async preview(id: number, { role }: StaffCaller): Promise<OfferPreview> {
      const draft = await find(id, role)
      const [row, now] = await Promise.all([offersRepository(db).any(id), staffOffersRepository(db).now()])
      if (!row) throw notFound()
      return previewOf(row, draft, now, { hideAnswer: options.hideAnswer || !permits(role, 'offers.edit') })
    },

    /** Opens a contest now, or at its time. */
    publish: (
      id: number,
      version: number,
      when: 'now' | 'scheduled',
      actor: StaffCaller,
    ): Promise<StaffOffer> =>
      transact(db, async (trx) => {
        const row = await lockVersion(trx, id, version)
        if (isPublished(row.state) || (when === 'scheduled' && row.state === 'scheduled'))
          throw wrongState(row)
        // A time that is over does not keep a contest from opening now.
        await requireComplete(trx, when === 'now' ? { ...row, opens_at: null } : row)
        if (when === 'scheduled' && row.opens_at === null)
          throw new InvalidFields({ opens_at: ['consoleContests.refusals.opensAtMissing'] })
        const isMoved = await publishOffer(trx, id, { actor, when })
        if (!isMoved) throw wrongState(row)
        if (when === 'now') await publishTerms(trx, id)
        await audit(trx, {
          actor,
          action: when === 'now' ? 'offers.publish' : 'offers.schedule',
          subject: subject(id),
          after: { opens_at: when === 'now' ? null : iso(row.opens_at) },
        })
        return show(id, trx)
      }),

    unschedule: (id: number, version: number, actor: StaffCaller): Promise<StaffOffer> =>
      transact(db, async (trx) => {
        const row = await lockVersion(trx, id, version)
        if (!(await moveOffer(trx, 'unschedule', id, actor))) throw wrongState(row)
        await audit(trx, { actor, action: 'offers.unschedule', subject: subject(id) })
        return show(id, trx)
      }),

    /** Sells again after a restored backup had stopped the sale. */
    resume: (id: number, version: number, actor: StaffCaller): Promise<StaffOffer> =>
      transact(db, async (trx) => {
        const row = await lockVersion(trx, id, version)
        if (!(await moveOffer(trx, 'resume', id, actor))) throw wrongState(row)
        await publishTerms(trx, id)
        await audit(trx, { actor, action: 'offers.resume', subject: subject(id) })
        return show(id, trx)
      }),

    /** Deletes a draft. */
    remove: (id: number, version: number, actor: StaffCaller): Promise<void> =>
      transact(db, async (trx) => {
        const row = await lockVersion(trx, id, version)
        if (row.state !== 'draft' || row.entered_at !== null) throw wrongState(row)
        await staffOfferWrites(trx).remove(id)
        await noteOffer(trx, id, 'remove', actor)
        await audit(trx, {
          actor,
          action: 'offers.remove',
          subject: subject(id),
          before: toldDraft(draftOf(row), row.state),
        })
      }),

    /** Tickets by day, and the pace to the end. */
    async sales(id: number, { role }: StaffCaller): Promise<OfferSales> {
      const repository = staffOffersRepository(db)
      const row = await find(id, role)
      const [{ days: sold, today }, now] = await Promise.all([
        repository.sales(id, timeZone),
        repository.now(),
      ])
      const dayOf = (at: Date | null): string | undefined => (at ? wall(at).slice(0, 10) : undefined)
      const known = sold.map(({ day }) => day)
      const first = [...known, dayOf(row.published_at)].filter((day) => day !== undefined).toSorted()[0]
      const over = dayOf(row.end_date)
      const last = [...known, over !== undefined && over < today ? over : today].toSorted().at(-1)
      const days = first !== undefined && last !== undefined ? everyDay(sold, first, last) : []
      const { tickets_sold, total_tickets: total } = row
      const end = row.is_active ? row.end_date : null
      const { pace, expected } = paceOf({ sold: tickets_sold, days, end }, today, now)
      return {
        total,
        sold: tickets_sold,
        by_post: row.by_post,
        days,
        pace,
        expected: expected === null ? null : Math.min(total ?? Infinity, expected),
      }
    },
  }
}

/** A draft as the audit log keeps it, which more people read than drafts: before publication without the right answer. */
const toldDraft = (draft: OfferDraft, state: OfferState): OfferDraft =>
  isPublished(state) || draft.correct_choice === '' ? draft : { ...draft, correct_choice: NOT_TOLD }

const NOT_TOLD = '(not told)'

/** Contests whose title or address has the text. */
export const offerSearch =
  (db: ReadDatabase): RecordSearch =>
  async ({ text: q, role, language }) => {
    if (!permits(role, 'offers.read')) return []
    const rows = await staffOffersRepository(db).list({ q, limit: MOST_OF_A_KIND }, statesHiddenFrom(role))
    return rows.map((row) => ({
      kind: 'offer',
      id: String(row.id),
      title: anyText(row.titles, language) || (row.slug ?? ''),
      matched: 'title',
      state: null,
      total: null,
      at: row.end_date?.toISOString() ?? null,
      contest: null,
      order: null,
      customer: null,
    }))
  }

/** @throws InvalidFields for an address that another contest has, else the error */
function explain(error: unknown): never {
  if (
    errorCode(error) === UNIQUE_VIOLATION &&
    String((error as { constraint?: string }).constraint).includes('slug')
  )
    throw new InvalidFields({ slug: ['consoleContests.refusals.slugTaken'] })
  throw error
}
