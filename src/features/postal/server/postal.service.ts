import { createHash, randomBytes } from 'node:crypto'
import { exclusionsRepository } from '#features/accounts/server/index.ts'
import type { Alerts } from '#features/alerts/server/index.ts'
import { emailsWithKeys, enqueueEmail } from '#features/emails/server/index.ts'
import { padTicketNumber, questionOf } from '#features/offers/offers.rules.ts'
import { sellToPost } from '#features/offers/server/index.ts'
import { ticketCommitment } from '#features/draws/server/index.ts'
import { assignNumbers, issueTickets } from '#features/tickets/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, ReadDatabase, Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import { findCountry } from '#shared/countries.ts'
import { textIn } from '#shared/localized-text.ts'
import { optionalTextFields, textFields } from '#shared/text-fields.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { permits } from '#shared/staff-permissions.ts'
import { MOST_OF_A_KIND, type RecordSearch, maskedName, readTicket } from '#shared/staff-search.ts'
import type {
  CheckBody,
  Desk,
  ListedEntry,
  PostalEntry,
  ReadableCard,
  RegisterBody,
  SimilarEntry,
} from '../postal.contract.ts'
import {
  type Likeness,
  type Person,
  type PostalRefusal,
  ageOn,
  dayOf,
  likeness,
  personText,
  postcodeKey,
  refusalOf,
  searchWords,
  shownPostalNumber,
} from '../postal.rules.ts'
import { type PostalEmails } from './entrant-emails.ts'
import {
  type DeskOffer,
  type EntryRow,
  emailKeysOf,
  postalRepository,
  postalWrites,
} from './postal.repository.ts'

export interface PostalDeps {
  db: Database
  clock: Clock
  timeZone: string
  emails: PostalEmails
}

/** Nobody is older. */
const OLDEST = 125
const SALT_BYTES = 32

const isReadable = (card: RegisterBody): card is ReadableCard => card.seen === null

const personOf = ({ name, address, postcode, country, date_of_birth }: CheckBody | ReadableCard): Person => ({
  name,
  address,
  postcode,
  country,
  dateOfBirth: date_of_birth,
})

/** By which the same person is found again. */
export const keyOf = (person: Person): Buffer => createHash('sha256').update(personText(person)).digest()

/** The contests of the desk, and its day. */
export async function desk({ db, clock, timeZone }: PostalDeps): Promise<Desk> {
  const offers = await postalRepository(db).desk()
  return {
    today: dayOf(clock(), timeZone),
    contests: offers.map((offer) => ({
      id: offer.id,
      slug: offer.slug,
      ...textFields('title', offer.titles),
      end_date: offer.end_date.toISOString(),
      closes_on: dayOf(offer.end_date, timeZone),
      is_drawn: offer.is_late,
      state: offer.cancelled_at ? 'cancelled' : offer.is_open ? 'open' : 'closed',
      ...optionalTextFields('question', offer.questions),
      choices: offer.choices,
      reserve_left: offer.reserve_left,
      left: offer.left,
    })),
  }
}

interface Similar {
  entry: EntryRow
  like: Likeness
  isSame: boolean
}

/** The entries of a contest that are of this person, or may be. */
export async function similarTo(db: Sql, offerId: number, person: Person): Promise<Similar[]> {
  const key = keyOf(person)
  const rows = await postalRepository(db).neighbours(
    offerId,
    person.dateOfBirth,
    postcodeKey(person.postcode),
  )
  return rows.flatMap((entry): Similar[] => {
    const other = personIn(entry)
    const like = other && likeness(person, other)
    return like ? [{ entry, like, isSame: entry.person_key?.equals(key) ?? false }] : []
  })
}

export function personIn({
  name,
  address,
  postcode,
  country,
  date_of_birth,
}: Pick<EntryRow, 'name' | 'address' | 'postcode' | 'country' | 'date_of_birth'>): Person | undefined {
  if (name === null || address === null || postcode === null || country === null || date_of_birth === null)
    return undefined
  return { name, address, postcode, country, dateOfBirth: date_of_birth }
}

export const toSimilar = ({ entry, like, isSame }: Similar): SimilarEntry => ({
  id: entry.id,
  number: shownPostalNumber(entry.number),
  name: entry.name ?? '',
  address: entry.address ?? [],
  postcode: entry.postcode ?? '',
  city: entry.city ?? '',
  country: entry.country ?? '',
  date_of_birth: entry.date_of_birth ?? '',
  received_on: entry.received_on,
  ticket_number: padTicketNumber(entry.ticket_number ?? 0, entry.total_tickets),
  is_same: isSame,
  like: { name: like.name, address: like.address, date_of_birth: like.dateOfBirth },
})

