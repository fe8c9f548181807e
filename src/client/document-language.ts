import { DEFAULT_LANGUAGE, isLanguage, type Language } from '#shared/languages.ts'

/** The language in which the server wrote the page. Not `lang`, which translators set to the reader's. */
export function documentLanguage(): Language {
  const { language } = document.documentElement.dataset
  return isLanguage(language) ? language : DEFAULT_LANGUAGE
}
