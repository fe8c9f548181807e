import * as z from 'zod/mini'
import { forFields } from '#shared/text-fields.ts'
import { Offer } from '#features/offers/offers.contract.ts'
import { PublishedChange } from '#features/offers/descriptions.contract.ts'
import { FORFEIT_REASONS } from './claims.rules.ts'

/** The states of a contest that everybody sees. */
export const PUBLIC_STATES = ['open', 'closed', 'listed', 'sealed', 'drawn', 'awarded', 'cancelled'] as const
export type PublicState = (typeof PUBLIC_STATES)[number]

/**
 * Why something is late: terms that are not published, entries that are not in the log, a contest that is not closed after its
 * end, payments still being confirmed after it, a list that is overdue, a silent beacon, a forfeiture that is due.
 */
export const DELAYS = [
  'terms',
  'entries',
  'close',
  'payments',
  'list',
  'seal',
  'beacon',
  'forfeiture',
] as const
export type Delay = (typeof DELAYS)[number]

/** Of docs/draw-v1.md, section 4. */
const VOID_REASONS = [
  'refunded',
  'disputed',
  'withdrawn',
  'under-age',
  'excluded',
  'staff',
  'postal-rule',
] as const

/** Of docs/draw-v1.md, section 4; `unsealed`: by the job, because the list could not be sealed in time. */
export const CANCELLATIONS = ['shop', 'unsealed', 'no-entries', 'beacon-silent'] as const

/** ISO 8601 in UTC. */
const Instant = z.string()
/** 64 hexadecimal digits. */
const Hash = z.string()

const List = z.object({
  hash: Hash,
  /** Merkle root of the rows; null of the provisional list. */
  root: z.nullable(Hash),
  paid: z.int(),
  postal: z.int(),
  demo: z.int(),
  valid: z.int(),
  /** Leaves of the log that the list is made from. */
  log_size: z.int(),
  at: Instant,
})

export const Attempt = z.object({
  /** 0 is the draw; the others are its alternates. */
  attempt: z.int(),
  round: z.int(),
  round_at: Instant,
  /** Null until the round is there, like all that follows from it. */
  drawn: z.nullable(
    z.object({
      at: Instant,
      /** Host of the relay that responded. */
      relay: z.string(),
      randomness: Hash,
      /** Rows that it was drawn from. */
      remaining: z.int(),
      /** How many values were made until one was below the limit. */
      tries: z.int(),
      /** That value, and its remainder by the number of rows. */
      value: Hash,
      index: z.int(),
      number: z.int(),
      /** First name and place, with the winner's consent. */
      winner: z.nullable(z.object({ first_name: z.string(), place: z.string() })),
      /** Until when the prize can be claimed, and when it was; null before the claim is opened. */
      /** `by_letter`: the winner is told by a letter that waits, and `until` is the earliest that is possible. */
      claim: z.nullable(
        z.object({ until: Instant, by_letter: z.boolean(), claimed_at: z.nullable(Instant) }),
      ),
    }),
  ),
  /** Why and when the winner has forfeited the prize. */
  forfeited: z.nullable(z.object({ reason: z.enum(FORFEIT_REASONS), at: Instant })),
})
export type Attempt = z.infer<typeof Attempt>

