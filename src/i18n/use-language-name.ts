import type { Language } from '#shared/languages.ts'
import { languageName } from './language-name.ts'
import { useLanguage } from './translations.tsx'

/** What languages are called in the reader's. */
export function useLanguageName(): (of: Language) => string {
  const language = useLanguage()
  return (of) => languageName(of, language)
}
