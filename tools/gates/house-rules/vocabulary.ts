/** A word that docs/words.md gives up, and what to write instead. */
export type Avoided = { pattern: RegExp; instead: string }

/** Texts that the specification quotes may say what our own texts do not. */
export const QUOTED_WORDS = new Set(['Je découvre les offres'])

/** A whole word, whatever letters a language has: \b knows only those of English. */
const word = (pattern: string, flags = 'iu'): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}@./_-])(?:${pattern})(?![\p{L}\p{N}@_])`, flags)

/** The words that people must not meet, by language. */
export const AVOIDED: Record<string, readonly Avoided[]> = {
  fr: [
    { pattern: word('offres?'), instead: 'concours' },
    { pattern: word('tickets?'), instead: 'billet' },
    { pattern: word('tu|toi|ton|tes'), instead: 'vous, votre' },
    { pattern: word('e?mails?|courriels?|mèl'), instead: 'e-mail' },
    { pattern: word('avec succès'), instead: 'the fact alone' },
    { pattern: word('checkout|shopping|login|loguer|digital|supporter'), instead: 'a French word' },
    { pattern: word('merci de'), instead: 'veuillez' },
    { pattern: word('prix à gagner|votre prix|réclame[rz] (?:le|son|votre) prix'), instead: 'lot' },
  ],
  nl: [
    { pattern: word('aanbiedingen|aanbieding'), instead: 'wedstrijd' },
    { pattern: word('tickets?|biljet|biljetten'), instead: 'lot, loten' },
    { pattern: word('(?<![}\\d] )u|uw'), instead: 'je, jouw' },
    { pattern: word('email|emails|emailadres|mailadres'), instead: 'e-mail, e-mailadres' },
    { pattern: word('winkelmand|winkelmandje|mandje'), instead: 'winkelwagen' },
    { pattern: word('reservatie|reservaties'), instead: 'reservering' },
    { pattern: word('succesvol|met succes'), instead: 'the fact alone' },
    { pattern: word('loterij|autoloterij'), instead: 'wedstrijd' },
    { pattern: word('platformen'), instead: 'platforms' },
    { pattern: word('deze account'), instead: 'dit account' },
  ],
  en: [
    { pattern: word('e-mails?'), instead: 'email' },
    { pattern: word('color|favorite|center|canceled|license plate'), instead: 'the British spelling' },
    { pattern: word('raffles?|lottery|lotteries'), instead: 'contest, draw' },
    { pattern: word('basket|shopping cart'), instead: 'cart' },
    { pattern: word('competitions?'), instead: 'contest' },
    { pattern: word('sign in|signed in|log on'), instead: 'log in' },
  ],
}
