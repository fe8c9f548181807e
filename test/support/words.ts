import type { MessageKey } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { sized } from './tier.ts'

/** The languages in which a behaviour is tested: French alone in the short form of the tests. */
export const TESTED_LANGUAGES = sized<readonly Language[]>({ short: ['fr'], extended: LANGUAGES })

/** Texts of the interface by key. Tests write out the texts that the specification quotes, so that a change is noticed. */
export const words =
  (language: Language) =>
  (key: MessageKey, values: Record<string, string | number> = {}): string =>
    translate(language, key, values)

export type Words = ReturnType<typeof words>