/** Similar entries, for staff to compare. Showing some is an entry in the audit log. */
export async function checkEntrant(
  { db }: PostalDeps,
  actor: StaffCaller,
  body: CheckBody,
): Promise<SimilarEntry[]> {
  const found = await similarTo(db, body.offer_id, personOf(body))
  if (found.length > 0)
    await transact(db, (trx) =>
      audit(trx, {
        actor,
        action: 'post.compare',
        subject: { kind: 'offer', id: body.offer_id },
        after: { shown: found.map(({ entry }) => entry.id) },
      }),
    )
  return found.map(toSimilar)
}

/** Thrown out of the transaction, which then has changed nothing. */
class Undecided extends Error {
  readonly found: readonly Similar[]
  constructor(found: readonly Similar[]) {
    super('similar entries')
    this.found = found
  }
}

type DeskDeps = PostalDeps & { alerts: Alerts }

/**
 * Registers a card: a number from the contest's shuffled sequence at once, or a refusal. Repeated, it registers once. A
 * card that came in time and is registered after the draw is refused, and an alert says so.
 * @throws Refusal 409 `post.similar` with the entries that staff must compare first
 */
export async function registerCard(
  deps: DeskDeps,
  actor: StaffCaller,
  card: RegisterBody,
): Promise<{ entry: PostalEntry; isNew: boolean }> {
  const { db } = deps
  const offer = await requireOffer(db, card.offer_id)
  checkDays(deps, card, offer)
  try {
    const isNew = await transact(db, async (trx) => register(deps, trx, actor, card))
    return { entry: await requireEntry(db, card.id), isNew }
  } catch (error) {
    if (!(error instanceof Undecided)) throw error
    const shown = { shown: error.found.map(({ entry }) => entry.id) }
    const subject = { kind: 'offer', id: offer.id } as const
    await transact(db, (trx) => audit(trx, { actor, action: 'post.compare', subject, after: shown }))
    throw new Refusal('post.similar', 409, 'consolePost.refusals.similar', {
      body: { items: error.found.map(toSimilar) },
    })
  }
}

/** @throws InvalidFields for days that cannot be */
function checkDays({ clock, timeZone }: PostalDeps, card: RegisterBody, offer: DeskOffer): void {
  if (card.received_on > dayOf(clock(), timeZone))
    throw new InvalidFields({ received_on: ['consolePost.faults.receivedLater'] })
  if (offer.published_at && card.received_on < dayOf(offer.published_at, timeZone))
    throw new InvalidFields({ received_on: ['consolePost.faults.receivedBefore'] })
  if (!isReadable(card)) return
  const age = ageOn(card.date_of_birth, card.received_on)
  if (age < 0 || age > OLDEST) throw new InvalidFields({ date_of_birth: ['consolePost.faults.birth'] })
}

/** @returns whether the card is new */
async function register(deps: DeskDeps, trx: Trx, actor: StaffCaller, card: RegisterBody) {
  await postalWrites(trx).lockDesk(card.offer_id)
  const known = await postalRepository(trx).byId(card.id)
  if (known) {
    if (isSameCard(known, card)) return false
    throw new Refusal('post.idReused', 409, 'consolePost.refusals.idReused')
  }
  const offer = await requireOffer(trx, card.offer_id)
  if (!offer.is_open && !offer.is_over && !offer.cancelled_at)
    throw new Refusal('post.notOpen', 409, 'consolePost.refusals.notOpen')
  const userId = card.email === null ? null : await postalWrites(trx).accountOf(card.email)
  const decide = (decision: Decision) => store(deps, trx, actor, { card, userId, decision, offer })
  const written = refusalOf(
    {
      receivedOn: card.received_on,
      dateOfBirth: isReadable(card) ? card.date_of_birth : null,
      answer: isReadable(card) ? card.answer : null,
      isCountryOpen: isReadable(card) && findCountry(card.country) !== undefined,
      isExcluded: card.email !== null && (await exclusionsRepository(trx).isAddressExcluded(card.email)),
      seen: card.seen,
    },
    {
      isCancelled: offer.cancelled_at !== null,
      closesOn: dayOf(offer.end_date, deps.timeZone),
      question: questionOf(offer),
      correctChoice: offer.correct_choice,
    },
  )
  if (written || !isReadable(card)) return decide({ refusal: written ?? 'illegible' })
  const duplicateOf = await duplicate(trx, card)
  if (duplicateOf !== undefined) return decide({ refusal: 'duplicate', duplicateOf })
  if (offer.is_late) return decide({ refusal: 'registered_late' })

  // Last, since buyers contend for the contest's row.
  const sold = await sellToPost(trx, card.offer_id)
  if (sold === 'allHeld')
    throw new Refusal('post.allHeld', 409, 'consolePost.refusals.allHeld', { retryAfter: 60 })
  if (sold === 'sealed') return decide({ refusal: 'registered_late' })
  if (sold === 'soldOut') return decide({ refusal: 'sold_out' })
  const [issue] = assignNumbers([
    { sales: [sold], userId, source: 'postal' as const, atMs: deps.clock().getTime() },
  ])
  const number = issue?.numbers.get(card.offer_id)?.[0]
  if (!issue || number === undefined) throw new Error('an entry without a number')
  await issueTickets(trx, [issue])
  return decide({ number })
}

