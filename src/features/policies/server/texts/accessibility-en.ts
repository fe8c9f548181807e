import { PROMISES } from '#shared/promises.ts'
import { ACCESSIBILITY_UPDATED, type PolicyText, facts, list, text } from '../policy-facts.ts'

/** The accessibility statement in English. */
export const accessibilityEn: PolicyText = (shop) => ({
  title: 'Accessibility statement',
  lead: `${shop.brand} is for everybody: with a keyboard, with a screen reader, in large type or without animation. This is what we do for it, and what is still missing.`,
  updated: ACCESSIBILITY_UPDATED,
  sections: [
    {
      id: 'standard',
      title: 'The standard we aim at',
      blocks: [
        text(
          `This statement is about the site ${shop.publicUrl}, operated by ${shop.companyName}. We aim at level AA of the WCAG 2.2 guidelines and at the European standard EN 301 549, in the spirit of Directive (EU) 2019/882 (the European Accessibility Act).`,
        ),
        text(
          'We consider the site partially conformant: the points of section 4 are still missing or have not been verified.',
        ),
      ],
    },
    {
      id: 'measures',
      title: 'What the site offers you',
      blocks: [
        list(
          'Everything we have built works with a keyboard, including the gallery, its zoom and the choice of a quantity. The active element is always visible.',
          'Pages have headings and landmarks, pictures a text alternative in your language, fields a permanent label.',
          'Messages, errors and changes of price are announced to screen readers. An error message says which field it is about and how to correct it.',
          'Text stays readable on a screen 320 pixels wide, without scrolling sideways. Colours follow the light or dark theme of your device.',
          `While you pay, your tickets are reserved for ${shop.holdMinutes} minutes. The page warns you before the end; you can extend the reservation once, and your cart stays as it is in any case.`,
          'Animations stop where your device asks for it.',
          'The home page, the contests, the rules and our address can be read without JavaScript.',
        ),
      ],
    },
    {
      id: 'testing',
      title: 'How we check',
      blocks: [
        facts(
          [
            'Automatic check',
            'Before each update, axe-core examines the public pages and those of your account, in three languages, on a small and a large screen, light and dark. A single fault stops the update.',
          ],
          [
            'Journeys in a real browser',
            'A registration, a purchase and the sending of a message are repeated step by step, on a phone and on a computer.',
          ],
          [
            'Review',
            'We go through each page ourselves. This is a self-assessment: no independent body has confirmed it.',
          ],
        ),
      ],
    },
    {
      id: 'shortcomings',
      title: 'What is still missing',
      blocks: [
        list(
          'The site has not yet been tried by people with disabilities, nor from end to end with NVDA, JAWS, VoiceOver or TalkBack. An automatic check finds only part of the barriers.',
          'The payment window belongs to PayPal. We can neither check nor correct it.',
          'The draws are shown live on video platforms. They may lack captions and audio description: ask us for the result in writing.',
          'Logging in, buying and sending a message with the form need JavaScript.',
          'The PDFs (tickets and rules) are tagged and state their language, but have not been checked against the PDF/UA standard.',
        ),
      ],
    },
    {
      id: 'report',
      title: 'Reporting a barrier',
      blocks: [
        text(
          `Does a barrier stop you? Write to us with the contact form or at ${shop.contactEmail}: name the page, what you wanted to do and, if you like, the tool that you use. We reply within ${PROMISES.replyHours} hours and, where the barrier cannot be removed at once, look for another solution together with you.`,
        ),
      ],
    },
    {
      id: 'enforcement',
      title: 'If our answer is not enough',
      blocks: [
        text(
          'You can turn to the authority in charge of accessibility in your country or in the country where the operator is established. It will tell you which steps are open to you.',
        ),
      ],
    },
  ],
})
