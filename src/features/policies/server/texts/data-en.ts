import { formatDuration } from '#i18n/duration.ts'
import { companyIn } from '#i18n/company.ts'
import { languageCookie } from '#shared/languages.ts'
import type { PolicyBlock } from '../../policies.contract.ts'
import { type PolicyFacts, facts, heading, list, text } from '../policy-facts.ts'

const privacy = (shop: PolicyFacts): PolicyBlock[] => {
  const { place, area, isBritish } = companyIn(shop, 'en')
  return [
    text(
      `${shop.companyName} is the controller of your data. We collect only what it takes to run the contests. We sell no data, build no advertising profiles and use no cookies for marketing or audience measurement.`,
    ),
    heading('data-kept', 'What we keep, why and for how long'),
    facts(
      [
        'Your account',
        'Username, email, phone number, language, partner code if any, and an irreversible fingerprint (hash) of your password. If we suspend the account: the reason and the dates. Basis: the contract. Until the account is closed. After a change of your email address also the former one, for 3 days, so that you can undo the change.',
      ],
      [
        'Your logins',
        'Browser and system used, start, last use and end of each login, to keep you logged in and to let you end logins that you do not recognise. Basis: the contract. A login ends after 7 days without use and after 30 days at the latest.',
      ],
      [
        'Your orders and payments',
        `Contents, answer given, amounts, billing country, country of your PayPal account and of your means of payment (for the VAT), dates and payment references. Basis: the contract, then the legal duty to keep accounts. Once your account is closed, and at the latest ${shop.keepOrderYears} years after the end of the year concerned, they name nobody any more. What PayPal tells us about a payment, name and email included, is erased after ${shop.keepNotificationDays} days. As long as tickets are reserved also an irreversible fingerprint (hash) of your internet connection, so that nobody reserves all of them.`,
      ],
      [
        'Your tickets',
        'Contest, number, date, bought or free. Basis: the contract and our legitimate interest in being able to prove that a draw was fair. As long as the order, and without your name once your account is closed.',
      ],
      [
        'Your favourites and reminders',
        'The contests that you marked and the reminders that you asked for, with the dates, to show them to you and to send you these emails. Basis: the contract; for reminders your consent, which you withdraw with one click in each of them. Until you remove them, at most 90 days after the draw, or until your account is closed.',
      ],
      [
        'Your entries by post',
        `Name, postal address, date of birth, email address if you gave one, answer, the dates and our decision, to give you a number and to keep to one entry per person. Basis: the contract and our legitimate interest in a fair contest. Erased ${shop.keepPostDays} days after the time for claiming the prize, which has passed ${shop.claimsEndAfterDays} days after the closing date, or ${formatDuration(shop.drawClaimMinutes * 60, 'en')} after the draw if that is later; if a contest is cancelled, ${shop.keepPostDays} days after that. The number, its proof and the decision stay, without you. The letter itself is destroyed at the same time.`,
      ],
      [
        'Exclusions',
        'The email address or PayPal payer id of whoever cannot take part because of our staff, or because they asked for it, the reason and the date. Basis: our legitimate interest in fair draws, or your request. Until the reason has ended. When your account is closed, only an irreversible fingerprint (hash) of the address stays, so that the exclusion goes on.',
      ],
      [
        'Your claim of a prize',
        `When you have won: name, address, phone, your confirmation that you are 18 and not excluded, that we saw a proof of identity (never a copy of it), and the day of the handover, to give you the prize. Basis: the contract. Name, address and phone are erased ${shop.keepClaimDays} days after the handover. Your first name and town, or a picture, are published only with your consent, which you can withdraw at any time on the page of the claim.`,
      ],
      [
        'Your objections',
        `What you tell us against an entry of a contest, and our answer. Basis: our legitimate interest in fair draws. Erased ${shop.keepClaimDays} days after the prize was awarded or the contest cancelled.`,
      ],
      [
        'Your messages',
        `Name, email and text, and our answers. Basis: our legitimate interest in answering you. Erased ${shop.keepMessageMonths} months after the last answer, or with your account. For one hour also an irreversible fingerprint (hash) of your internet connection, against floods of messages.`,
      ],
      [
        'The emails that we send',
        `Address, subject and text. Basis: the contract. Erased from our servers ${shop.keepEmailDays} days after sending, or when your account is closed.`,
      ],
      [
        'The winner’s identity',
        'Proof of identity and contact details, asked of the winner only. Basis: the contract and our legal duties. Until the prize has been handed over, except what the law tells us to keep.',
      ],
      [
        'Security log',
        `Successful and refused logins, changed passwords and email addresses, refused access, limits reached, downloads of your data and closed accounts: the time, the number of your account and an irreversible fingerprint (hash) of your internet connection, without your name or email. Basis: our legitimate interest in protecting your account. ${shop.keepSecurityDays} days, or until your account is closed.`,
      ],
      [
        'Notes of our team',
        'What we note about an order or a refund, as long as the order names you; about an incident, for 90 days. Basis: our legitimate interest in handling your request properly.',
      ],
      [
        'What our team does',
        'Who of our team looked at your account or changed something, when and why, with the number of your account and without your name or email. Basis: our legitimate interest in being able to prove who did what. This log cannot be changed; once your account is closed, its number stands for nobody.',
      ],
      [
        'Technical logs',
        'Time, page and duration of each request, without your name or email. Basis: our legitimate interest in a secure site. At most 30 days.',
      ],
    ),
    heading('data-shared', 'Who else receives them'),
    list(
      'PayPal, for the payment, under its own privacy policy. Its software is loaded in the cart only.',
      'Our hosting and email providers, who act on our instructions.',
      'Authorities, where the law requires it.',
    ),
    text(
      area === 'EEA'
        ? `The company is based ${place}. Any transfer outside of the European Economic Area has the safeguards that the law prescribes.`
        : `The company is based ${place}, whose level of protection the European Commission has recognised. Any transfer to another country has the safeguards that the law prescribes.`,
    ),
    heading('data-rights', 'Your rights'),
    text(
      `You can ask for access to your data, for correction, erasure, restriction of processing or portability, and object to processing based on our legitimate interest. Write to ${shop.contactEmail}: we answer within a month. Under “My data” you can yourself correct your email and phone number, download all that we keep about you and close your account.`,
    ),
    text(
      `You can complain to the data protection authority of your country: the CNIL in France, the APD/GBA in Belgium, the CNPD in Luxembourg, the AP in the Netherlands, the authority of your Land in Germany${isBritish ? ', the ICO in the United Kingdom' : ''}.`,
    ),
  ]
}