/** The entry of the same person, or what staff have chosen as such. @throws Undecided */
async function duplicate(trx: Trx, card: ReadableCard): Promise<string | undefined> {
  const found = await similarTo(trx, card.offer_id, personOf(card))
  const same = found.find(({ isSame }) => isSame)
  if (same) return same.entry.id
  const chosen = found.find(({ entry }) => entry.id === card.same_as)
  if (chosen) return chosen.entry.id
  if (card.same_as !== null || found.some(({ entry }) => !card.other_than.includes(entry.id)))
    throw new Undecided(found)
  return undefined
}

type Decision = { number: number } | { refusal: PostalRefusal; duplicateOf?: string }

interface Decided {
  card: RegisterBody
  /** The account whose confirmed address is on the card. */
  userId: number | null
  decision: Decision
  offer: DeskOffer
}

async function store(
  { emails, alerts }: DeskDeps,
  trx: Trx,
  actor: StaffCaller,
  { card, userId, decision, offer }: Decided,
) {
  const isEntered = 'number' in decision
  const person = isReadable(card) ? personOf(card) : undefined
  const refusal = isEntered ? null : decision.refusal
  const duplicateOf = isEntered ? null : (decision.duplicateOf ?? null)
  const otherThan = isReadable(card) && isEntered ? card.other_than : []
  await postalWrites(trx).insert({
    id: card.id,
    offer_id: card.offer_id,
    bag: card.bag,
    status: isEntered ? 'entered' : 'refused',
    refusal,
    duplicate_of: duplicateOf,
    other_than: otherThan,
    name: card.name,
    address: card.address,
    postcode: card.postcode,
    city: card.city,
    country: card.country,
    date_of_birth: person?.dateOfBirth ?? null,
    email: card.email,
    answer: isReadable(card) ? card.answer : null,
    language: card.language,
    received_on: card.received_on,
    registered_by: actor.userId,
    ticket_number: isEntered ? decision.number : null,
    salt: isEntered ? randomBytes(SALT_BYTES) : null,
    person_key: person ? keyOf(person) : null,
    postcode_key: card.postcode === null ? null : postcodeKey(card.postcode),
    words: searchWords(card.name, card.postcode, card.city),
    user_id: userId,
  })
  const entry = await postalRepository(trx).byId(card.id)
  const mail = entry && emails.registered(entry)
  if (refusal === 'registered_late')
    await alerts.raise(trx, {
      kind: 'cardMissedDraw',
      subject: offer.slug,
      details: { cards: await postalRepository(trx).countLate(offer.id) },
    })
  return withCommit(
    Promise.all([
      mail && enqueueEmail(trx, mail),
      audit(trx, {
        actor,
        action: 'post.register',
        subject: { kind: 'postalEntry', id: card.id },
        after: {
          offer: card.offer_id,
          received_on: card.received_on,
          ...(isEntered
            ? { number: decision.number, other_than: otherThan }
            : { refusal, duplicate_of: duplicateOf }),
        },
      }),
    ]).then(() => true),
  )
}

/** Whether a repeated call is the same call. What was erased or decided since is not compared. */
const isSameCard = (entry: EntryRow, card: RegisterBody): boolean =>
  entry.offer_id === card.offer_id &&
  entry.received_on === card.received_on &&
  entry.name === card.name &&
  entry.postcode === card.postcode &&
  (entry.address ?? []).join('\n') === (card.address ?? []).join('\n') &&
  (!isReadable(card) || entry.date_of_birth === card.date_of_birth)

async function requireOffer(db: Sql, id: number): Promise<DeskOffer> {
  const offer = await postalRepository(db).offer(id)
  if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  return offer
}

/** @throws Refusal 404 */
export async function requireRow(db: Sql, id: string): Promise<EntryRow> {
  const row = await postalRepository(db).byId(id)
  if (!row) throw new Refusal('post.notFound', 404, 'consolePost.refusals.notFound')
  return row
}

