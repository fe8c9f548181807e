/** The default first (spec section 1). */
export const LANGUAGES = ['fr', 'nl', 'en'] as const

export type Language = (typeof LANGUAGES)[number]

export const DEFAULT_LANGUAGE = 'fr' satisfies Language

/** Each in itself. */
export const LANGUAGE_NAMES: Record<Language, string> = { fr: 'Français', nl: 'Nederlands', en: 'English' }

/** The cookie's name. With https only this host can set it; over plain http browsers refuse such a name. */
export const languageCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-language' : 'language'

/** One year, in seconds. */
export const LANGUAGE_COOKIE_S = 31_536_000

/** Open Graph locales (spec section 2, "Every page"). */
export const LOCALES: Record<Language, string> = { fr: 'fr_FR', nl: 'nl_NL', en: 'en_GB' }

/** Numbers and sums: "1 234,50 €", "€ 1.234,50", "€1,234.50". */
export const NUMBER_LOCALES: Record<Language, string> = { fr: 'fr-FR', nl: 'nl-NL', en: 'en-IE' }

/** Whether 1,50 is one and a half, so that a point may set thousands apart. */
export const hasDecimalComma = (language: Language): boolean =>
  new Intl.NumberFormat(NUMBER_LOCALES[language]).format(1.5).includes(',')

/** What opens and closes a quotation (docs/words.md). */
export const QUOTES: Record<Language, readonly [open: string, close: string]> = {
  fr: ['«\u00a0', '\u00a0»'],
  nl: ['‘', '’'],
  en: ['“', '”'],
}

export const isLanguage = (value: unknown): value is Language => LANGUAGES.includes(value as Language)

/** The preferred language of the shop in an Accept-Language header, if any. */
export function preferredLanguage(acceptLanguage: string | undefined): Language | undefined {
  if (!acceptLanguage) return undefined
  const preferences = acceptLanguage.split(',', 20).map((part, index) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const quality = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find(Boolean)
    return { code: tag.slice(0, 2), weight: quality === undefined ? 1 : Number(quality), index }
  })
  preferences.sort((a, b) => b.weight - a.weight || a.index - b.index)
  return preferences.find((preference) => preference.weight > 0 && isLanguage(preference.code))?.code as
    | Language
    | undefined
}

/**
 * The language in which a browser would rather read the shop. @param preferred its languages, the preferred one first
 * @returns undefined where the page has it already, or the shop has none of them
 */
export function suggestedLanguage(preferred: readonly string[], page: Language): Language | undefined {
  const wanted = preferred.map((tag) => tag.toLowerCase().split('-', 1)[0]).find((code) => isLanguage(code))
  return wanted === page ? undefined : wanted
}
