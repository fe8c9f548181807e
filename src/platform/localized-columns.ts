/** Conditions and values of columns of the domain `localized_text`. */
import { type RawBuilder, sql } from 'kysely'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'

/**
 * The text in a language, else in the default one (demand 3.11).
 * @param column its name in the query, such as `o.titles`
 * @param language itself, or a column that has it
 */
export function textOf(column: string, language: Language | RawBuilder<string>): RawBuilder<string> {
  const texts = sql.ref(column)
  return sql<string>`coalesce(${texts} ->> ${language}::text, ${texts} ->> ${sql.lit(DEFAULT_LANGUAGE)})`
}

/** Whether the text has a pattern (`likeText`) in any language. */
export const anyTextLike = (column: string, pattern: string): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT FROM jsonb_each_text(${sql.ref(column)}) AS text WHERE text.value ILIKE ${pattern})`

/** Whether `text` is what the column says in one of its languages. */
export const anyTextIs = (column: string, text: RawBuilder<string>): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT FROM jsonb_each_text(${sql.ref(column)}) AS text WHERE text.value = ${text})`