/** @throws Refusal 404 */
export async function requireEntry(db: Sql, id: string): Promise<PostalEntry> {
  const row = await requireRow(db, id)
  const others = row.duplicate_of === null ? row.other_than : [row.duplicate_of, ...row.other_than]
  const [names, related, emails, corrections, approval] = await Promise.all([
    postalRepository(db).namesOfStaff([row.registered_by]),
    others.length === 0 ? [] : postalRepository(db).byIds(others),
    emailKeysOf(db, [id]).then((keys) => emailsWithKeys(db, keys)),
    postalRepository(db).corrections([id]),
    postalRepository(db).voidAsked(id),
  ])
  const numbered = (ids: readonly string[]) =>
    related
      .filter((one) => ids.includes(one.id))
      .map((one) => ({ id: one.id, number: shownPostalNumber(one.number) }))
  return {
    ...toListed(row),
    address: row.address,
    postcode: row.postcode,
    country: row.country,
    date_of_birth: row.date_of_birth,
    email: row.email,
    answer: row.answer,
    language: row.language,
    registered_by: { id: row.registered_by, name: names.get(row.registered_by) ?? '' },
    user_id: row.user_id,
    ticket_id: row.ticket_id,
    commitment: commitmentIn(row),
    duplicate_of: numbered(row.duplicate_of === null ? [] : [row.duplicate_of])[0] ?? null,
    other_than: numbered(row.other_than),
    erased_at: row.erased_at?.toISOString() ?? null,
    emails,
    void_ground: row.void_ground,
    corrections: corrections.map(({ id: correction, fields, reason, by, at }) => ({
      id: correction,
      fields,
      reason,
      by,
      at: at.toISOString(),
    })),
    approval: approval ? { ...approval, at: approval.at.toISOString() } : null,
  }
}

export const commitmentIn = ({ salt, ticket_id }: EntryRow): string | null =>
  salt && ticket_id ? ticketCommitment(salt, ticket_id) : null

/** Whether a letter can be sent. */
export const hasLetter = ({ name, address, city }: EntryRow): boolean =>
  name !== null && address !== null && city !== null

export const isVoid = ({ ticket_status }: EntryRow): boolean => ticket_status === 'void'

/** The letter that nobody has printed; of a void number one says so instead of the answer. */
export function waitingLetter(row: EntryRow): 'answer' | 'void' | null {
  if (row.email !== null || !hasLetter(row)) return null
  if (isVoid(row)) return row.void_letter_at === null ? 'void' : null
  return row.letter_at === null ? 'answer' : null
}

/** Cards that the text finds, as the list of cards does. */
export const entrySearch =
  (db: ReadDatabase): RecordSearch =>
  async ({ text, role, language }) => {
    if (!permits(role, 'post.read')) return []
    const rows = await postalRepository(db).page({ search: text, after: undefined, limit: MOST_OF_A_KIND })
    const matched = isUuid(text) ? 'id' : readTicket(text) ? 'ticket' : 'entry'
    return rows.map((row) => ({
      kind: 'entry',
      id: row.id,
      title: `${shownPostalNumber(row.number)} ${maskedName(row.name ?? '')}`.trim(),
      matched,
      state: null,
      total: null,
      at: new Date(row.at_us / 1_000).toISOString(),
      contest: { slug: row.slug, title: textIn(row.titles, language).text },
      order: null,
      customer: null,
    }))
  }

export const toListed = (row: EntryRow): ListedEntry => ({
  id: row.id,
  number: shownPostalNumber(row.number),
  offer: {
    id: row.offer_id,
    slug: row.slug,
    ...textFields('title', row.titles),
  },
  bag: row.bag,
  status: row.status,
  refusal: row.refusal,
  ticket_number: row.ticket_number === null ? null : padTicketNumber(row.ticket_number, row.total_tickets),
  ticket_status: row.ticket_status,
  received_on: row.received_on,
  registered_at: row.registered_at.toISOString(),
  name: row.name,
  city: row.city,
  has_letter: hasLetter(row),
  letter_at: row.letter_at?.toISOString() ?? null,
  void_letter_at: row.void_letter_at?.toISOString() ?? null,
  letter_waits: waitingLetter(row),
  has_email: row.email !== null,
  is_erased: row.erased_at !== null,
})

/** How the entrant of a number is told of what happens to it. */
export async function howEntrantIsTold(
  db: Sql,
  offerId: number,
  number: number,
): Promise<'email' | 'letter' | 'nobody'> {
  const entry = await postalRepository(db).byNumber(offerId, number)
  if (!entry) return 'nobody'
  return entry.email !== null ? 'email' : hasLetter(entry) ? 'letter' : 'nobody'
}

/** Tells entrants by email that their numbers became void. @returns how many */
export async function tellVoids(
  { db, emails }: Pick<PostalDeps, 'db' | 'emails'>,
  limit: number,
): Promise<number> {
  return transact(db, async (trx) => {
    const entries = await postalRepository(trx).toTell(limit)
    for (const entry of entries) {
      const mail = emails.voided(entry)
      if (mail) await enqueueEmail(trx, mail)
    }
    if (entries.length > 0) await postalWrites(trx).markTold(entries.map(({ id }) => id))
    return entries.length
  })
}
