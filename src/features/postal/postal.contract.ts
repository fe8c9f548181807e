import * as z from 'zod/mini'
import { forFields } from '#shared/text-fields.ts'
import { ListedEmail } from '#features/emails/emails.contract.ts'
import { key } from '#i18n/keys.ts'
import { emailField, typedLine, typedText } from '#shared/fields.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { CORRECTABLE, REFUSALS, SEEN_REFUSALS, VOID_GROUNDS, isCountry, isDay } from './postal.rules.ts'

export const NAME_MAX = 100
export const ADDRESS_LINES_MAX = 3
export const ADDRESS_LINE_MAX = 60
export const POSTCODE_MAX = 12
export const CITY_MAX = 60
const ANSWER_MAX = 200
/** Most entries that somebody judges to be of other people. */
const OTHERS_MAX = 50

const Id = z.uuid()
const Day = z
  .string(key('errors.field.required'))
  .check(z.refine(isDay, { error: key('consolePost.faults.day') }))

/** What letters can print: Latin letters, since the fonts have no others. */
const PRINTABLE = /^[\p{Script=Latin}\p{M}\p{N}\p{P}\p{Zs}+°ºª]*$/u

const line = (max: number) =>
  typedLine('errors.field.required').check(
    z.minLength(1, { error: key('errors.field.required'), abort: true }),
    z.maxLength(max, key('errors.field.tooLong')),
    z.regex(PRINTABLE, key('consolePost.faults.latin')),
  )
const lettered = (max: number) => line(max).check(z.regex(/\p{L}/u, key('consolePost.faults.noLetters')))

const Name = lettered(NAME_MAX)
const Address = z
  .array(line(ADDRESS_LINE_MAX))
  .check(
    z.minLength(1, key('errors.field.required')),
    z.maxLength(ADDRESS_LINES_MAX, key('consolePost.faults.lines')),
  )
const Postcode = line(POSTCODE_MAX).check(z.regex(/[\p{L}\d]/u, key('errors.field.required')))
const City = lettered(CITY_MAX)
const Country = z
  .string(key('errors.field.required'))
  .check(z.refine(isCountry, { error: key('consolePost.faults.country') }))
const REASON_MAX = 200
/** Only staff read it, and it goes with the entrant's data. */
const Reason = typedText('errors.field.required').check(
  z.minLength(1, { error: key('errors.field.required'), abort: true }),
  z.maxLength(REASON_MAX, key('errors.field.tooLong')),
)
const Email = z.nullable(emailField('errors.email.invalid'))

/** Whom a card is from. */
export const EntrantBody = z.object({
  name: Name,
  address: Address,
  postcode: Postcode,
  city: City,
  country: Country,
  date_of_birth: Day,
})
export type EntrantBody = z.infer<typeof EntrantBody>

const cardFields = {
  /** Made by the form for each card: the same call registers once. */
  id: Id,
  /** The cards of one sitting. */
  bag: Id,
  offer_id: z.int(),
  language: z.enum(LANGUAGES),
  received_on: Day,
  email: Email,
}

/** A card that can be read. */
const ReadableCard = z.extend(EntrantBody, {
  ...cardFields,
  seen: z.null(),
  /** The choice that the card names, what it says instead, or null for no answer. */
  answer: z.nullable(
    typedLine('errors.field.text').check(z.maxLength(ANSWER_MAX, key('errors.field.tooLong'))),
  ),
  /** Similar entries that are of other people. */
  other_than: z.array(Id).check(z.maxLength(OTHERS_MAX, key('errors.field.tooLong'))),
  /** The entry of the same person: refuses this one. */
  same_as: z.nullable(Id),
})
export type ReadableCard = z.infer<typeof ReadableCard>

/** A card that staff refuse because of what they see. Without name and address it gets no letter. */
const UnreadableCard = z.object({
  ...cardFields,
  seen: z.enum(SEEN_REFUSALS),
  name: z.nullable(Name),
  address: z.nullable(Address),
  postcode: z.nullable(Postcode),
  city: z.nullable(City),
  country: z.nullable(Country),
})

