import * as z from 'zod/mini'
import { forFields } from '#shared/text-fields.ts'

/** `demo` only in a demonstration shop. */
const TICKET_SOURCES = ['paid', 'postal', 'demo'] as const
/** A void ticket (refund, chargeback) stays in the list and takes no part in the draw. */
const TICKET_STATUSES = ['valid', 'void'] as const
const OUTCOMES = ['won', 'notWon'] as const
/** Of a number that was drawn: what became of its prize. */
const PRIZES = ['toClaim', 'claimed', 'awarded', 'forfeited'] as const

/** Spec section 3. */
export const Ticket = z.object({
  id: z.string(),
  /** Zero-padded to the width of the contest's highest number. */
  ticket_number: z.string(),
  ...forFields('title', () => z.string()),
  /** ISO 8601 in UTC. */
  end_date: z.string(),
  offer_id: z.int(),
  offer_slug: z.string(),
  status: z.enum(TICKET_STATUSES),
  source: z.enum(TICKET_SOURCES),
  issued_at: z.string(),
  /** Of a valid ticket, once its contest is drawn; left out before, and while an alternate is waited for. */
  outcome: z.optional(z.enum(OUTCOMES)),
  /** Left out of numbers that were not drawn. */
  prize: z.optional(z.enum(PRIZES)),
  /** Of a prize to claim: the end of the time for it, ISO 8601 in UTC. */
  claim_until: z.optional(z.string()),
  /** Index of its entry in the public log of the contest; null until it is there, and of a contest without one. */
  leaf_index: z.nullable(z.int()),
  /** Path at which the holder proves the entry, with a secret behind `#`; null as above. */
  proof_link: z.nullable(z.string()),
})
export type Ticket = z.infer<typeof Ticket>

export const TicketList = z.array(Ticket)
