import { type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { textIn } from '#shared/localized-text.ts'
import { KEPT_DAYS } from '../favourites.rules.ts'
import { favouritesRepository, favouritesWrites, forgetOver } from './favourites.repository.ts'

/** Contests that somebody marked or wanted to be reminded of, until they have been over for a while. */
export const favouritesPersonalData = {
  name: 'favourites',
  columns: ['favourites.user_id', 'reminders.user_id'],
  async export(trx, { userId }, { say, word, when, language }) {
    const kept = (await favouritesRepository(trx).dataOf(userId)).map((row) => ({
      contest: textIn(row.titles, language).text,
      marked_at: isoOrNull(row.marked_at),
      reminders: row.reminders.map(({ kind, asked_at }) => ({ kind, asked_at: isoOrNull(asked_at) })),
    }))
    return [
      {
        name: 'favourites',
        data: kept,
        title: say('favourites.title'),
        blocks:
          kept.length === 0
            ? []
            : [
                {
                  heads: [say('contest'), say('favourites.marked'), say('favourites.reminders')],
                  rows: kept.map(({ contest, marked_at, reminders }) => [
                    contest,
                    when(marked_at),
                    reminders.map(({ kind }) => word('favourites.kinds', kind)).join(', '),
                  ]),
                },
              ],
        isRare: true,
      },
    ]
  },
  erase: async (trx, { userId }) => ({ rows: await favouritesWrites(trx).forget(userId) }),
  retain: {
    favourites: (db, _keep, limit) => forgetOver(db, 'favourites', KEPT_DAYS, limit),
    reminders: (db, _keep, limit) => forgetOver(db, 'reminders', KEPT_DAYS, limit),
  },
} satisfies PersonalDataSource
