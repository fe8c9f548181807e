/** Texts in every language of the shop: one value inside, a field for each language in calls and responses (demand 3.2). */
import { DEFAULT_LANGUAGE, type Language } from './languages.ts'

type Default = typeof DEFAULT_LANGUAGE

/** A translation that is missing has no key, or is empty. As in the domain `localized_text` of the database. */
export type LocalizedText = Readonly<Partial<Record<Language, string>> & Record<Default, string>>

/** A text that is given in every language. */
export type InLanguages = Readonly<Record<Language, string>>

/** The text in a language or, where it is missing, in the default one (demand 3.11), and the language it is in. */
export function textIn(text: LocalizedText, language: Language): { text: string; language: Language } {
  const own = text[language]
  return own ? { text: own, language } : { text: text[DEFAULT_LANGUAGE], language: DEFAULT_LANGUAGE }
}

/** The text in that language alone; empty where it is missing. */
export const translation = (text: LocalizedText, language: Language): string => text[language] ?? ''

/** As it is stored: without translations that are missing. */
export const storedText = (text: LocalizedText): LocalizedText =>
  Object.fromEntries(
    Object.entries(text).filter(([language, one]) => one !== '' || language === DEFAULT_LANGUAGE),
  ) as LocalizedText

/** Name of a field in a language: `title`, `title_nl`. */
export type FieldIn<Field extends string, L extends Language> = L extends Default ? Field : `${Field}_${L}`

/** `{ title, title_nl, title_en }` */
export type TextFields<Field extends string, T = string> = { [L in Language as FieldIn<Field, L>]: T }

/** The same as it may come from a caller who leaves translations out. */
export type Translated<Field extends string> = Record<Field, string> & {
  [L in Exclude<Language, Default> as `${Field}_${L}`]?: string | null | undefined
}

export const fieldIn = <Field extends string, L extends Language>(
  field: Field,
  language: L,
): FieldIn<Field, L> => (language === DEFAULT_LANGUAGE ? field : `${field}_${language}`) as FieldIn<Field, L>

/** `textIn` of a text in fields. */
export function localized<Field extends string>(
  fields: Translated<Field>,
  field: Field,
  language: Language,
): { text: string; language: Language } {
  const record = fields as Record<string, string | null | undefined>
  const own = record[fieldIn(field, language)]
  return own ? { text: own, language } : { text: record[field] ?? '', language: DEFAULT_LANGUAGE }
}

/** The text in the reader's language, else in the default one, else in any: for staff, whose drafts may lack each. */
export const anyText = (text: LocalizedText, language: Language): string =>
  textIn(text, language).text || Object.values(text).find((one) => one !== '') || ''

export const NO_TEXT: LocalizedText = { [DEFAULT_LANGUAGE]: '' }