/** POST /api/staff/post/entries/ */
export const RegisterBody = z.discriminatedUnion('seen', [ReadableCard, UnreadableCard])
export type RegisterBody = z.infer<typeof RegisterBody>

/** POST /api/staff/post/entries/:id/correct/: how the card is read, all of it, and why it was read otherwise. */
export const CorrectBody = z.object({
  name: Name,
  address: Address,
  postcode: Postcode,
  city: City,
  country: Country,
  email: Email,
  /** Entries that are like the corrected one and of other people. */
  other_than: z.array(Id).check(z.maxLength(OTHERS_MAX, key('errors.field.tooLong'))),
  reason: Reason,
})
export type CorrectBody = z.infer<typeof CorrectBody>

/** POST /api/staff/post/entries/:id/void/: asks a second person. */
export const VoidBody = z.object({ ground: z.enum(VOID_GROUNDS), reason: Reason })
export type VoidBody = z.infer<typeof VoidBody>

/** GET /api/staff/post/entries/:id/void/preview/: what voiding the card would do now. */
export const VoidPreview = z.object({
  /** "P-K7QM-2F9P" */
  number: z.string(),
  /** It takes no part in the draw any more; the public log says that it is void. */
  ticket_number: z.string(),
  ...forFields('title', () => z.string()),
  /** How the entrant is told; null where nothing is known. */
  told: z.nullable(z.enum(['email', 'letter'])),
})
export type VoidPreview = z.infer<typeof VoidPreview>

/** POST /api/staff/post/check/ */
export const CheckBody = z.extend(EntrantBody, { offer_id: z.int() })
export type CheckBody = z.infer<typeof CheckBody>

const Title = forFields('title', () => z.string())

/** An entry that may be of the same person, for people to compare. */
const SimilarEntry = z.object({
  id: z.string(),
  /** "P-K7QM-2F9P" */
  number: z.string(),
  name: z.string(),
  address: z.array(z.string()),
  postcode: z.string(),
  city: z.string(),
  country: z.string(),
  date_of_birth: z.string(),
  received_on: z.string(),
  ticket_number: z.string(),
  /** Certainly the same person: equal but for spelling. Nothing is to decide. */
  is_same: z.boolean(),
  /** What is equal or similar. */
  like: z.object({ name: z.boolean(), address: z.boolean(), date_of_birth: z.boolean() }),
})
export type SimilarEntry = z.infer<typeof SimilarEntry>

export const SimilarEntries = z.object({ items: z.array(SimilarEntry) })
export type SimilarEntries = z.infer<typeof SimilarEntries>

const entryFields = {
  id: z.string(),
  /** "P-K7QM-2F9P" */
  number: z.string(),
  offer: z.object({ id: z.int(), slug: z.string(), ...Title }),
  bag: z.string(),
  status: z.enum(['entered', 'refused']),
  refusal: z.nullable(z.enum(REFUSALS)),
  /** Padded; null of a refused entry. */
  ticket_number: z.nullable(z.string()),
  /** Void: the contest was cancelled, or two people voided it. */
  ticket_status: z.nullable(z.enum(['valid', 'void'])),
  received_on: z.string(),
  registered_at: z.string(),
  /** Null once personal data are erased, or where a card could not be read. */
  name: z.nullable(z.string()),
  city: z.nullable(z.string()),
  /** Whether a letter can be printed, and when it first was. */
  has_letter: z.boolean(),
  letter_at: z.nullable(z.string()),
  /** When that about the void number was printed. */
  void_letter_at: z.nullable(z.string()),
  /** The letter that waits for the printer. */
  letter_waits: z.nullable(z.enum(['answer', 'void'])),
  has_email: z.boolean(),
  is_erased: z.boolean(),
}

/** An entry in a list. */
export const ListedEntry = z.object(entryFields)
export type ListedEntry = z.infer<typeof ListedEntry>

