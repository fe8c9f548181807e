import * as z from 'zod/mini'
import { forFields, allFields } from '#shared/text-fields.ts'
import { type MessageKey, key } from '#i18n/keys.ts'
import { COUNTRIES } from '#shared/countries.ts'
import { typedLine, typedName, typedText } from '#shared/fields.ts'
import { compactPhone } from '#shared/phone.ts'
import { ONE_LINE_PATTERN } from '#shared/typed-text.ts'
import { CLAIM_STATES, STAFF_REASONS, FORFEIT_REASONS } from './claims.rules.ts'

export const NAME_MAX = 100
export const LINE_MAX = 60
export const POSTCODE_MAX = 12
export const PHONE_MAX = 30
export const STATEMENT_MAX = 2_000

const Instant = z.string()
const MaybeInstant = z.nullable(Instant)

const text = (max: number) =>
  typedLine('errors.field.required').check(
    z.maxLength(max, key('errors.field.tooLong')),
    z.regex(ONE_LINE_PATTERN, key('errors.field.invalid')),
  )
const line = (max: number) =>
  text(max).check(z.minLength(1, { error: key('errors.field.required'), abort: true }))

/** A winner may have a number of any country. */
const Phone = line(PHONE_MAX).check(
  z.overwrite(compactPhone),
  z.regex(/^\+?\d{6,15}$/, key('formErrors.claim.phone')),
)

const contactFields = {
  name: typedName('errors.field.required', NAME_MAX, 'errors.field.tooLong'),
  street: line(LINE_MAX),
  /** A second line of the address, or nothing. */
  extra: text(LINE_MAX),
  postcode: line(POSTCODE_MAX),
  city: line(LINE_MAX),
  country: z
    .string(key('errors.field.required'))
    .check(z.refine((code) => COUNTRIES.some((one) => one.code === code), key('errors.field.required'))),
}

const consentFields = {
  /** The first name and the place may be published. */
  publish: z.boolean(),
  first_name: text(LINE_MAX),
  place: text(LINE_MAX),
  /** A picture may be published. */
  picture: z.boolean(),
}

interface Consent {
  publish: boolean
  first_name: string
  place: string
}
/** Without consent nothing is asked for. */
const isNamed = (field: 'first_name' | 'place') =>
  z.refine<Consent>((consent) => !consent.publish || consent[field] !== '', {
    error: key('errors.field.required'),
    path: [field],
  })

const declared = z
  .boolean(key('formErrors.claim.declare'))
  .check(z.refine((given) => given, key('formErrors.claim.declare')))

const claimFields = {
  ...contactFields,
  phone: Phone,
  ...consentFields,
  is_adult: declared,
  is_eligible: declared,
}

/** PUT /api/claims/own/{slug}/: what a winner submits. */
export const ClaimForm = z.object(claimFields).check(isNamed('first_name'), isNamed('place'))
export type ClaimForm = z.infer<typeof ClaimForm>

/** PUT /api/claims/own/{slug}/consent/: gives or withdraws consents, until the prize forfeits. */
export const ConsentForm = z.object(consentFields).check(isNamed('first_name'), isNamed('place'))
export type ConsentForm = z.infer<typeof ConsentForm>

/** The first fault of each field. */
export function faultsOf<Form extends z.ZodMiniType>(
  form: Form,
  values: unknown,
): Partial<Record<string, MessageKey>> {
  const faults: Partial<Record<string, MessageKey>> = {}
  for (const { path, message } of form.safeParse(values).error?.issues ?? [])
    faults[String(path[0])] ??= message as MessageKey
  return faults
}

const token = z.string().check(z.maxLength(200, key('errors.field.invalid')))

/** POST /api/claims/read/ */
export const ClaimTokenBody = z.object({ token })
/** POST /api/claims/submit/ */
export const TokenClaimBody = z
  .object({ token, ...claimFields })
  .check(isNamed('first_name'), isNamed('place'))
/** POST /api/claims/consent/ */
export const TokenConsentBody = z
  .object({ token, ...consentFields })
  .check(isNamed('first_name'), isNamed('place'))

const contactShown = {
  name: z.string(),
  address: z.array(z.string()),
  postcode: z.nullable(z.string()),
  city: z.string(),
  country: z.string(),
  phone: z.nullable(z.string()),
}
const Contact = z.object(contactShown)

/** First name and place, with the winner's consent. */
export const PublicWinner = z.nullable(z.object({ first_name: z.string(), place: z.string() }))
export type PublicWinner = z.infer<typeof PublicWinner>

const titles = forFields('title', () => z.string())

