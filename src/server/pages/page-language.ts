import { DEFAULT_LANGUAGE, isLanguage, type Language } from '#shared/languages.ts'

/** A year: the choice of a language stays (decisions, "Language"). */
export const LANGUAGE_MAX_AGE_S = 31_536_000

/**
 * The language of a page: `?lang=`, then the cookie, then French. What the browser prefers never switches it.
 * @returns `chosen` is true when the address asks for it, which is then remembered
 */
export function pageLanguage(
  asked: string | null,
  cookie: string | undefined,
): { language: Language; chosen: boolean } {
  if (isLanguage(asked)) return { language: asked, chosen: true }
  return { language: isLanguage(cookie) ? cookie : DEFAULT_LANGUAGE, chosen: false }
}
