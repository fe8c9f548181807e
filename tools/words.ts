/**
 * `npm run words`: sets the apostrophes, quotation marks, dots and spaces of every catalogue as docs/words.md says. A
 * house rule checks them.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Language, QUOTES } from '#shared/languages.ts'

const NO_BREAK = '\u00a0'

/** Texts that the specification quotes (spec section 2, "Home page"). */
const QUOTED = new Set(['Une Collection de Rêve... à Gagner !', 'Prêt à gagner ?'])

/** A mark that ends a word or a sentence, not one inside an address or a list of signs. */
const FRENCH_MARK = String.raw`»|[:;!?](?=[\s)}<»]|$)`
const BEFORE_FRENCH_MARK = new RegExp(
  String.raw`(?<=[\p{L}\p{N})}>»])[ \u00a0\u202f]?(?=${FRENCH_MARK})`,
  'gu',
)

/** "Loading ...": the dots belong to the word. */
const SPACE_BEFORE_DOTS = /(?<=[\p{L}\p{N}»”’)])[ \u00a0]\.{3}/gu

/** ’ before a word that a later ’ ends, ’zo’, but neither ’s avonds nor ’t. */
const CLOSING_QUOTE_THAT_OPENS =
  /(?<=^|[\s(«“])’(?![nst]\b)(?=[^‘’]*(?:(?<=\p{L})’(?=\p{L})[^‘’]*)*’(?!\p{L}))/gu

/** A text as it should be set in a language; what is right stays as it is. */
export function typeset(language: Language, text: string): string {
  if (QUOTED.has(text)) return text
  const [open, close] = QUOTES[language]
  const set = text
    .replaceAll(/ {2,}/g, ' ')
    .trim()
    .replaceAll('…', '...')
    .replaceAll(SPACE_BEFORE_DOTS, '...')
    .replaceAll(/["„“]([^"„“”]*)["“”]/g, `${open}$1${close}`)
    .replaceAll("'", '’')
    .replaceAll(CLOSING_QUOTE_THAT_OPENS, '‘')
  return language === 'fr' ? frenchSpaces(set) : set
}

const frenchSpaces = (text: string): string =>
  text.replaceAll(BEFORE_FRENCH_MARK, NO_BREAK).replaceAll(/«[ \u202f]?(?!\u00a0)/g, `«${NO_BREAK}`)

type Tree = { [name: string]: string | Tree }

const typesetTree = (tree: Tree, language: Language): Tree =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      typeof node === 'string' ? typeset(language, node) : typesetTree(node, language),
    ]),
  )

if (import.meta.main) {
  const catalogues = path.resolve(import.meta.dirname, '../src/i18n')
  const files = readdirSync(catalogues, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    const place = path.join(catalogues, file)
    const before = readFileSync(place, 'utf8')
    const tree = typesetTree(JSON.parse(before) as Tree, path.dirname(file) as Language)
    const after = `${JSON.stringify(tree, null, 2)}\n`
    if (after !== before) {
      writeFileSync(place, after)
      console.log(`set src/i18n/${file}`)
    }
  }
}