/** A claim as its winner sees it. */
export const Claim = z.object({
  /** `picture` is the path of the prize’s picture; null without one. */
  contest: z.object({ slug: z.string(), ...titles, picture: z.nullable(z.string()) }),
  attempt: z.int(),
  /** As on the ticket: "00123". */
  number: z.string(),
  drawn_at: Instant,
  until: Instant,
  /** Until when a proof of identity is waited for. */
  prove_until: Instant,
  state: z.enum(CLAIM_STATES),
  /** Why it was forfeited. */
  reason: z.nullable(z.enum(FORFEIT_REASONS)),
  submitted_at: MaybeInstant,
  /**
   * What proves that it was received (docs/draw-v1.md, section 4): the hash in the leaf, and the two files. Null before it is
   * submitted, while its leaf waits, and once it is erased.
   */
  receipt: z.nullable(z.object({ hash: z.string(), claim: z.string(), checkpoint: z.string() })),
  /** Null before it is submitted, and once it is erased. */
  contact: z.nullable(Contact),
  /** What a form without contact begins with: the name of the account, or what was on the card. */
  suggested: z.nullable(z.partial(Contact)),
  winner: PublicWinner,
  picture: z.boolean(),
  delivered_on: z.nullable(z.string()),
})
export type Claim = z.infer<typeof Claim>

// The console ---------------------------------------------------------------------------------------------------------

export const ClaimParams = z.object({
  id: z.coerce.number().check(z.int(), z.minimum(1), z.maximum(2_147_483_647)),
  attempt: z.coerce.number().check(z.int(), z.minimum(0), z.maximum(32_767)),
})

/** A claim without personal data, for everybody who sees draws. */
export const ClaimSummary = z.object({
  state: z.enum(CLAIM_STATES),
  until: Instant,
  /** Of a winner without an email address: while it waits, `until` is the earliest that is possible. */
  letter: z.nullable(z.object({ printed_at: MaybeInstant, sent_at: MaybeInstant, waits: z.boolean() })),
  submitted_at: MaybeInstant,
  prove_until: Instant,
  /** No proof of identity was seen by then. */
  is_unproven: z.boolean(),
  /** Written down by staff. */
  is_recorded: z.boolean(),
  /** The claim changed after its identity was seen, which must be seen again. */
  is_changed: z.boolean(),
  identity_seen_at: MaybeInstant,
  identity_seen_by: z.nullable(z.string()),
  awarded_at: MaybeInstant,
  delivered_on: z.nullable(z.string()),
  winner: PublicWinner,
  picture: z.boolean(),
  is_erased: z.boolean(),
})
export type ClaimSummary = z.infer<typeof ClaimSummary>

/** GET /api/staff/draws/{id}/claims/{attempt}/: reading it is logged. */
export const ClaimContact = z.object({
  number: z.string(),
  source: z.enum(['paid', 'postal', 'demo']),
  /** The account or the card that the number belongs to. */
  user_id: z.nullable(z.int()),
  postal_entry_id: z.nullable(z.string()),
  /** Of the account or the card. */
  known: z.object({ name: z.nullable(z.string()), email: z.nullable(z.string()), language: z.string() }),
  contact: z.nullable(Contact),
  /** Of the claim's leaf, which the winner has, too; null while the leaf waits. */
  leaf_hash: z.nullable(z.string()),
  /** SHA-256 of all of it in hexadecimal, by which an act says which claim it is about. */
  seen: z.string(),
  /** Whoever asks wrote the claim down, and nobody else could see the proof of identity. */
  is_alone: z.boolean(),
})
export type ClaimContact = z.infer<typeof ClaimContact>

/** POST …/record/: staff write down the claim of a winner who wrote a letter. */
export const RecordBody = z
  .object({ ...contactFields, phone: z.union([Phone, z.literal('')]), ...consentFields, declared })
  .check(isNamed('first_name'), isNamed('place'))
export type RecordBody = z.infer<typeof RecordBody>

const Day = z.iso.date(key('errors.field.required')).check(z.regex(/^(?!0000)/, key('errors.field.invalid')))

const Seen = z.string().check(z.regex(/^[0-9a-f]{64}$/, key('errors.field.invalid')))

/** POST …/identity/: a proof of identity was seen of the claim that `ClaimContact` showed. */
export const IdentityBody = z.object({ seen: Seen })

/** POST …/award/: asks a second person to note that the winner got the prize, and on which day. */
export const AwardBody = z.object({ seen: Seen, delivered_on: Day })
export type AwardBody = z.infer<typeof AwardBody>

const statement = typedText('errors.field.required').check(
  z.minLength(1, { error: key('errors.field.required'), abort: true }),
  z.maxLength(STATEMENT_MAX, key('errors.field.tooLong')),
)

/** POST …/forfeit/: asks a second person. The statements are published. */
export const ForfeitBody = z.object({
  reason: z.enum(STAFF_REASONS),
  ...allFields('statement', () => statement),
  /** For the second person and the audit log; not published. */
  note: line(200),
})
export type ForfeitBody = z.infer<typeof ForfeitBody>

/** POST …/forfeit/preview/ */
export const ForfeitPreviewBody = z.pick(ForfeitBody, {
  reason: true,
  ...allFields('statement', () => true as const),
})
export const ForfeitPreview = z.object({
  /** `statement-K.txt` as it will be published. */
  statement: z.string(),
  /** Of these bytes, in hexadecimal. */
  sha256: z.string(),
  /** Forfeitures that the shop has decided, and may decide in all. */
  decided: z.int(),
  most: z.int(),
  /** How many numbers are left for the next attempt. */
  remaining: z.int(),
  /** Seconds between the publication and the round of the next attempt. */
  delay_seconds: z.int(),
})
export type ForfeitPreview = z.infer<typeof ForfeitPreview>
