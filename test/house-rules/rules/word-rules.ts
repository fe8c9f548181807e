import { type Language, isLanguage } from '#shared/languages.ts'
import { type ESTree, Visitor } from 'vite'
import { typeset } from '../../../tools/words.ts'
import { SOURCE_LANGUAGE, pluralsOf, readMessages } from './catalogue-rules.ts'
import { type Finding, type HouseRule, type Tree, lineAt, programOf } from './tree.ts'

/** A word that docs/words.md gives up, and what to write instead. */
type Avoided = { pattern: RegExp; instead: string }

/** Texts that the specification quotes may say what our own texts do not. */
const QUOTED_WORDS = new Set([
  'Je découvre les offres',
  'Available offers',
  'Loading offers...',
  'Offer ended',
  'Offer not found',
  'See Our Offers',
])

/** A whole word in any language; \b knows only English letters. */
const word = (pattern: string, flags = 'iu'): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}@./_-])(?:${pattern})(?![\p{L}\p{N}@_])`, flags)

/** The words that people must not meet, by language. */
const AVOIDED: Record<string, readonly Avoided[]> = {
  fr: [
    { pattern: word('offres?'), instead: 'concours' },
    { pattern: word('tickets?'), instead: 'billet' },
    { pattern: word('tu|toi|ton|tes'), instead: 'vous, votre' },
    { pattern: word('e?mails?|courriels?|mèl'), instead: 'e-mail' },
    { pattern: word('avec succès'), instead: 'the fact alone' },
    { pattern: word('checkout|shopping|login|loguer|digital|supporter'), instead: 'a French word' },
    { pattern: word('merci de'), instead: 'veuillez' },
    { pattern: word('base de données|requêtes?|notifications?'), instead: 'an everyday word' },
    { pattern: word('sessions?'), instead: 'connexion' },
    { pattern: word('mélangée?s?'), instead: 'au hasard, aléatoire' },
    { pattern: word('prix à gagner|votre prix|réclame[rz] (?:le|son|votre) prix'), instead: 'lot' },
    { pattern: word('hasard public|aléas?'), instead: 'valeur aléatoire publique' },
    { pattern: word('objections?'), instead: 'contestation' },
    { pattern: word('déchéances?|déchue?s?'), instead: 'perdre son droit au lot' },
    { pattern: word('par la poste'), instead: 'par courrier' },
    { pattern: word('balises?'), instead: 'source publique' },
    { pattern: word('quiconque|nul ne'), instead: 'toute personne qui, personne ne' },
  ],
  nl: [
    { pattern: word('aanbiedingen|aanbieding'), instead: 'wedstrijd' },
    { pattern: word('loten|lotnummers?|lotprijs|biljet|biljetten'), instead: 'ticket, tickets' },
    { pattern: word('database|geschudde?'), instead: 'an everyday word' },
    { pattern: word('sessies?'), instead: 'login, ingelogd' },
    { pattern: word('(?<![}\\d] )u|uw'), instead: 'je, jouw' },
    { pattern: word('email|emails|emailadres|mailadres'), instead: 'e-mail, e-mailadres' },
    { pattern: word('winkelmand|winkelmandje|mandje'), instead: 'winkelwagen' },
    { pattern: word('reservatie|reservaties'), instead: 'reservering' },
    { pattern: word('succesvol|met succes'), instead: 'the fact alone' },
    { pattern: word('loterij|autoloterij'), instead: 'wedstrijd' },
    { pattern: word('platformen'), instead: 'platforms' },
    { pattern: word('deze account'), instead: 'dit account' },
    { pattern: word('openbare? toeval|toevallige waarde'), instead: 'openbare toevalswaarde' },
    { pattern: word('bewijspakket'), instead: 'bewijsdossier' },
    { pattern: word('uitgereikt'), instead: 'overhandigd' },
    { pattern: word('bakens?'), instead: 'toevalsbron' },
    { pattern: word('toestand(?:en)?'), instead: 'status' },
    { pattern: word('voorbije'), instead: 'afgelopen' },
    { pattern: word('verzenden|verzonden'), instead: 'versturen, verstuurd' },
    { pattern: word('shops?|bladeren'), instead: 'winkel; regels' },
  ],
  en: [
    { pattern: word('e-mails?'), instead: 'email' },
    { pattern: word('color|favorite|center|canceled|license plate'), instead: 'the British spelling' },
    { pattern: word('raffles?|lottery|lotteries'), instead: 'contest, draw' },
    { pattern: word('basket|shopping cart'), instead: 'cart' },
    {
      pattern: word(
        'competitions?|(?:the|our|all|an|see|available|loading) offers?|offer (?:ended|not found)',
      ),
      instead: 'contest',
    },
    { pattern: word('databases?|shuffled'), instead: 'an everyday word' },
    { pattern: word('sign in|signed in|log on'), instead: 'log in' },
    { pattern: word('not even we'), instead: 'not even us' },
    { pattern: word('leaf|leaves of the log'), instead: 'line' },
  ],
}

/** Texts for people that are too long for a catalogue: `texts/contests-fr.ts`, `texts/fr.json`. */
const WRITTEN = [/\/server\/texts\/(?:[\w-]+-)?([a-z]{2})\.ts$/, /^db\/demo\/texts\/([a-z]{2})\.json$/]

type Written = { text: string; language: Language; at: string; key: string }

const catalogueTexts = (tree: Tree): Written[] =>
  readMessages(tree).flatMap(({ language, key, file, text }) =>
    isLanguage(language) ? [{ text, language, at: `${file}:1`, key }] : [],
  )

/** The long texts with their language, which the file's name ends with. */
const longTexts = (tree: Tree): Written[] =>
  tree.files.flatMap((file) => {
    const language = WRITTEN.map((one) => one.exec(file)?.[1]).find((one) => one !== undefined)
    if (!isLanguage(language)) return []
    const source = tree.read(file)
    const texts = file.endsWith('.json') ? jsonTexts(source) : textsIn(programOf(tree, file))
    return texts
      .filter(({ text }) => !NAME.test(text))
      .map(({ start, text }) => ({
        text,
        language,
        at: `${file}:${lineAt(source, start)}`,
        key: 'this text',
      }))
  })

/** The values of a JSON file that are texts. */
const jsonTexts = (source: string): { start: number; text: string }[] =>
  [...source.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].flatMap(({ index, 1: text = '', 2: colon }) =>
    colon === undefined ? [{ start: index, text: JSON.parse(text) as string }] : [],
  )

/** The literals below a node; an expression in a template counts as a word. */
function textsIn(node: ESTree.Node): { start: number; text: string }[] {
  const texts: { start: number; text: string }[] = []
  const root = { type: 'Program', body: [node], sourceType: 'module', hashbang: null } as unknown
  new Visitor({
    Literal(literal) {
      if (typeof literal.value === 'string') texts.push({ start: literal.start, text: literal.value })
    },
    TemplateLiteral(template) {
      texts.push({
        start: template.start,
        text: template.quasis.map((quasi) => quasi.value.cooked ?? '').join('{hole}'),
      })
    },
  }).visit((node.type === 'Program' ? node : root) as ESTree.Program)
  return texts
}

/** `{email}` is a name in the code, and `'free-entry'` one in an address: no words. */
const ARGUMENT = /\{\w+\}/g
/** Keeps a word on one line; what it joins is one word. */
const WORD_JOINER = '\u2060'
const NAME = /^[a-z][a-z-]*$/

/** The code of long texts sets their no-break spaces; the rest is theirs. */
const spacesApart = (text: string): string => text.replaceAll('\u00a0', ' ')

const looseTypography = (tree: Tree): Finding[] => [
  ...catalogueTexts(tree)
    .filter(({ language, text }) => typeset(language, text) !== text)
    .map(({ at, key }) => `${at}  ${key} is not typeset: npm run words`),
  ...longTexts(tree)
    .filter(({ language, text }) => spacesApart(typeset(language, text)) !== spacesApart(text))
    .map(({ at, text, language }) => `${at}  is not typeset, expected: ${typeset(language, text)}`),
]

const avoidedWords = (tree: Tree): Finding[] =>
  [...catalogueTexts(tree), ...longTexts(tree)]
    .filter(({ text }) => !QUOTED_WORDS.has(text))
    .flatMap(({ language, text, at, key }) =>
      (AVOIDED[language] ?? []).flatMap(({ pattern, instead }) => {
        const found = pattern.exec(text.replaceAll(ARGUMENT, '{}').replaceAll(WORD_JOINER, ''))?.[0]
        return found === undefined ? [] : [`${at}  ${key} says “${found}”, write: ${instead}`]
      }),
    )

const COUNT: Record<string, string> = {
  fr: String.raw`\d+|deux|trois|cinq|six|sept|dix|quatorze|quinze|trente|soixante`,
  nl: String.raw`\d+|twee|drie|vijf|zes|zeven|tien|veertien|dertig|zestig`,
  en: String.raw`\d+|two|three|five|six|seven|ten|fourteen|fifteen|thirty|sixty`,
}
const UNIT: Record<string, string> = {
  fr: 'minutes?|heures?|jours?|semaines?|mois',
  nl: 'minuten|minuut|uren|uur|dagen|dag|weken|week|maanden|maand',
  en: 'minutes?|hours?|days?|weeks?|months?',
}

/** Texts that may name a time, by their key, or the file of a long text without its language. */
const NAMED_TIMES: Record<string, string> = {
  'emails.link': 'chooses by the number that it is given',
  'emails.templates.addressChange.text': 'its constant is ANNUL_HOURS, which no setting changes',
  'errors.checkout.holdBudget': 'a limit for a rolling day, by its nature',
  'console.emails.approvalExpired.text': 'OPEN_DAYS of approvals, for staff alone',
  'console.stepUp.text': 'ten minutes of a step-up, for staff alone',
  'console.today': 'headings of charts',
  'consoleOrders.timeline.staff.expired': 'OPEN_DAYS of approvals, for staff alone',
  'consoleAlerts.noteHint': 'what is kept, for staff alone',
  'consoleAlerts.kinds': 'the conditions of alerts, for staff alone',
  'consoleAlerts.details.last_week': 'the heading of a figure',
  'consoleContests.sales.perDay': 'the heading of a figure',
  'consoleContests.checklist.warnings.littleTimeForPost': 'the condition of a warning, for staff alone',
  'consoleDraws.rehearsal.text': 'what is kept, for staff alone',
  'src/features/policies/server/texts/data':
    'lifetimes of sessions and of the cookie that the specification names',
}

/** A time that a text names itself, where two texts may come to name different ones. */
const namedTimes = (tree: Tree): Finding[] =>
  [...catalogueTexts(tree), ...longTexts(tree).filter(({ at }) => !at.startsWith('db/'))].flatMap(
    ({ language, text, at, key }) => {
      const pattern = new RegExp(
        `(?<![\\p{L}\\d{])(?:${COUNT[language]})[ \u00a0](?:${UNIT[language]})(?!\\p{L})`,
        'iu',
      )
      const found = pattern.exec(text)?.[0]
      const isKept = Object.keys(NAMED_TIMES).some((one) => [key, at].some((name) => name.startsWith(one)))
      return found === undefined || isKept
        ? []
        : [`${at}  ${key} names “${found}”: take it from a setting or a constant`]
    },
  )

/** Every language needs a text for one; French uses `one` for zero as well, so "un" would be wrong there. */
const wrongPlurals = (tree: Tree): Finding[] =>
  catalogueTexts(tree).flatMap(({ language, text, at, key }) =>
    pluralsOf(text).flatMap((branches) => {
      if (!branches.has('one') && !branches.has('=1')) return [`${at}  ${key} has no words for one`]
      const one = branches.get('one')
      const isWrong =
        language === SOURCE_LANGUAGE && one !== undefined && !one.includes('#') && !branches.has('=0')
      return isWrong ? [`${at}  ${key} says one for none: write =1, or add =0`] : []
    }),
  )

export const wordRules = {
  typography: { about: 'texts are set as docs/words.md says', check: looseTypography },
  vocabulary: { about: 'each thing has one name, and texts keep it', check: avoidedWords },
  times: { about: 'no text names a time that a setting or a constant decides', check: namedTimes },
  plurals: { about: 'plurals have words for one, and French ones for none', check: wrongPlurals },
} satisfies Record<string, HouseRule>
