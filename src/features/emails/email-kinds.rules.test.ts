import { expect, test } from 'vitest'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { EMAIL_KINDS, isEmailKind } from './email-kinds.rules.ts'

test.each(LANGUAGES)('each kind of email has words of its own in %s', (language) => {
  const words = EMAIL_KINDS.map((kind) => translate(language, `console.emailKinds.${kind}`))
  expect(words.filter((text) => text.trim() === '' || isEmailKind(text))).toEqual([])
  expect(new Set(words).size).toBe(EMAIL_KINDS.length)
})
