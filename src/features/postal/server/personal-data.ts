import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate } from '#i18n/server-translator.ts'
import type { PersonalDataSource, PersonalRecord } from '#platform/personal-data.ts'
import { type Language, localized } from '#shared/languages.ts'
import { shownDay, shownPostalNumber } from '../postal.rules.ts'
import { type EntryRow, eraseEntriesOf, postalRepository } from './postal.repository.ts'

/** What the post desk keeps about the owner of an account: entries with the address of the account, once confirmed. */
export const postalPersonalData: PersonalDataSource = {
  name: 'postal_entries',
  read: async (db, userId, language) => ({
    title: translate(language, 'postal.heading'),
    records: (await postalRepository(db).ofUser(userId)).map((entry) => recordOf(entry, language)),
  }),
  erase: eraseEntriesOf,
}

function recordOf(entry: EntryRow, language: Language): PersonalRecord {
  const say = (name: string): string => translate(language, `postal.${name}`)
  const { ticket_number: number, refusal, name, address, postcode, city, country, email, answer } = entry
  const decision =
    number === null
      ? say(`decisions.${refusal ?? 'illegible'}`)
      : padTicketNumber(number, entry.total_tickets)
  const place = [...(address ?? []), [postcode, city].filter(Boolean).join(' '), country ?? '']
  const facts: (readonly [string, string | null])[] = [
    [say('contest'), localized(entry, 'title', language).text],
    [say('decision'), decision],
    [say('received'), shownDay(entry.received_on)],
    [say('name'), name],
    [say('address'), place.filter(Boolean).join(', ')],
    [say('birth'), entry.date_of_birth && shownDay(entry.date_of_birth)],
    [say('email'), email],
    [say('answer'), answer],
  ]
  return {
    at: entry.registered_at.toISOString(),
    title: shownPostalNumber(entry.number),
    facts: facts.filter((fact): fact is readonly [string, string] => !!fact[1]),
    data: {
      id: entry.id,
      number: entry.number,
      offer: entry.slug,
      status: entry.status,
      refusal,
      ticket_number: number,
      name,
      address,
      postcode,
      city,
      country,
      date_of_birth: entry.date_of_birth,
      email,
      answer,
      language: entry.language,
      received_on: entry.received_on,
      registered_at: entry.registered_at.toISOString(),
    },
    path: `/post/entries/${entry.id}`,
  }
}