/** What the public knows of a draw (docs/draw-v1.md). Nothing of a person is in it. */
const facts = {
  state: z.enum(PUBLIC_STATES),
  published_at: Instant,
  closes_at: Instant,
  /** Closed by the organiser before its end, which is still to come. */
  stopped: z.boolean(),
  /** Null of a contest without a draw by this protocol. */
  draw_at: z.nullable(Instant),
  terms: z.nullable(z.object({ hash: Hash })),
  plan: z.nullable(
    z.object({
      /** The latest instants of the provisional and of the sealed list. */
      list_by: Instant,
      seal_at: Instant,
      /** By the clock of the database; false before the provisional list. */
      objections_over: z.boolean(),
      /** Durations in seconds. */
      objections: z.int(),
      seal_margin: z.int(),
      beacon_patience: z.int(),
      claim: z.int(),
    }),
  ),
  log: z.nullable(
    z.object({
      entries: z.int(),
      /** Of the last checkpoint. */
      size: z.int(),
      root: Hash,
      checkpoint_at: Instant,
    }),
  ),
  provisional: z.nullable(List),
  sealed: z.nullable(List),
  attempts: z.array(Attempt),
  cancelled: z.nullable(
    z.object({
      reason: z.enum(CANCELLATIONS),
      at: Instant,
      /** The organiser's words, in the language in which staff write; empty when a job has cancelled. */
      words: z.string(),
    }),
  ),
  delay: z.nullable(z.enum(DELAYS)),
}

/** GET /api/draws/{slug}/ */
export const PublicDraw = z.object({
  ...facts,
  contest: z.object({
    ...Offer.shape,
    /** Decimal euro text. */
    prize_value: z.nullable(z.string()),
    /** Numbers that were kept for entries by post when the contest opened. */
    postal_reserve: z.int(),
    /** Further terms in the shop's languages; empty when there are none. */
    ...forFields('draw_terms', () => z.string()),
  }),
  /** Of titles, descriptions and pictures after the first entry, the newest first. */
  changes: z.array(PublishedChange),
  /** The chain that decides; `public`: the League of Entropy's. */
  beacon: z.nullable(
    z.object({
      chain: Hash,
      public: z.boolean(),
      round: z.int(),
      round_at: Instant,
      key: z.string(),
      /** Unix time of round 1, and seconds between two rounds. */
      genesis: z.int(),
      period: z.int(),
    }),
  ),
  /** Further rules of the terms; null, like the beacon, of those that an older version of the shop has published. */
  rules: z.nullable(
    z.object({
      void_reasons: z.array(z.enum(VOID_REASONS)),
      forfeit_reasons: z.array(z.enum(FORFEIT_REASONS)),
      /** Forfeitures that the shop may decide, and the seconds between one and the round of the alternate. */
      alternates_decided: z.int(),
      alternate_delay: z.int(),
      /** Seconds before a round: when the shop cancels or voids at the latest. */
      notice: z.int(),
      demonstration: z.boolean(),
    }),
  ),
  /**
   * When witnesses had confirmed the terms, the sealed list and the last winner's claim; null where nobody is asked: only the
   * shop says when.
   */
  attested: z.nullable(
    z.object({
      opened: z.nullable(Instant),
      sealed: z.nullable(Instant),
      claimed: z.nullable(Instant),
    }),
  ),
  /** When an authority stamped the terms and the sealed list; null where the terms name none. */
  stamped: z.nullable(z.object({ opened: z.nullable(Instant), sealed: z.nullable(Instant) })),
  /** Files of the evidence pack that are made once. */
  files: z.array(z.object({ name: z.string(), hash: Hash })),
  /** Its id in addresses; null of a real draw. */
  rehearsal: z.nullable(z.string()),
})
export type PublicDraw = z.infer<typeof PublicDraw>

export const ListedDraw = z.object({
  ...facts,
  contest: z.pick(Offer, {
    id: true,
    slug: true,
    ...forFields('title', () => true as const),
    pictures: true,
    total_tickets: true,
    tickets_sold: true,
  }),
})
export type ListedDraw = z.infer<typeof ListedDraw>

/** What both have in common. */
export type DrawFacts = Omit<ListedDraw, 'contest'>

/** GET /api/draws/: the next draw first, then drawn ones, the latest first, then cancelled ones. */
export const DrawPage = z.object({
  items: z.array(ListedDraw),
  /** Slug that the next page follows; null at the end. */
  next: z.nullable(z.string()),
})
export type DrawPage = z.infer<typeof DrawPage>
