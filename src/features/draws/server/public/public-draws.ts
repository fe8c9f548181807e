import { toOffer, type OfferRow } from '#features/offers/server/index.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { QUICKNET, timeOfRound } from '#draw-protocol/beacon.ts'
import { fromHex } from '#draw-protocol/bytes.ts'
import { selectWinner } from '#draw-protocol/selection.ts'
import { type Terms, parseTerms } from '#draw-protocol/terms.ts'
import type { Attempt, DrawFacts, ListedDraw, PublicDraw } from '../../public-draws.contract.ts'
import { type Timeline, delayOf, schedule, stepNamed } from '../../timeline.rules.ts'
import { sha256 } from '../sha256.ts'
import type { Winner } from '../../winners.contract.ts'
import type { AttemptRow, DrawRow, WholeDrawRow, WinnerRow } from './public-draws.repository.ts'
import { textFields } from '#shared/text-fields.ts'

const euros = (amount: number | null): string | null => (amount === null ? null : toDecimal(cents(amount)))

const instant = (value: Date | string | number): string => new Date(value).toISOString()
const maybe = (value: string | null): string | null => value && instant(value)

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
  const sealed = listOf(row, 'list.txt')
  const facts = {
    state: row.state,
    published_at: instant(row.published_at),
    closes_at: instant(row.closes_at),
    draw_at: row.draw_at && instant(row.draw_at),
    terms: row.terms_hash === null ? null : { hash: row.terms_hash },
    log:
      row.checkpoint === null
        ? null
        : {
            entries: row.entries ?? 0,
            size: row.checkpoint.size,
            root: row.checkpoint.root,
            checkpoint_at: instant(row.checkpoint.at),
          },
    provisional: listOf(row, 'provisional.txt'),
    sealed,
    attempts: row.attempts.map((attempt) => attemptOf(attempt, sealed)),
    cancelled: cancellationOf(row),
  }
  const timeline = schedule(row.durations, { ...facts, held: row.held }, row.now)
  return {
    ...facts,
    stopped: row.state === 'closed' && timeline.next?.name === 'closes',
    plan: planOf(row, timeline),
    delay: delayOf(timeline, row, row.is_behind),
  }
}

function planOf({ durations }: DrawRow, timeline: Timeline): DrawFacts['plan'] {
  const [list, objections, seal] = (['list', 'objections', 'seal'] as const).map((name) =>
    stepNamed(timeline, name),
  )
  if (!durations || !list?.planned || !seal?.planned) return null
  return {
    list_by: instant(list.planned),
    seal_at: instant(seal.planned),
    objections_over: objections?.state === 'done',
    ...durations,
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

export function toListedDraw(row: DrawRow, offer: OfferRow): ListedDraw {
  const { id, slug, pictures, total_tickets, tickets_sold } = toOffer(offer)
  const contest = { id, slug, ...textFields('title', offer.titles), pictures, total_tickets, tickets_sold }
  return { ...factsOf(row), contest }
}

export function toWinner(row: WinnerRow, offer: OfferRow): Winner {
  const { id, slug, pictures, total_tickets } = toOffer(offer)
  return {
    contest: {
      id,
      slug,
      ...textFields('title', offer.titles),
      pictures: pictures.slice(0, 1),
      total_tickets,
    },
    prize_value: euros(row.prize_value_cents),
    number: row.number,
    drawn_at: instant(row.drawn_at),
    is_awarded: row.state === 'awarded',
    winner: row.winner,
  }
}

export function toPublicDraw(
  row: WholeDrawRow,
  offer: OfferRow,
  { attested, changes }: Pick<PublicDraw, 'attested' | 'changes'>,
): PublicDraw {
  const { prize_value_cents, postal_reserve, draw_terms_texts } = row
  const terms = row.terms && parseTerms(row.terms, sha256)
  return {
    ...factsOf(row),
    contest: {
      ...toOffer(offer),
      prize_value: euros(prize_value_cents),
      postal_reserve,
      ...textFields('draw_terms', draw_terms_texts),
    },
    attested,
    stamped: row.stamped && { opened: maybe(row.stamped.opened), sealed: maybe(row.stamped.sealed) },
    changes,
    beacon: terms && beaconOf(terms),
    rules: terms && rulesOf(terms),
    files: row.files,
    rehearsal: null,
  }
}

export function beaconOf({ beacon }: Terms): NonNullable<PublicDraw['beacon']> {
  const { chain, key, genesis, period, round } = beacon
  const round_at = new Date(timeOfRound({ genesis, period }, round) * 1000).toISOString()
  return { chain, public: chain === QUICKNET.chain, round, round_at, key, genesis, period }
}

export const rulesOf = (terms: Terms): NonNullable<PublicDraw['rules']> => ({
  void_reasons: [...terms.voidReasons],
  forfeit_reasons: [...terms.forfeitReasons],
  alternates_decided: terms.alternatesDecided,
  alternate_delay: terms.alternateDelay,
  notice: terms.notice,
  demonstration: terms.demonstration,
})
