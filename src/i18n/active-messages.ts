import { _createCache, _createIntlFormatters, createTranslator } from 'use-intl'
import type { Language } from '#shared/languages.ts'
import type { MessageKey, Messages } from './keys.ts'
import type { CatalogueName } from './namespaces.ts'

type Load = () => Promise<{ default: Partial<Messages> }>

/** Each is one file: a browser loads those of its language that its pages need, the server loads all. */
const LOADERS: Record<CatalogueName, Record<Language, Load>> = {
  shop: {
    fr: () => import('virtual:messages/fr/shop'),
    nl: () => import('virtual:messages/nl/shop'),
    en: () => import('virtual:messages/en/shop'),
  },
  home: {
    fr: () => import('virtual:messages/fr/home'),
    nl: () => import('virtual:messages/nl/home'),
    en: () => import('virtual:messages/en/home'),
  },
  account: {
    fr: () => import('virtual:messages/fr/account'),
    nl: () => import('virtual:messages/nl/account'),
    en: () => import('virtual:messages/en/account'),
  },
  purchase: {
    fr: () => import('virtual:messages/fr/purchase'),
    nl: () => import('virtual:messages/nl/purchase'),
    en: () => import('virtual:messages/en/purchase'),
  },
  demo: {
    fr: () => import('virtual:messages/fr/demo'),
    nl: () => import('virtual:messages/nl/demo'),
    en: () => import('virtual:messages/en/demo'),
  },
}

/** One object for each language for good: what is loaded later shows in the pages that already stand. */
const loaded = new Map<Language, Messages>()

/** Loads messages before anything is rendered with them. */
export async function loadMessages(language: Language, catalogue: CatalogueName = 'shop'): Promise<void> {
  const { default: messages } = await LOADERS[catalogue][language]()
  loaded.set(language, Object.assign(loaded.get(language) ?? ({} as Messages), messages))
  // One that was made before may lack what has come now.
  for (const made of translators.values()) made.clear()
}

/** The catalogue of a language that `loadMessages` has loaded. */
function messagesOf(language: Language): Messages {
  const messages = loaded.get(language)
  if (!messages) throw new Error(`messages of ${language} are not loaded`)
  return messages
}

/** Formats of numbers, dates and plurals: made anew by each translator, they would cost more than everything else. */
const cache = _createCache()
const formatters = _createIntlFormatters(cache)

/** The texts of one language by namespace, as far as somebody has asked for them. */
type Texts = Map<string | undefined, unknown>

/** By language and zone: a list shows the same few texts for each of its entries. */
const translators = new Map<string, Texts>()

/** What is known of a language by now; the same object for good. @param timeZone for the dates in texts */
export function textsOf(language: Language, timeZone = ''): Texts {
  const name = `${language} ${timeZone}`
  const texts = translators.get(name) ?? new Map<string | undefined, unknown>()
  translators.set(name, texts)
  return texts
}

/**
 * The translator of a namespace in a loaded language, of all of them when none is named.
 * @param texts where it is kept: `textsOf` this language and zone
 */
export function translatorIn(
  texts: Texts,
  language: Language,
  timeZone?: string,
  namespace?: string,
): unknown {
  const found = texts.get(namespace)
  if (found) return found
  const made = createTranslator({
    locale: language,
    messages: messagesOf(language),
    ...(timeZone !== undefined && { timeZone }),
    ...(namespace !== undefined && { namespace: namespace as 'offers' }),
    _cache: cache,
    _formatters: formatters,
  })
  texts.set(namespace, made)
  return made
}

type Translate = (key: MessageKey, values?: Record<string, string | number>) => string

/** Texts outside components (page heads, faults of calls), in a loaded language. */
export const translatorOf = (language: Language): Translate =>
  translatorIn(textsOf(language), language) as Translate
