import { createTranslator } from 'use-intl'
import type { Language } from '#shared/languages.ts'
import type { MessageKey, Messages } from './keys.ts'

/** A language's catalogue is one chunk: a browser loads only the one of its page, the server loads all three. */
const LOADERS: Record<Language, () => Promise<{ default: Messages }>> = {
  fr: () => import('virtual:messages/fr'),
  nl: () => import('virtual:messages/nl'),
  en: () => import('virtual:messages/en'),
}

const loaded = new Map<Language, Messages>()

/** Loads a language before anything is rendered in it. */
export async function loadMessages(language: Language): Promise<void> {
  loaded.set(language, (await LOADERS[language]()).default)
}

/** The catalogue of a language that `loadMessages` has loaded. */
export function messagesOf(language: Language): Messages {
  const messages = loaded.get(language)
  if (!messages) throw new Error(`messages of ${language} are not loaded`)
  return messages
}

type Translate = (key: MessageKey, values?: Record<string, string | number>) => string

/** Texts outside components (page heads, faults of calls), in a loaded language. */
export function translatorOf(language: Language): Translate {
  return createTranslator({ locale: language, messages: messagesOf(language) }) as Translate
}
