import { toOffer, type OfferRow } from '#features/offers/server/index.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { QUICKNET, timeOfRound } from '../../protocol/beacon.ts'
import { fromHex } from '../../protocol/bytes.ts'
import { selectWinner } from '../../protocol/selection.ts'
import { verifierKeyText } from '../../protocol/checkpoints.ts'
import { parseLeaf } from '../../protocol/leaves.ts'
import { type Terms, parseTerms } from '../../protocol/terms.ts'
import type { Attempt, Delay, DrawFacts, ListedDraw, PublicDraw } from '../../public-draws.contract.ts'
import { sha256 } from '../sha256.ts'
import type { AttemptRow, DrawRow, WholeDrawRow } from './public-draws.repository.ts'
import { textFields } from '#shared/text-fields.ts'

const SECOND_MS = 1000

/** Time for a relay to answer, and for the next step of a job. */
const GRACE_MS = 60 * SECOND_MS

const instant = (value: Date | string): string => new Date(value).toISOString()
const secondsBefore = (date: Date, seconds: number): Date => new Date(date.getTime() - seconds * SECOND_MS)

const REASONS = {
  endWithoutEntries: 'no-entries',
  endWithoutBeacon: 'beacon-silent',
} as const

function cancellationOf({
  cancelled_at: at,
  cancelled_by: by,
  cancelled_why: why,
}: DrawRow): DrawFacts['cancelled'] {
  if (at === null) return null
  const reason = by === null || by.event === 'cancel' ? (by?.by_job ? 'unsealed' : 'shop') : REASONS[by.event]
  return { reason, at: instant(at), words: reason === 'shop' ? (why ?? '') : '' }
}

/** What a draw has in the list and on its page. */
function factsOf(row: DrawRow): DrawFacts {
  const lists = { provisional: listOf(row, 'provisional.txt'), sealed: listOf(row, 'list.txt') }
  const plan = planOf(row, lists.provisional)
  const facts = {
    state: row.state,
    published_at: instant(row.published_at),
    closes_at: instant(row.closes_at),
    stopped: row.state === 'closed' && row.closes_at > row.now,
    draw_at: row.draw_at && instant(row.draw_at),
    terms: row.terms_hash === null ? null : { hash: row.terms_hash },
    plan,
    log:
      row.checkpoint === null
        ? null
        : {
            entries: row.entries ?? 0,
            size: row.checkpoint.size,
            root: row.checkpoint.root,
            checkpoint_at: instant(row.checkpoint.at),
          },
    ...lists,
    attempts: row.attempts.map((attempt) => attemptOf(attempt, lists.sealed)),
    cancelled: cancellationOf(row),
  }
  return { ...facts, delay: delayOf(row, facts) }
}

/** The list is published so early that the time for objections is over when it is sealed. */
function planOf(row: DrawRow, provisional: DrawFacts['provisional']): DrawFacts['plan'] {
  if (row.terms_hash === null || row.draw_at === null) return null
  const { objections_seconds, seal_margin_seconds, beacon_patience_seconds, claim_seconds } = row
  return {
    list_by: instant(secondsBefore(row.draw_at, seal_margin_seconds + objections_seconds)),
    seal_at: instant(secondsBefore(row.draw_at, seal_margin_seconds)),
    objections_over:
      provisional !== null &&
      row.now.getTime() >= Date.parse(provisional.at) + objections_seconds * SECOND_MS,
    objections: objections_seconds,
    seal_margin: seal_margin_seconds,
    beacon_patience: beacon_patience_seconds,
    claim: claim_seconds,
  }
}

function listOf(row: DrawRow, wanted: DrawRow['lists'][number]['name']): DrawFacts['sealed'] {
  const found = row.lists.find(({ name }) => name === wanted)
  if (!found) return null
  const { name: _, at, ...figures } = found
  return { ...figures, at: instant(at) }
}

