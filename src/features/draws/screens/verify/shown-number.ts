import { padTicketNumber } from '#features/offers/offers.rules.ts'

/** A number as it stands on tickets. @param total how many numbers there are; undefined without valid terms */
export const shownNumber = (number: number, total: number | undefined): string =>
  total === undefined ? String(number) : padTicketNumber(number, total)

/** An instant in UTC, as times stand in the files. */
export const timeText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
