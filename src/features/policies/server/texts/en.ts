import { companyIn } from '#i18n/company.ts'
import { PROMISES } from '#shared/promises.ts'
import { type PolicyText, TERMS_UPDATED, facts, list, sentences, text } from '../policy-facts.ts'
import { contestsEn, summaryEn } from './contests-en.ts'
import { dataEn } from './data-en.ts'

/** "a company", "an association". */
const article = (noun: string): string => `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`

/** The rules in English. */
export const en: PolicyText = (shop) => {
  const company = companyIn(shop, 'en')
  return {
    title: 'Rules and legal information',
    lead: `The rules of our contests on ${shop.brand}, your rights and our promises, in plain words. They apply as soon as you use this site.`,
    updated: TERMS_UPDATED,
    summary: summaryEn(shop),
    sections: [
      {
        id: 'legal-notices',
        title: 'Legal notices',
        blocks: [
          ...(shop.demo
            ? [
                text(
                  'This is a demonstration: the company and the addresses below are invented, no payment is real and there is no car to be won. Please do not send anything by post yet.',
                ),
              ]
            : []),
          text(
            `The site ${shop.publicUrl} (“${shop.brand}”) is published and operated by ${article(company.form)} registered ${company.place}, which runs the contests.`,
          ),
          facts(
            ['Company', shop.companyName],
            [company.numberName, shop.companyNumber],
            ['Register', company.register],
            ['Registered office', shop.companyAddress],
            ['VAT number', shop.vatNumber],
            ['Supervisory authority', company.authority],
            ['Email', shop.contactEmail],
          ),
          text(
            `If you have a question or a complaint, write to us with the contact form or by email: we answer within ${PROMISES.replyHours} hours.`,
          ),
        ],
      },
      {
        id: 'purpose',
        title: 'Purpose',
        blocks: [
          text(
            `${shop.brand} runs contests in which the prize is usually a car. Each contest has a number of tickets fixed in advance, a ticket price, a closing date and a single winner.`,
          ),
          text(
            'These rules set out how you may use the site and take part in the contests. You accept them by opening an account, buying a ticket or entering by post. The version that counts for you is the one published when you enter.',
          ),
        ],
      },
      {
        id: 'terms-of-use',
        title: 'Terms of use',
        blocks: [
          list(
            'The site and the contests are for adults: you must be at least 18. We check the winner’s age and identity before handing over the prize.',
            'Registration is free. Each person opens one account, in their own name, with details that are correct and up to date.',
            'Your password is personal. Tell us at once if you think somebody else is using it.',
            'You enter for yourself. Multiple accounts, robots, false identities and any attempt to distort a draw are forbidden.',
            'The contests are for people who live in a country where taking part is permitted. Check what applies in your country before you enter.',
            'Directors and employees of the company, and members of their households, do not take part, neither by buying nor by post. Nor do people who have asked us to exclude them. Tickets bought before that stay valid. Our site refuses the accounts of all these people, their entries by post and payments from their PayPal accounts; money that was taken all the same is refunded in full and gives no tickets.',
          ),
          text(
            'In case of fraud or a serious breach we may suspend an account after telling you why; you can reply by email. Tickets bought in good faith stay in the draw or are refunded.',
          ),
          text(
            'You can close your account yourself, under “My data”, or by writing to us, as soon as no order, refund or contest of yours is under way, or earlier if you give up your tickets. Spend only what you can afford: a contest should stay fun.',
          ),
        ],
      },
      {
        id: 'contests',
        title: 'Contest conditions',
        blocks: contestsEn(shop),
      },
      {
        id: 'intellectual-property',
        title: 'Intellectual property',
        blocks: [
          text(
            `The name ${shop.brand} and the site’s texts, pictures, design and software belong to the company or are used with their owners’ permission. You may view them, share them by a link and print these rules for yourself; any other use needs our written permission.`,
          ),
          text(
            'Car makes and model names belong to their owners. We use them to describe the prize; it does not mean that those makers run or sponsor the contest.',
          ),
        ],
      },
      { id: 'data-protection', title: 'Data protection', blocks: dataEn.privacy(shop) },
      { id: 'cookies', title: 'Cookies and local storage', blocks: dataEn.cookies(shop) },
      {
        id: 'liability',
        title: 'Liability',
        blocks: [
          text(
            'We answer for the proper running of the contests, for keeping your tickets safe and for handing over the prize as described. We take care that the site is available, but cannot promise that it always is.',
          ),
          list(
            'We are not liable for failures beyond our control: your connection, your device, the post, the payment service or the video platforms. An interrupted payment is never lost: either your tickets are issued or the money is refunded to you.',
            'Events beyond anyone’s control may delay a draw. If so, we say so on the contest’s page.',
            'Sites that we link to have rules of their own.',
          ),
          text(
            'Nothing in these rules excludes or limits our liability where the law forbids it: death or personal injury caused by our negligence, fraud, and consumers’ mandatory rights.',
          ),
        ],
      },
      {
        id: 'applicable-law',
        title: 'Applicable law',
        blocks: [
          sentences(
            `These rules are governed by ${company.law}. If you are a consumer, you keep the protection of the mandatory rules of the country where you live and may go to its courts.`,
            company.courts === undefined
              ? undefined
              : `In other disputes the ${company.courts} have jurisdiction.`,
          ),
          text(
            `Before going to court, write to us at ${shop.contactEmail}: we look for an amicable solution. If a clause proves void, the others remain valid. The rules exist in French, Dutch and English; in case of doubt, the reading most favourable to the consumer prevails.`,
          ),
        ],
      },
      {
        id: 'refunds',
        title: 'Refunds',
        blocks: [
          text(
            'A ticket that has been issued takes part in the draw, and its price is in principle not refunded. We do refund you in full, VAT included and at no charge, in these cases:',
          ),
          list(
            `Cancelled contest: all paid tickets are refunded within at most ${PROMISES.refundDays} days of the announcement.`,
            'Payment received when the tickets can no longer be issued: the money is refunded without your having to ask.',
            'Payment received twice for the same order: the second one is refunded.',
            'Order placed on your account by somebody else: write to us, we look into each case.',
          ),
          text(
            'Refunds go to the means of payment that was used for the purchase. Refunded numbers leave the draw and are never given to anyone else.',
          ),
          text(
            `The mandatory rights that the law of your country gives you, including any right of withdrawal, remain untouched: write to ${shop.contactEmail} before the draw and give your order number.`,
          ),
        ],
      },
    ],
  }
}
