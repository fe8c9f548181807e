import type { OfferState } from '#features/offers/offer-states.rules.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { Sql } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ClaimSummary } from '../claims.contract.ts'
import { type ClaimFacts, type ClaimState, claimState } from '../claims.rules.ts'
import type { DrawMoment, DrawPage } from '../draws.contract.ts'
import { schedule, stepNamed, waitOf } from '../timeline.rules.ts'
import { type ClaimRow, claimsRepository, publicWinner } from './claims/claims.repository.ts'
import { drawsRepository } from './draws.repository.ts'
import { rehearsalsRepository } from './rehearsals/rehearsals.repository.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { textFields } from '#shared/text-fields.ts'

const iso = (at: Date | number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

/** The moments that are steps, and the moves that a contest makes in them. */
const MOVES = { closing: 'close', list: 'list', seal: 'seal', draw: 'draw', award: 'award' } as const
const ENDS = ['cancel', 'endWithoutEntries', 'endWithoutBeacon']

/** Where a draw stands, for the console. @param hidden states that the reader does not see @throws Refusal 404 */
export async function drawPage(db: Sql, offerId: number, hidden: readonly OfferState[]): Promise<DrawPage> {
  const draws = drawsRepository(db)
  const [row, moves, lists, files, attempts, claims, rehearsal] = await Promise.all([
    draws.find(offerId),
    draws.moves(offerId),
    draws.lists(offerId),
    draws.files(offerId),
    draws.attempts(offerId),
    claimsRepository(db).ofOffer(offerId),
    rehearsalsRepository(db).ofOffer(offerId),
  ])
  if (!row || hidden.includes(row.state))
    throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  const { offer_id, titles, state, durations, total, held } = row
  const made = (event: string): Date | null => moves.find((one) => one.event === event)?.at ?? null
  const ended = moves.find(({ event }) => ENDS.includes(event))?.at ?? null
  const timeline = schedule(durations, row, row.now)
  const moment = (name: DrawMoment, at: Date | null, planned?: Date | number | null) => ({
    name,
    planned_at: iso(planned),
    at: iso(at),
  })
  const claimOf = (attempt: number): ClaimRow | undefined => claims.find((one) => one.attempt === attempt)
  const last = attempts.findLast(({ drawn_at }) => drawn_at !== null)
  const lastClaim = last && claimOf(last.attempt)
  const wait = waitOf(durations, row, row.now, lastClaim ? stateOf(lastClaim) : null)
  return {
    offer_id,
    slug: row.slug ?? '',
    ...textFields('title', titles),
    state,
    held,
    waits: { ...wait, until: iso(wait.until) },
    moments: [
      moment('publication', row.published_at),
      ...(Object.entries(MOVES) as [keyof typeof MOVES, string][]).map(([name, move]) => {
        const step = stepNamed(timeline, name === 'closing' ? 'closes' : name)
        return moment(name, made(move), step?.planned ?? (name === 'draw' ? row.draw_at : null))
      }),
      ...(ended ? [moment('cancellation', ended)] : []),
    ],
    terms:
      row.terms_hash === null || !durations
        ? null
        : {
            hash: row.terms_hash,
            objections_seconds: durations.objections,
            seal_margin_seconds: durations.seal_margin,
            beacon_patience_seconds: durations.beacon_patience,
            claim_seconds: durations.claim,
            alternate_delay_seconds: row.alternate_delay_seconds ?? 0,
            notice_seconds: row.notice_seconds ?? 0,
            alternates_decided: row.alternates_decided ?? 0,
          },
    log:
      row.origin === null
        ? null
        : {
            origin: row.origin,
            size: row.size ?? 0,
            entries: row.entries ?? 0,
            root: row.root,
            checkpoint_at: iso(row.checkpoint_at),
            waiting: row.waiting,
          },
    lists,
    files: files.map((file) => ({ ...file, made_at: file.made_at.toISOString() })),
    attempts: attempts.map(({ reason, is_decided, published_at, asked, ...attempt }) => {
      const claim = claimOf(attempt.attempt)
      return {
        ...attempt,
        round_at: attempt.round_at.toISOString(),
        drawn_at: iso(attempt.drawn_at),
        number: attempt.number === null ? null : padTicketNumber(attempt.number, total),
        claim: claim ? summaryOf(claim) : null,
        asked: asked && { ...asked, at: new Date(asked.at).toISOString() },
        forfeiture:
          reason === null || published_at === null
            ? null
            : { reason, is_decided: is_decided === true, published_at: published_at.toISOString() },
      }
    }),
    decided: attempts.filter(({ is_decided }) => is_decided === true).length,
    rehearsal,
  }
}

/** A void entry wins nothing: its forfeiture follows. */
const stateOf = (claim: ClaimFacts & Pick<ClaimRow, 'is_void'>): ClaimState =>
  claim.is_void && !claim.awarded_at ? 'forfeited' : claimState(claim)

/** A draw that comes, is under way, or whose prize waits for its winner. */
export interface AwaitedDraw extends Pick<DrawPage, 'offer_id'> {
  titles: LocalizedText
  draw_at: Date
  now: Date
  waits: ReturnType<typeof waitOf>
}

/** The draws of the next days, and all that are not over, the earliest first. */
export async function awaitedDraws(db: Sql, days: number, limit: number): Promise<AwaitedDraw[]> {
  const rows = await drawsRepository(db).awaited(days, limit)
  return rows.map((row) => ({
    offer_id: row.offer_id,
    titles: row.titles,
    draw_at: row.draw_at,
    now: row.now,
    waits: waitOf(row.durations, row, row.now, row.has_claim ? stateOf(row) : null),
  }))
}

export const summaryOf = (claim: ClaimRow): ClaimSummary => ({
  state: stateOf(claim),
  until: claim.until.toISOString(),
  letter: claim.needs_letter
    ? {
        printed_at: iso(claim.letter_printed_at),
        sent_at: iso(claim.letter_sent_at),
        waits: claim.letter_waits,
      }
    : null,
  submitted_at: iso(claim.submitted_at),
  prove_until: claim.prove_until.toISOString(),
  is_unproven: claim.is_unproven,
  is_recorded: claim.recorded_by !== null,
  is_changed: claim.is_changed,
  identity_seen_at: iso(claim.identity_seen_at),
  identity_seen_by: claim.identity_seen_by_name,
  awarded_at: iso(claim.awarded_at),
  delivered_on: claim.delivered_on,
  winner: claim.forfeited_at ? null : publicWinner(claim),
  picture: claim.picture_consent_at !== null,
  is_erased: claim.erased_at !== null,
})
