import { formatDuration } from '#i18n/duration.ts'
import { PROMISES } from '#shared/promises.ts'
import type { PolicyBlock, PolicySummary } from '../../policies.contract.ts'
import { type PolicyFacts, facts, heading, list, summary, text } from '../policy-facts.ts'

/** Conditions of the contests in English, the free entry by post among them. */
export const contestsEn = (shop: PolicyFacts): PolicyBlock[] => [
  heading('contest', 'The contest'),
  list(
    'The page of each contest describes the prize and states the total number of tickets, the ticket price and the closing date. The number of tickets is fixed when the contest opens and is never raised.',
    'A contest ends on the closing date shown, by our site’s clock, even if not all tickets are sold.',
    `Dates and times are those of the time zone ${shop.timeZone}.`,
    'There is one winner per contest. Every ticket has the same chance of winning, however it was obtained: your chance is the number of your tickets divided by the number issued when the contest ends.',
  ),
  heading('question', 'The question'),
  text(
    'A contest may ask a general-knowledge question. Only a correct answer lets you buy a ticket; the answer is checked when you add to the cart and again when you pay.',
  ),
  heading('tickets', 'Buying tickets'),
  list(
    'To buy, you need an account. You choose how many tickets: at least one, and at most what is left.',
    shop.pricesIncludeVat
      ? 'Prices are in euros and include VAT, at a rate that depends on your billing country. The order summary shows the total and the VAT in it before you pay.'
      : 'Prices are in euros. VAT is added, at a rate that depends on your billing country; the order summary shows the price, the VAT and the total before you pay.',
    `As soon as you start the payment, your tickets are reserved for you for ${shop.holdMinutes} minutes. If you do not pay within that time, they go back on sale.`,
    'Payment goes through PayPal, which also offers other methods depending on your country. We neither see nor keep your bank details.',
    'Your numbers are issued once the payment is confirmed. Each number is unique in its contest, and numbers are given out in a random order that was fixed when the contest was created: nobody can choose or predict them.',
    'You will find your numbers under “My participations”, where each ticket can be downloaded as a PDF.',
  ),
  heading('free-entry', 'Entering free of charge by post'),
  text(
    'You can enter any contest without buying anything and without an account, by sending a letter or a card by ordinary post. Normal postage is all you pay. One free entry is allowed per person and per contest, one per envelope.',
  ),
  facts(['Address for free entries', shop.postalAddress]),
  text('Write legibly, in Latin letters:'),
  list(
    'your first name, last name, postal address and date of birth;',
    'the title of the contest that you are entering;',
    'your answer to the question, if the contest asks one: it must be correct;',
    'your email address, if you like: then you get your number by email.',
  ),
  text('Good to know:'),
  list(
    'Your letter must reach us on the day of the contest’s closing date at the latest. The date of receipt counts, not that of posting. You must be 18 on that day, and your address must be in a country in which we sell tickets.',
    'A contest can set some of its numbers aside for entries by post. How many is fixed when it opens and stands in the terms of the contest, on the page of its draw. These numbers are never sold; they are given out first, then those that are free for everybody. So a contest that is sold out still takes letters as long as some of them are left. If none are set aside, a contest whose numbers have all been given out takes neither purchases nor letters.',
    'When we register your letter, you get a number at once, in the same random order as the tickets that are bought. It has exactly the same chance of winning. We tell you the number by email, or by letter if you gave no email address, together with a proof that it was yours before the draw.',
    'We recognise whether somebody has entered already by name, address and date of birth, however they are written. If two entries are similar, one of us compares them and decides.',
    'A letter that is illegible, incomplete, late or one too many does not take part; we write to you why, if we can read your address. After an illegible or incomplete letter, or a wrong answer, you may write again. We do not return letters.',
    'If you have an account with the same confirmed email address, the number is shown under “My participations”.',
  ),
  heading('draw', 'The draw and the winner'),
  list(
    `The draw takes place after the contest has ended, at the time that the contest’s page names. You can follow it live there and on our video channel (${shop.videoUrl}) and our social media page (${shop.socialUrl}). All valid numbers take part, bought or free.`,
    'Before it, we publish the list of all entries, without names. Until the time named on the contest’s page, anybody can object to an entry that is missing or wrong. Then the list is sealed: nobody can change it any more, not even us.',
    'The winning number follows by a published calculation from the sealed list and from a public random value, which an independent beacon publishes at the time of the draw. Nobody can know or influence that value beforehand, not even us.',
    'Anybody can verify the draw: the contest’s page has all its files, checks them in your browser, and says how to check them without our site.',
    'If the random value is not published within the time that the terms of the draw name, or if no valid entry is left, the contest is cancelled.',
    `The winner must claim the prize within ${formatDuration(shop.drawClaimMinutes * 60, 'en')} of the draw, by the email that we send: its link leads to the claim page. A winner who has an account also finds it under “My participations”. A winner who entered by post without an email address gets a letter with a link and a code, and may also write back; the time then runs from the day on which we post that letter.`,
    'After that time, or if the winner is not an adult, is excluded by the terms or has broken these rules, the prize is forfeited. The reason is published, and another winner will be drawn in the same way from the other numbers of the sealed list.',
    'The winner shows proof of identity. The prize is handed over as described; the contest’s page says what applies to handover, registration and any costs. Personal taxes in the winner’s own country are for the winner.',
    'The result is published as a ticket number. We publish the winner’s first name and town, or a picture, only with their consent, which they can withdraw at any time.',
  ),
  heading('cancellation', 'If a contest is cancelled'),
  text(
    `If a contest has to be cancelled, there is no draw and all paid tickets are refunded in full within at most ${PROMISES.refundDays} days. You do not need to do anything. Any questions? ${shop.contactEmail}.`,
  ),
]

/** The rules on one screen in English. */
export const summaryEn = (shop: PolicyFacts): PolicySummary =>
  summary('In short', 'The chapters below say all of it, and they are what counts.', {
    cost: [
      'What it costs',
      shop.pricesIncludeVat
        ? 'Each contest names the price of a ticket, VAT included, and the number of tickets, which never rises.'
        : 'Each contest names the price of a ticket, VAT excluded, and the number of tickets, which never rises.',
    ],
    who: ['Who may take part', 'Adults from 18, one account each, where taking part is permitted.'],
    post: [
      'Free of charge by post',
      `One letter per person and contest, with the same chance, received by the closing date: ${shop.postalAddress}.`,
    ],
    draw: [
      'How the winner is drawn',
      'One winner from all valid numbers, by a public random value that nobody can know beforehand. Anybody can verify it.',
    ],
    claim: [
      'If you win',
      `You get an email. Claim the prize within ${formatDuration(shop.drawClaimMinutes * 60, 'en')} of the draw; after that, another winner is drawn.`,
    ],
    refund: [
      'Your money back',
      `A cancelled contest is refunded in full within ${PROMISES.refundDays} days. Otherwise an issued ticket is in principle not refunded.`,
    ],
    contact: ['Questions', `${shop.contactEmail}: answered within ${PROMISES.replyHours} hours.`],
  })
