/** The apostrophes, quotation marks, dots and spaces that docs/words.md asks for. */

const NO_BREAK = '\u00a0'

/** Texts that the specification quotes stay as it writes them, plain spaces and all (spec section 2, "Home page"). */
const QUOTED = new Set(['Une Collection de Rêve... à Gagner !', 'Prêt à gagner ?'])

const QUOTES: Record<string, readonly [open: string, close: string]> = {
  fr: [`«${NO_BREAK}`, `${NO_BREAK}»`],
  nl: ['‘', '’'],
  en: ['“', '”'],
}

/** A mark that ends a word or a sentence, not one inside an address or a list of signs. */
const FRENCH_MARK = String.raw`»|[:;!?](?=[\s)}<»]|$)`
const BEFORE_FRENCH_MARK = new RegExp(
  String.raw`(?<=[\p{L}\p{N})}>»])[ \u00a0\u202f]?(?=${FRENCH_MARK})`,
  'gu',
)

/** A text as it should be set in a language; what is right stays as it is. */
export function typeset(language: string, text: string): string {
  if (QUOTED.has(text)) return text
  const [open, close] = QUOTES[language] ?? ['"', '"']
  const set = text
    .replaceAll(/ {2,}/g, ' ')
    .trim()
    .replaceAll('…', '...')
    .replaceAll(/["„“]([^"„“”]*)["“”]/g, `${open}$1${close}`)
    .replaceAll("'", '’')
  return language === 'fr' ? frenchSpaces(set) : set
}

const frenchSpaces = (text: string): string =>
  text.replaceAll(BEFORE_FRENCH_MARK, NO_BREAK).replaceAll(/«[ \u202f]?(?!\u00a0)/g, `«${NO_BREAK}`)
