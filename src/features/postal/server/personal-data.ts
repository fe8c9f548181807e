import { formatDay } from '#i18n/format.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Person, PersonalDataSource } from '#platform/personal-data.ts'
import { textIn } from '#shared/localized-text.ts'
import { shownPostalNumber } from '../postal.rules.ts'
import { eraseEntriesOf, eraseOldEntries, postalRepository } from './postal.repository.ts'

/** The entries by post that belong to an account: its confirmed address was on the card. */
export const postalPersonalData = {
  name: 'postal_entries',
  columns: [
    'postal_corrections.reason',
    'postal_entries.address',
    'postal_entries.answer',
    'postal_entries.city',
    'postal_entries.country',
    'postal_entries.date_of_birth',
    'postal_entries.email',
    'postal_entries.language',
    'postal_entries.name',
    'postal_entries.person_key',
    'postal_entries.postcode',
    'postal_entries.postcode_key',
    'postal_entries.user_id',
    'postal_entries.words',
  ],
  async read(db, userId, language) {
    const say = (key: string): string => translate(language, `postal.${key}`)
    const entries = await postalRepository(db).ofCustomer(userId)
    const corrections = Map.groupBy(
      await postalRepository(db).corrections(entries.map(({ id }) => id)),
      ({ entry_id: id }) => id,
    )
    const records = entries.map((entry) => {
      const title = textIn(entry.titles, language).text
      const number =
        entry.ticket_number === null ? null : padTicketNumber(entry.ticket_number, entry.total_tickets)
      // Without the name of who corrected it, and what they wrote for the staff.
      const corrected = (corrections.get(entry.id) ?? []).map(({ at, fields }) => ({
        at: at.toISOString(),
        fields,
      }))
      const facts: [string, string][] = [
        [say('entry'), shownPostalNumber(entry.number)],
        [say('received'), formatDay(entry.received_on)],
        number === null
          ? [say('own.refused'), translate(language, `consolePost.reasons.${entry.refusal ?? 'illegible'}`)]
          : [say('own.number'), number],
        ...corrected.map(({ fields }): [string, string] => [
          say('own.corrected'),
          fields.map((field) => translate(language, `consolePost.change.fields.${field}`)).join(', '),
        ]),
      ]
      return {
        at: entry.registered_at.toISOString(),
        title,
        facts,
        data: {
          number: shownPostalNumber(entry.number),
          contest: title,
          status: entry.status,
          refusal: entry.refusal,
          ticket_number: number,
          name: entry.name,
          address: entry.address,
          postcode: entry.postcode,
          city: entry.city,
          country: entry.country,
          date_of_birth: entry.date_of_birth,
          email: entry.email,
          answer: entry.answer,
          language: entry.language,
          received_on: entry.received_on,
          registered_at: entry.registered_at.toISOString(),
          corrections: corrected,
        },
        path: `/post/entries/${entry.id}`,
      }
    })
    return { title: say('own.title'), records }
  },
  erase: (trx, { userId }: Pick<Person, 'userId'>) => eraseEntriesOf(trx, userId),
  retain: { postalEntries: (db, { keepPostDays }, limit) => eraseOldEntries(db, keepPostDays, limit) },
} satisfies PersonalDataSource
