import { type Language, NUMBER_LOCALES } from '#shared/languages.ts'
import type { Remark } from '#draw-protocol/verify.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'

/** A number as it stands on tickets. @param total how many numbers there are; undefined without valid terms */
export const shownNumber = (number: number, total: number | undefined): string =>
  total === undefined ? String(number) : padTicketNumber(number, total)

/** An instant in UTC, to the second: "4 December 2026 at 19:00:00 UTC". @param time seconds since 1970, or ISO 8601 */
export function timeText(time: number | string, language: Language): string {
  const format = new Intl.DateTimeFormat(NUMBER_LOCALES[language], {
    dateStyle: 'long',
    timeStyle: 'medium',
    timeZone: 'UTC',
  })
  return `${format.format(new Date(typeof time === 'number' ? time * 1000 : time))} UTC`
}

/** The values of a remark as people read them: instants in words, and attempts, which the files count from 0, from 1. */
export const shownValues = (
  { time, attempt, ...values }: Remark['values'],
  language: Language,
): Record<string, string | number> => ({
  ...values,
  ...(time !== undefined && { time: timeText(time, language) }),
  ...(attempt !== undefined && { attempt: Number(attempt) + 1 }),
})
