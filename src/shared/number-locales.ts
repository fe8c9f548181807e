import type { Language } from './languages.ts'

/** Numbers and sums: "1 234,50 €", "€ 1.234,50", "€1,234.50". */
export const NUMBER_LOCALES: Record<Language, string> = { fr: 'fr-FR', nl: 'nl-NL', en: 'en-IE' }

/** Whether 1,50 is one and a half, so that a point may set thousands apart. */
export const hasDecimalComma = (language: Language): boolean =>
  new Intl.NumberFormat(NUMBER_LOCALES[language]).format(1.5).includes(',')
