import { type RawBuilder, sql } from 'kysely'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'

/** Title of a contest; in French where it has none in the language. @param offers the table's name in the query */
export function titleIn(language: Language, offers = 'offers'): RawBuilder<string> {
  const title = sql<string>`${sql.ref(`${offers}.title`)}`
  return language === DEFAULT_LANGUAGE
    ? title
    : sql<string>`coalesce(nullif(${sql.ref(`${offers}.title_${language}`)}, ''), ${title})`
}