/** GET /api/staff/post/entries/:id/ */
export const PostalEntry = z.object({
  ...entryFields,
  address: z.nullable(z.array(z.string())),
  postcode: z.nullable(z.string()),
  country: z.nullable(z.string()),
  date_of_birth: z.nullable(z.string()),
  email: z.nullable(z.string()),
  answer: z.nullable(z.string()),
  language: z.enum(LANGUAGES),
  registered_by: z.object({ id: z.int(), name: z.string() }),
  /** The account whose participations show the ticket. */
  user_id: z.nullable(z.int()),
  ticket_id: z.nullable(z.string()),
  /** Hexadecimal. */
  commitment: z.nullable(z.string()),
  /** The entry of the same person, of a duplicate. */
  duplicate_of: z.nullable(z.object({ id: z.string(), number: z.string() })),
  /** Similar entries that staff judged to be of other people. */
  other_than: z.array(z.object({ id: z.string(), number: z.string() })),
  erased_at: z.nullable(z.string()),
  /** To the entrant, the newest first. */
  emails: z.array(ListedEmail),
  /** Why two people voided the number; null of one whose contest was cancelled. */
  void_ground: z.nullable(z.enum(VOID_GROUNDS)),
  /** The newest first. The former text is kept nowhere. */
  corrections: z.array(
    z.object({
      id: z.int(),
      fields: z.array(z.enum(CORRECTABLE)),
      /** Null once the entrant's data are erased. */
      reason: z.nullable(z.string()),
      by: z.string(),
      at: z.string(),
    }),
  ),
  /** A request to void it that waits for a second person. */
  approval: z.nullable(z.object({ id: z.int(), by: z.string(), at: z.string() })),
})
export type PostalEntry = z.infer<typeof PostalEntry>

export const ENTRIES_LIMIT = { default: 50, max: 100 }

/** `after` is `next` of the page before. */
export const EntriesQuery = z.object({
  after: z.optional(z.string().check(z.maxLength(100))),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(ENTRIES_LIMIT.max))),
  offer: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(2_147_483_647))),
  status: z.optional(z.enum(['entered', 'refused'])),
  bag: z.optional(Id),
  /** `waiting`: nobody has printed it, or that about its void number, and there is no email instead. */
  letter: z.optional(z.literal('waiting')),
  /** Name, town, postcode, email, number of the entry or of the ticket. */
  search: z.optional(z.string().check(z.trim(), z.maxLength(120))),
})
export type EntriesQuery = z.infer<typeof EntriesQuery>

export const EntryPage = z.object({ items: z.array(ListedEntry), next: z.nullable(z.string()) })
export type EntryPage = z.infer<typeof EntryPage>

/** A contest for which the desk registers cards. */
const DeskContest = z.object({
  id: z.int(),
  slug: z.string(),
  ...Title,
  end_date: z.string(),
  /** The last day on which a card is in time. */
  closes_on: z.string(),
  state: z.enum(['open', 'closed', 'cancelled']),
  /** Its cards can no longer take part, even those that came in time. */
  is_drawn: z.boolean(),
  ...forFields('question', () => z.nullable(z.string())),
  /** Without saying which is right. */
  choices: z.array(z.string()),
  /** Numbers kept for entries by post that none has taken yet. */
  reserve_left: z.int(),
  /** Numbers that nobody has. */
  left: z.int(),
})
export type DeskContest = z.infer<typeof DeskContest>

/** GET /api/staff/post/contests/ */
export const Desk = z.object({
  /** Today in the shop's time zone. */
  today: z.string(),
  contests: z.array(DeskContest),
})
export type Desk = z.infer<typeof Desk>

const Wait = z.object({ count: z.int(), median_s: z.nullable(z.number()), p95_s: z.nullable(z.number()) })

/** GET /api/staff/post/parity/: how long the last entries and the last payments waited for their numbers. */
export const Parity = z.object({
  post: Wait,
  payment: Wait,
  /** Cards of the last year that came in time and were registered after the draw. */
  missed: z.int(),
})
export type Parity = z.infer<typeof Parity>

export const EntryParams = z.object({ id: Id })
export const EntryEmailParams = z.object({ id: Id, email: Id })

/** POST /api/staff/post/letters/: of a bag or of all, those that nobody has printed; `again`: printed ones, too. */
export const LettersQuery = z.object({ bag: z.optional(Id), again: z.optional(z.literal('true')) })