const cookies = (shop: PolicyFacts): PolicyBlock[] => [
  text(
    'We store in your browser only what the service you ask for needs. That is why we show no consent request. This is everything that the site stores:',
  ),
  heading('cookie-list', 'Cookies'),
  facts(
    [languageCookie(shop.publicUrl), 'The language that you chose. One year.'],
    ['sidebar_state', 'Whether the side menu is open or collapsed. 7 days.'],
  ),
  heading('storage-list', 'The browser’s local storage'),
  facts(
    ['access', 'Your access while you are logged in, renewed every 5 minutes. Erased when you log out.'],
    ['refresh', 'What renews that access, at most 30 days. Erased when you log out.'],
    [
      'session_expired',
      'That your session has expired, so that each tab leads back to where you were. Erased when you next log in.',
    ],
    ['billing_country', 'The billing country that you chose in the cart. Erased when you log out.'],
    ['contact_sent', 'When you last sent a message with the contact form. Erased when you log out.'],
    [
      'draw_register',
      'The key and the latest signed state of the register of draws that this browser has seen, and since when: so it notices if anything is changed afterwards. It says nothing about you. Erased when you log out.',
    ],
  ),
  heading('cache-storage-list', 'The browser’s cache storage'),
  facts(['page-language', 'The language of the last page, for the page that is shown without a connection.']),
  heading('session-storage-list', 'The tab’s storage, erased when you close it'),
  facts(
    [
      'volant-pending-order',
      'The order whose payment waits for its confirmation, so that you do not pay twice.',
    ],
    ['volant-notice', 'A message to be shown on the next page.'],
    [
      'volant-typed',
      'What you entered on a page that could not load, without passwords, until the next attempt.',
    ],
    ['react-router-scroll-positions', 'Where you were on a page, so that you come back to it.'],
  ),
  heading('others-storage', 'And elsewhere'),
  text(
    'In the cart, PayPal stores cookies of its own, needed for the payment and against fraud. Videos of the draws are plain links: the platforms store nothing until you open them.',
  ),
  text(
    'You can erase everything in your browser’s settings. You will then be logged out and your choices forgotten.',
  ),
]

/** Data protection and browser storage in English. */
export const dataEn = { privacy, cookies }
