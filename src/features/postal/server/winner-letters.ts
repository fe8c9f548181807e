/** The letter to a winner whose card has no email address. */
import { winnerByLetter } from '#features/draws/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { formatDuration } from '#i18n/duration.ts'
import { formatDateTime, formatDay } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Sql } from '#platform/database.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { envelopeLines } from '../postal.rules.ts'
import type { Letter } from './letter.ts'
import { postalRepository } from './postal.repository.ts'
import type { PostalShop } from './entrant-emails.ts'

export interface WinnerLetterShop extends PostalShop {
  /** Of the page on which a prize is claimed. */
  claimUrl: (language: Language) => string
}

interface Winner {
  offerId: number
  attempt: number
}

/** @param date of the letter @returns undefined for a winner who needs none */
export async function winnerLetter(
  db: Sql,
  winner: Winner,
  { shop, tokens, date }: { shop: WinnerLetterShop; tokens: LinkTokens; date: string },
): Promise<Letter | undefined> {
  const claim = await winnerByLetter(db, winner)
  const entry = claim?.postal_entry_id ? await postalRepository(db).byId(claim.postal_entry_id) : undefined
  if (!claim || !entry) return undefined
  const { language, name, address, postcode, city, country } = entry
  const number = padTicketNumber(claim.number, claim.total)
  const title = textIn(claim.titles, language).text
  const code = await tokens.made(db, `${winner.offerId}.${winner.attempt}`)
  const values = {
    title,
    number,
    code,
    drawn: formatDateTime(claim.drawn_at, shop.timeZone),
    claimTime: formatDuration(entry.claim_seconds ?? shop.drawClaimMinutes * 60, language),
    address: `${shop.companyName}, ${shop.companyAddress}`,
    email: shop.contactEmail,
    url: shop.claimUrl(language),
  }
  const say = (key: string): string => translate(language, `postal.winner.${key}`, values)
  return {
    message: {
      language,
      subject: say('subject'),
      greeting: translate(language, name === null ? 'postal.helloUnnamed' : 'postal.hello', {
        name: name ?? '',
      }),
      before: [say('won')],
      number,
      after: [say('time'), say('how'), say('byPost'), say('proof')],
      facts: [
        { name: translate(language, 'postal.contest'), text: title },
        { name: say('drawnOn'), text: values.drawn },
        { name: translate(language, 'postal.received'), text: formatDay(entry.received_on) },
      ],
      proof: {
        heading: say('claim'),
        text: say('secret'),
        values: [
          { name: say('page'), text: values.url },
          // In groups, as people type it; the page takes it without the spaces.
          { name: say('code'), text: code.replaceAll(/.{4}(?=.)/g, '$& ') },
        ],
        scan: say('scan'),
        url: `${values.url}#${code}`,
      },
    },
    to: envelopeLines({ name: name ?? '', address: address ?? [], postcode, city: city ?? '', country }),
    date,
    footer: [
      `${shop.companyName}, ${shop.companyAddress}, ${shop.contactEmail}`,
      translate(language, 'postal.rules', { url: shop.rulesUrl(language) }),
    ],
  }
}
