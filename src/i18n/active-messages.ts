import { _createCache, _createIntlFormatters, createTranslator } from 'use-intl'
import type { Language } from '#shared/languages.ts'
import type { MessageKey, Messages } from './keys.ts'

/** A catalogue: one file for each language. */
export type Catalogue = Record<Language, () => Promise<{ default: Partial<Messages> }>>

/** One object for each language, so that pages see messages that are loaded later. */
const loaded = new Map<Language, Messages>()

/** Must be awaited before anything is rendered with the messages. */
export async function loadMessages(language: Language, catalogue: Catalogue): Promise<void> {
  const { default: messages } = await catalogue[language]()
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
