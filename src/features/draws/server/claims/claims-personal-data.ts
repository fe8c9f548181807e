import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { formatDateTime } from '#i18n/format.ts'
import type { Messages } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Person, PersonalDataSource } from '#platform/personal-data.ts'
import { textIn } from '#shared/localized-text.ts'
import { claimState } from '../../claims.rules.ts'
import { type ClaimRow, claimsRepository, claimsWrites, eraseOldClaims } from './claims.repository.ts'
import { claimEmailKeys } from './claims.ts'

/** The prizes that an account has won, and what it told to claim them. */
export const claimsPersonalData = {
  name: 'prize_claims',
  columns: [
    'draw_claims.address',
    'draw_claims.city',
    'draw_claims.country',
    'draw_claims.first_name',
    'draw_claims.name',
    'draw_claims.name_consent_at',
    'draw_claims.phone',
    'draw_claims.place',
    'draw_claims.postcode',
    'draw_recipients.user_id',
  ],
  async read(db, userId, language) {
    const say = (name: keyof Messages['drawClaims']['data']): string =>
      translate(language, `drawClaims.data.${name}`)
    const records = (await claimsRepository(db).ofCustomer(userId)).map((claim) => {
      const title = textIn(claim.titles, language).text
      const number = padTicketNumber(claim.number, claim.total)
      const state = claimState(claim)
      const address = addressOf(claim)
      const facts: [string, string][] = [
        [say('number'), number],
        [say('state'), translate(language, `drawClaims.states.${state}`)],
        [say('until'), `${formatDateTime(claim.until, 'UTC')} UTC`],
        ...(claim.name === null ? [] : [[say('name'), claim.name] as [string, string]]),
        ...(address === '' ? [] : [[say('address'), address] as [string, string]]),
        ...(claim.phone === null ? [] : [[say('phone'), claim.phone] as [string, string]]),
        [say('published'), claim.first_name === null ? say('no') : `${claim.first_name}, ${claim.place}`],
        [say('picture'), say(claim.picture_consent_at === null ? 'no' : 'yes')],
      ]
      return {
        at: claim.drawn_at.toISOString(),
        title,
        facts,
        data: {
          contest: title,
          number,
          state,
          until: claim.until.toISOString(),
          submitted_at: claim.submitted_at?.toISOString() ?? null,
          name: claim.name,
          address: claim.address,
          postcode: claim.postcode,
          city: claim.city,
          country: claim.country,
          phone: claim.phone,
          published_first_name: claim.first_name,
          published_place: claim.place,
          picture_consent_at: claim.picture_consent_at?.toISOString() ?? null,
          identity_seen_at: claim.identity_seen_at?.toISOString() ?? null,
          delivered_on: claim.delivered_on,
        },
        path: `/draws/${claim.offer_id}`,
      }
    })
    return { title: say('title'), records }
  },
  async erase(trx, { userId }: Pick<Person, 'userId'>) {
    const erased = await claimsWrites(trx).erasePerson(userId)
    return { rows: erased.length, emailKeys: erased.flatMap(claimEmailKeys) }
  },
  retain: { claims: (db, { keepClaimDays }, limit) => eraseOldClaims(db, keepClaimDays, limit) },
} satisfies PersonalDataSource

const addressOf = ({ address, postcode, city, country }: ClaimRow): string =>
  [...(address ?? []), [postcode, city].filter(Boolean).join(' '), country].filter(Boolean).join(', ')
