import type { Language } from '#shared/languages.ts'
import { useLanguage } from './translations.tsx'

/** What a language is called in another one: "néerlandais". */
export const languageName = (of: Language, language: Language): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(of) as string

/** What languages are called in the reader's. */
export function useLanguageName(): (of: Language) => string {
  const language = useLanguage()
  return (of) => languageName(of, language)
}
