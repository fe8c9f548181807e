import type { Language } from '#shared/languages.ts'

/** What a language is called in another one: "néerlandais". */
export const languageName = (of: Language, language: Language): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(of) as string
