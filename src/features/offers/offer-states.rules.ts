/**
 * The states of a contest and its moves. An event moves it in one conditional UPDATE with a row in `offer_events`
 * (`server/offer-moves.repository.ts`). Invariant I12 and the table in ARCHITECTURE.md (`npm run order-machine`) are generated
 * from this table.
 */

import { type StaffRole, permits } from '#shared/staff-permissions.ts'

export const OFFER_STATES = {
  draft: 'Being written; nobody outside the console sees it.',
  scheduled: 'Complete, and opens by itself; nobody outside the console sees it.',
  open: 'Everybody sees it, and its tickets are for sale until its end.',
  closed: 'Everybody sees it; no ticket is sold any more.',
  listed: 'The provisional list of its entries is published; objections are possible.',
  sealed: 'The list is final and published; the draw is to come.',
  drawn: 'A winner is drawn and has not received the prize yet.',
  awarded: 'The winner has the prize.',
  cancelled: 'There will be no draw; all money goes back.',
} as const

export type OfferState = keyof typeof OFFER_STATES

/** States in which only staff see a contest. */
export const UNPUBLISHED = ['draft', 'scheduled'] as const satisfies readonly OfferState[]

export const isPublished = (state: OfferState): boolean =>
  !(UNPUBLISHED as readonly OfferState[]).includes(state)

/** What a role does not see: before a contest is published, it is there for those who edit contests alone. */
export const statesHiddenFrom = (role: StaffRole): readonly OfferState[] =>
  permits(role, 'offers.edit') ? [] : UNPUBLISHED

/** Conditions besides the state, checked by the UPDATE or its transaction, by the clock of the database. */
export const OFFER_GUARDS = {
  complete: 'nothing on the checklist is open (in the transaction that holds the lock of its row)',
  opensLater: 'nothing on the checklist is open, and its opening is still to come',
  openingDue: 'its opening has come, and its end has not',
  endPassed: 'its end has come',
  endAhead: 'its end has not come',
  drawAhead: 'its draw instant has not come',
  noticeAhead: 'once it is sealed, the notice of its terms before its round has not begun',
  neverEntered: 'no ticket was ever held or issued (trigger offers_only_drafts_go)',
} as const

export type OfferGuard = keyof typeof OFFER_GUARDS

export const OFFER_ACTORS = ['staff', 'system', 'command line'] as const
/** `system`: a job, or the demonstration. */
export type OfferActor = (typeof OFFER_ACTORS)[number]

interface Transition {
  /** `new`: not stored yet. */
  from: readonly (OfferState | 'new')[]
  /** `deleted`: not stored any more. */
  to: OfferState | 'deleted'
  guard?: OfferGuard
  who: readonly OfferActor[]
}

export const OFFER_EVENTS = {
  create: { from: ['new'], to: 'draft', who: ['staff', 'system'] },
  remove: { from: ['draft'], to: 'deleted', guard: 'neverEntered', who: ['staff'] },
  schedule: { from: ['draft'], to: 'scheduled', guard: 'opensLater', who: ['staff', 'system'] },
  unschedule: { from: ['scheduled'], to: 'draft', who: ['staff', 'command line'] },
  // No worker ran between its opening and its end: staff give it other dates.
  missOpening: { from: ['scheduled'], to: 'draft', guard: 'endPassed', who: ['system'] },
  publish: { from: ['draft', 'scheduled'], to: 'open', guard: 'complete', who: ['staff', 'system'] },
  open: { from: ['scheduled'], to: 'open', guard: 'openingDue', who: ['system'] },
  close: { from: ['open'], to: 'closed', guard: 'endPassed', who: ['system'] },
  // A database without its last sales would issue their numbers again (docs/recovery.md).
  stop: { from: ['open'], to: 'closed', guard: 'endAhead', who: ['command line'] },
  resume: { from: ['closed'], to: 'open', guard: 'endAhead', who: ['staff', 'command line'] },
  list: { from: ['closed'], to: 'listed', guard: 'endPassed', who: ['system'] },
  seal: { from: ['listed'], to: 'sealed', guard: 'drawAhead', who: ['system'] },
  draw: { from: ['sealed'], to: 'drawn', who: ['system'] },
  award: { from: ['drawn'], to: 'awarded', who: ['staff'] },
  cancel: {
    from: ['open', 'closed', 'listed', 'sealed'],
    to: 'cancelled',
    // A program computes the winner at the second of the round: from a while before it, nobody may choose any more.
    guard: 'noticeAhead',
    who: ['staff', 'system'],
  },
  // No row is left to draw from (docs/draw-v1.md, sections 9 and 10).
  endWithoutEntries: { from: ['sealed', 'drawn'], to: 'cancelled', who: ['system'] },
  // Section 11.
  endWithoutBeacon: { from: ['sealed', 'drawn'], to: 'cancelled', who: ['system'] },
} as const satisfies Record<string, Transition>

export type OfferEvent = keyof typeof OFFER_EVENTS

const events = Object.entries<Transition>(OFFER_EVENTS)

export function allowedOfferMoves(): [from: OfferState | 'new', to: OfferState | 'deleted'][] {
  const pairs = events.flatMap(([, { from, to }]) => from.map((one) => `${one} ${to}`))
  return [...new Set(pairs)].map((pair) => pair.split(' ') as [OfferState | 'new', OfferState | 'deleted'])
}

/** Each event with each state that it leaves, for invariant I12. */
export const offerMovesAsSql = (): string =>
  events
    .flatMap(([event, { from, to }]) => from.map((one) => `('${event}', '${one}', '${to}')`))
    .join(',\n         ')

export function offerStatesAsTable(): string {
  const rows = events.map(([event, { from, to, guard, who }]) => [
    event,
    from.join(', '),
    to,
    guard ?? '',
    who.join(', '),
  ])
  const head = ['Event of a contest', 'From', 'To', 'Guard', 'Who']
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
