/** Texts in contracts and responses: a field for each language of the shop (demand 3.2). */
import { LANGUAGES, type Language } from './languages.ts'
import {
  type FieldIn,
  type LocalizedText,
  type TextFields,
  type Translated,
  fieldIn,
  translation,
} from './localized-text.ts'

/** A value for each language. */
export function byLanguage<T>(make: (language: Language) => T): Record<Language, T> {
  return Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, T>
}

/** The text in each language; empty where a translation is missing. */
export const inEachLanguage = (text: LocalizedText): Record<Language, string> =>
  byLanguage((language) => translation(text, language))

/** A value for each field of a text. */
export function forFields<Field extends string, T>(
  field: Field,
  make: (language: Language) => T,
): TextFields<Field, T> {
  const fields = LANGUAGES.map((language) => [fieldIn(field, language), make(language)])
  return Object.fromEntries(fields) as TextFields<Field, T>
}

/** The fields of a text, for a response; empty where a translation is missing. */
export const textFields = <Field extends string>(field: Field, text: LocalizedText): TextFields<Field> =>
  forFields(field, (language) => translation(text, language))

/** The same of a text that may be missing: null where it is, or where a translation is. */
export const optionalTextFields = <Field extends string>(
  field: Field,
  text: LocalizedText | null,
): TextFields<Field, string | null> => forFields(field, (language) => text?.[language] || null)

/** A text from its fields. */
export const fromFields = <Field extends string>(field: Field, fields: Translated<Field>): LocalizedText => {
  const record = fields as Record<string, string | null | undefined>
  return byLanguage((language) => record[fieldIn(field, language)] ?? '')
}

/** Names of the fields of a text. */
export const fieldsOf = <Field extends string>(field: Field): FieldIn<Field, Language>[] =>
  LANGUAGES.map((language) => fieldIn(field, language))

/** A value for each field of a text whose names all end with a language: `{ alt_fr, alt_nl, alt_en }`. */
export function allFields<Prefix extends string, T>(
  prefix: Prefix,
  make: (language: Language) => T,
): Record<`${Prefix}_${Language}`, T> {
  const fields = LANGUAGES.map((language) => [`${prefix}_${language}`, make(language)])
  return Object.fromEntries(fields) as Record<`${Prefix}_${Language}`, T>
}
