import { requireOpenSession } from '#features/accounts/server/index.ts'
import { type OfferRow, offersRepository, toOffer } from '#features/offers/server/index.ts'
import type { Database, Trx } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { textFields } from '#shared/text-fields.ts'
import {
  FAVOURITES_MAX,
  type Favourite,
  REMINDER_KINDS,
  type ReminderKind,
  type Unsubscribing,
} from '../favourites.contract.ts'
import { remindersPossible } from '../favourites.rules.ts'
import { favouritesRepository, favouritesWrites } from './favourites.repository.ts'
import type { TokenSubject, UnsubscribeTokens } from './unsubscribe-tokens.ts'

export interface FavouritesDeps {
  db: Database
  clock: Clock
  tokens: UnsubscribeTokens
}

export function favouritesService({ db, clock, tokens }: FavouritesDeps) {
  /** Those of `kinds` that are still to come: the result until it is drawn, however late that is. */
  const stillToCome = (row: OfferRow, kinds: readonly ReminderKind[]): ReminderKind[] => {
    const possible = remindersPossible(toOffer(row), clock().getTime())
    return REMINDER_KINDS.filter(
      (kind) =>
        kinds.includes(kind) &&
        (possible.includes(kind) || (kind === 'result' && row.stopped_as !== 'cancelled')),
    )
  }

  /** Changes what an account keeps, one change at a time. @throws Refusal 401, 409 for too many contests */
  const change = <Result>({ caller, run }: { caller: Caller; run: (trx: Trx) => Promise<Result> }) =>
    transact(db, async (trx) => {
      const writes = favouritesWrites(trx)
      await writes.lockAccount(caller.userId)
      // Its closing ends the sessions.
      await requireOpenSession(trx, caller)
      const before = await writes.count(caller.userId)
      const result = await run(trx)
      const after = await writes.count(caller.userId)
      if (after > FAVOURITES_MAX && after > before)
        throw new Refusal('favourites.full', 409, 'errors.favourites.full', {
          values: { max: FAVOURITES_MAX },
        })
      return result
    })

  async function subjectOf(token: string): Promise<{ subject: TokenSubject; shown: Unsubscribing }> {
    const subject = tokens.read(token)
    const [offer] = subject ? await offersRepository(db).byIds([subject.offerId]) : []
    if (!subject || !offer) throw new Refusal('unsubscribe.invalid', 404, 'unsubscribe.invalid')
    return {
      subject,
      shown: { ...textFields('title', offer.titles), slug: offer.slug, kind: subject.kind },
    }
  }

  return {
    async list({ userId }: Caller): Promise<Favourite[]> {
      const kept = await favouritesRepository(db).ofAccount(userId, FAVOURITES_MAX)
      const rows = await offersRepository(db).byIds(kept.map(({ offer_id }) => offer_id))
      const offers = new Map(rows.map((row) => [row.id, row]))
      return kept.flatMap(({ offer_id, marked_at, reminders }) => {
        const row = offers.get(offer_id)
        if (!row) return []
        return [
          { offer: toOffer(row), isFavourite: marked_at !== null, reminders: stillToCome(row, reminders) },
        ]
      })
    },

    /** @throws Refusal 404, 409 */
    async mark(caller: Caller, offerId: number): Promise<void> {
      await requireOffer(db, offerId)
      await change({ caller, run: (trx) => favouritesWrites(trx).mark(caller.userId, offerId) })
    },

    unmark: (caller: Caller, offerId: number): Promise<void> =>
      change({ caller, run: (trx) => favouritesWrites(trx).unmark(caller.userId, offerId) }),

    /** @param kinds those wanted from now on @throws Refusal 404; 409 for one whose time is past */
    async remind(caller: Caller, offerId: number, kinds: readonly ReminderKind[]): Promise<ReminderKind[]> {
      const row = await requireOffer(db, offerId)
      const possible = remindersPossible(toOffer(row), clock().getTime())
      return change({
        caller,
        async run(trx) {
          const present = await favouritesRepository(trx).remindersOf(caller.userId, offerId)
          const isPast = kinds.some(
            (kind) => !possible.includes(kind) && !present.some((one) => one.kind === kind),
          )
          if (isPast) throw new Refusal('reminder.past', 409, 'errors.favourites.past')
          await favouritesWrites(trx).setReminders(caller.userId, offerId, kinds)
          const told = present.filter(({ isTold }) => isTold).map(({ kind }) => kind)
          return stillToCome(
            row,
            kinds.filter((kind) => !told.includes(kind)),
          )
        },
      })
    },

    stopReminders: (caller: Caller): Promise<void> =>
      change({ caller, run: (trx) => favouritesWrites(trx).stopReminders(caller.userId) }),

    /** What a link is for. @throws Refusal 404 for a token that no key of the shop made */
    readLink: async (token: string): Promise<Unsubscribing> => (await subjectOf(token)).shown,

    /** Ends all reminders of the account that a link was sent to; may be repeated. @throws Refusal 404 */
    async unsubscribe(token: string): Promise<Unsubscribing> {
      const { subject, shown } = await subjectOf(token)
      await transact(db, (trx) => favouritesWrites(trx).stopReminders(subject.userId))
      return shown
    },
  }
}

async function requireOffer(db: Database, id: number): Promise<OfferRow> {
  const [row] = await offersRepository(db).byIds([id])
  if (!row) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  return row
}
