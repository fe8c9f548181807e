import type { MessageKey } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'

/**
 * Texts of the interface in a language, by their key. What the specification quotes is written out in a test instead,
 * so that it cannot change unnoticed.
 */
export const words =
  (language: Language) =>
  (key: MessageKey, values: Record<string, string | number> = {}): string =>
    translate(language, key, values)
