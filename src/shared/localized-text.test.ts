import { describe, expect, test } from 'vitest'
import { LANGUAGES } from './languages.ts'
import { NO_TEXT, anyText, localized, storedText, textIn } from './localized-text.ts'
import { allFields, fieldsOf, fromFields, optionalTextFields, textFields } from './text-fields.ts'

const TITLE = { fr: 'Coupé rouge', nl: 'Rode coupé' }

test('an empty or missing translation falls back to the French text and its language [spec 3.11]', () => {
  expect(textIn(TITLE, 'nl')).toEqual({ text: 'Rode coupé', language: 'nl' })
  for (const text of [TITLE, { ...TITLE, en: '' }]) {
    expect(textIn(text, 'en')).toEqual({ text: 'Coupé rouge', language: 'fr' })
    expect(textIn(text, 'fr')).toEqual({ text: 'Coupé rouge', language: 'fr' })
  }
})

describe('the fields of a text', () => {
  test('are one for each language, the default one without a suffix [spec 3.2]', () => {
    expect(fieldsOf('title')).toEqual(['title', ...LANGUAGES.slice(1).map((language) => `title_${language}`)])
    const fields = textFields('title', TITLE)
    expect(Object.keys(fields)).toEqual(fieldsOf('title'))
    expect(fields).toMatchObject({ title: 'Coupé rouge', title_nl: 'Rode coupé', title_en: '' })
  })

  test('are null where a text, or its translation, may be missing', () => {
    expect(optionalTextFields('question', { fr: 'Un ?', nl: '' })).toMatchObject({
      question: 'Un ?',
      question_nl: null,
      question_en: null,
    })
    const none = { question: null, question_nl: null, question_en: null }
    expect(optionalTextFields('question', null)).toMatchObject(none)
    expect(optionalTextFields('question', NO_TEXT)).toMatchObject(none)
  })

  test('give the text again', () => {
    expect(storedText(fromFields('title', textFields('title', TITLE)))).toEqual(TITLE)
    expect(storedText(fromFields('title', { title: '', title_nl: null }))).toEqual(NO_TEXT)
    const fields = { title: 'Coupé rouge', title_nl: 'Rode coupé', title_en: '' }
    expect(localized(fields, 'title', 'nl').text).toBe('Rode coupé')
    expect(localized(fields, 'title', 'en')).toEqual({ text: 'Coupé rouge', language: 'fr' })
  })

  test('may all end with a language', () => {
    const fields = allFields('alt', (language) => language)
    expect(fields).toMatchObject({ alt_fr: 'fr', alt_nl: 'nl', alt_en: 'en' })
    expect(Object.keys(fields)).toEqual(LANGUAGES.map((language) => `alt_${language}`))
  })
})

test.each([
  [TITLE, 'en', 'Coupé rouge'],
  [{ fr: '', en: 'Red' }, 'nl', 'Red'],
  [{ fr: '', nl: '', en: 'Red' }, 'fr', 'Red'],
  [NO_TEXT, 'en', ''],
] as const)('staff read %j in %s as "%s"', (text, language, shown) =>
  expect(anyText(text, language)).toBe(shown),
)
