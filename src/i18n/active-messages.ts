import { _createCache, _createIntlFormatters, createTranslator } from 'use-intl'
import type { Language } from '#shared/languages.ts'
import type { MessageKey, Messages } from './keys.ts'
import type { CatalogueName } from './namespaces.ts'

type Load = () => Promise<{ default: Partial<Messages> }>

/** One file each: a browser loads those of its language and page, the server all. */
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
  address: {
    fr: () => import('virtual:messages/fr/address'),
    nl: () => import('virtual:messages/nl/address'),
    en: () => import('virtual:messages/en/address'),
  },
  link: {
    fr: () => import('virtual:messages/fr/link'),
    nl: () => import('virtual:messages/nl/link'),
    en: () => import('virtual:messages/en/link'),
  },
  purchase: {
    fr: () => import('virtual:messages/fr/purchase'),
    nl: () => import('virtual:messages/nl/purchase'),
    en: () => import('virtual:messages/en/purchase'),
  },
  orders: {
    fr: () => import('virtual:messages/fr/orders'),
    nl: () => import('virtual:messages/nl/orders'),
    en: () => import('virtual:messages/en/orders'),
  },
  sessions: {
    fr: () => import('virtual:messages/fr/sessions'),
    nl: () => import('virtual:messages/nl/sessions'),
    en: () => import('virtual:messages/en/sessions'),
  },
  demo: {
    fr: () => import('virtual:messages/fr/demo'),
    nl: () => import('virtual:messages/nl/demo'),
    en: () => import('virtual:messages/en/demo'),
  },
}

/** One object for each language, so that pages see messages that are loaded later. */
const loaded = new Map<Language, Messages>()

/** Must be awaited before anything is rendered with the messages. */
export async function loadMessages(language: Language, catalogue: CatalogueName = 'shop'): Promise<void> {
  const { default: messages } = await LOADERS[catalogue][language]()
  loaded.set(language, Object.assign(loaded.get(language) ?? ({} as Messages), messages))
  // A translator made before may lack the new messages.
  for (const made of translators.values()) made.clear()
}

function messagesOf(language: Language): Messages {
  const messages = loaded.get(language)
  if (!messages) throw new Error(`messages of ${language} are not loaded`)
  return messages
}

/** Shared, because Intl formats are expensive to make. */
const cache = _createCache()
const formatters = _createIntlFormatters(cache)

type Texts = Map<string | undefined, unknown>

/** By language and time zone. */
const translators = new Map<string, Texts>()

/** The translators of a language; always the same object. @param timeZone of dates */
export function textsOf(language: Language, timeZone = ''): Texts {
  const name = `${language} ${timeZone}`
  const texts = translators.get(name) ?? new Map<string | undefined, unknown>()
  translators.set(name, texts)
  return texts
}

/** The translator of a namespace, or of all. @param texts `textsOf` this language and time zone */
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

/** For texts outside components: page heads and failures of calls. */
export const translatorOf = (language: Language): Translate =>
  translatorIn(textsOf(language), language) as Translate
