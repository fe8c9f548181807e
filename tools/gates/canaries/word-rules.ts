import type { wordRules } from '../house-rules/word-rules.ts'
import type { HouseCanary } from './house-canary.ts'

const NO_BREAK = '\u00a0'
const catalogue = (language: string, messages: Record<string, string>): Record<string, string> => ({
  [`src/i18n/${language}/cart.json`]: JSON.stringify(messages),
})
const said = (words: string): string => `export const one = text('${words}')\n`
const TEXTS = 'src/features/policies/server/texts'

/** Breaches of the rules about words, beside texts that are right. */
export const WORD_CANARIES: Record<keyof typeof wordRules, HouseCanary> = {
  typography: {
    files: {
      ...catalogue('fr', {
        right: `C’est «${NO_BREAK}Aube${NO_BREAK}»${NO_BREAK}: 1${NO_BREAK}%, https://a.example/?b, !@#$`,
        quoted: 'Prêt à gagner ?',
        plain: 'Total : {total}',
        narrow: `Vide\u202f?`,
        tight: 'Oui!',
        quotes: '« Aube »',
        straight: "L'offre",
        dots: 'Chargement…',
        double: 'Un  mot',
        loose: ' un mot',
      }),
      ...catalogue('nl', {
        right: 'De auto’s: ‘Aube’?',
        curly: '"Aube"',
        german: '„Aube”',
        straight: "auto's",
      }),
      ...catalogue('en', { right: 'It’s “Aube”: you?', curly: 'The "Aube"' }),
      [`${TEXTS}/en.ts`]: said('It’s right') + said('A  gap'),
      [`${TEXTS}/data-fr.ts`]: said('C’est juste : voilà') + said('«Aube»'),
      'db/demo/contests/sport.ts': `export const a = { slug: "l'auto", nl: ["auto's"], fr: 'L’auto' }\n`,
    },
    findings: [
      ...['plain', 'narrow', 'tight', 'quotes', 'straight', 'dots', 'double', 'loose'].map(
        (key) => `src/i18n/fr/cart.json:1  cart.${key} is not typeset: npm run words`,
      ),
      'src/i18n/en/cart.json:1  cart.curly is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.curly is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.german is not typeset: npm run words',
      'src/i18n/nl/cart.json:1  cart.straight is not typeset: npm run words',
      'db/demo/contests/sport.ts:1  is not typeset, expected: auto’s',
      `${TEXTS}/data-fr.ts:2  is not typeset, expected: «${NO_BREAK}Aube${NO_BREAK}»`,
      `${TEXTS}/en.ts:2  is not typeset, expected: A gap`,
    ],
  },
  vocabulary: {
    files: {
      ...catalogue('fr', {
        right: 'Le concours qui vous offrira {offre}',
        a: 'Voir l’offre',
        quoted: 'Je découvre les offres',
      }),
      ...catalogue('nl', { right: 'Nog {hours} u, aanbod', a: 'Koop uw ticket' }),
      ...catalogue('en', { right: 'Email {color}', a: 'An E-mail' }),
      [`${TEXTS}/nl.ts`]: said('Je tickets') + "export const id = heading('tickets', 'Loten')\n",
      'db/demo/contests/sport.ts':
        "export const a = { en: { question: 'Which color?' }, fr: `${n} billets` }\n",
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.a says “offre”, write: concours',
      'src/i18n/en/cart.json:1  cart.a says “E-mail”, write: email',
      'src/i18n/nl/cart.json:1  cart.a says “ticket”, write: lot, loten',
      'src/i18n/nl/cart.json:1  cart.a says “uw”, write: je, jouw',
      'db/demo/contests/sport.ts:1  this text says “color”, write: the British spelling',
      `${TEXTS}/nl.ts:1  this text says “tickets”, write: lot, loten`,
    ],
  },
  plurals: {
    files: {
      ...catalogue('fr', {
        right: '{n, plural, one {# billet} other {# billets}}',
        exact: '{n, plural, =1 {un billet} other {# billets}}',
        none: '{n, plural, =0 {rien} one {un billet} other {# billets}}',
        lies: '{n, plural, one {un billet} other {# billets}}',
        lacks: '{a}{n, plural, other {# billets}}',
      }),
      ...catalogue('en', {
        right: '{n, plural, one {a ticket} other {# tickets}}',
        lacks: '{n, plural, other {#}}',
      }),
    },
    findings: [
      'src/i18n/fr/cart.json:1  cart.lies says one for none: write =1, or add =0',
      'src/i18n/fr/cart.json:1  cart.lacks has no words for one',
      'src/i18n/en/cart.json:1  cart.lacks has no words for one',
    ],
  },
}