function attemptOf(row: AttemptRow, sealed: DrawFacts['sealed']): Attempt {
  const { attempt, round, drawn_at, relay, randomness, number, winner, claim, forfeited } = row
  const planned = {
    attempt,
    round,
    round_at: instant(row.round_at),
    forfeited: forfeited && { ...forfeited, at: instant(forfeited.at) },
  }
  if (drawn_at === null || relay === null || randomness === null || number === null || sealed === null)
    return { ...planned, drawn: null }
  const remaining = sealed.valid - attempt
  const chosen = selectWinner(
    { attempt, randomness: fromHex(randomness), listHash: fromHex(sealed.hash), remaining },
    sha256,
  )
  return {
    ...planned,
    drawn: {
      at: instant(drawn_at),
      relay,
      randomness,
      remaining,
      ...chosen,
      number,
      winner,
      claim: claim && {
        until: instant(claim.until),
        by_letter: claim.by_letter,
        claimed_at: claim.claimed_at === null ? null : instant(claim.claimed_at),
      },
    },
  }
}

/** The first thing that is late, by the clock of the database. */
function delayOf(
  row: DrawRow,
  { published_at, closes_at, draw_at, plan, provisional, sealed, attempts }: Omit<DrawFacts, 'delay'>,
): Delay | null {
  const isPast = (at: string, graceMs = 0): boolean => row.now.getTime() > Date.parse(at) + graceMs
  switch (row.state) {
    case 'open':
    case 'closed': {
      // A contest from before the protocol has no terms either; its draw is not of this shop's making.
      if (draw_at !== null && !plan && !isPast(draw_at) && isPast(published_at, GRACE_MS)) return 'terms'
      if (row.is_behind) return 'entries'
      if (!isPast(closes_at)) return null
      if (row.state === 'open') return isPast(closes_at, GRACE_MS) ? 'close' : null
      if (plan && !provisional && isPast(plan.list_by)) return 'list'
      return row.tickets_held > 0 ? 'payments' : null
    }
    case 'listed': {
      return plan && !sealed && isPast(plan.seal_at) ? 'seal' : null
    }
    case 'sealed':
    case 'drawn': {
      const waiting = attempts.find(({ drawn }) => drawn === null)
      if (waiting) return isPast(waiting.round_at, GRACE_MS) ? 'beacon' : null
      const claim = attempts.at(-1)?.drawn?.claim
      return claim?.claimed_at === null && isPast(claim.until, GRACE_MS) ? 'forfeiture' : null
    }
    default: {
      return null
    }
  }
}

export function toListedDraw(row: DrawRow, offer: OfferRow): ListedDraw {
  const { id, slug, pictures, total_tickets, tickets_sold } = toOffer(offer)
  const contest = { id, slug, ...textFields('title', offer.titles), pictures, total_tickets, tickets_sold }
  return { ...factsOf(row), contest }
}

export function toPublicDraw(row: WholeDrawRow, offer: OfferRow, changes: PublicDraw['changes']): PublicDraw {
  const { prize_value_cents, postal_reserve, draw_terms_texts } = row
  const terms = row.terms && parseTerms(row.terms, sha256)
  return {
    ...factsOf(row),
    contest: {
      ...toOffer(offer),
      prize_value: prize_value_cents === null ? null : toDecimal(cents(prize_value_cents)),
      postal_reserve,
      ...textFields('draw_terms', draw_terms_texts),
    },
    changes,
    beacon: terms && beaconOf(row, terms),
    rules: terms && rulesOf(terms),
    witnesses: row.witnesses.map(({ name, public_key, size, at }) => ({
      name,
      key: verifierKeyText(name, fromHex(public_key), sha256),
      size,
      at: instant(at),
    })),
    files: row.files,
    rehearsal: null,
  }
}

/** The beacon in force: that of the terms, or of the last leaf that replaced it. */
function beaconOf(row: WholeDrawRow, terms: Terms): PublicDraw['beacon'] {
  const leaf = row.beacon_leaf === null ? undefined : parseLeaf(row.beacon_leaf, 1)
  const { chain, key, genesis, period, round } = leaf?.type === 'beacon' ? leaf : terms.beacon
  const round_at = new Date(timeOfRound({ genesis, period }, round) * SECOND_MS).toISOString()
  return { chain, public: chain === QUICKNET.chain, round, round_at, key, genesis, period }
}

const rulesOf = (terms: Terms): NonNullable<PublicDraw['rules']> => ({
  void_reasons: [...terms.voidReasons],
  forfeit_reasons: [...terms.forfeitReasons],
  alternates_decided: terms.alternatesDecided,
  alternate_delay: terms.alternateDelay,
})
