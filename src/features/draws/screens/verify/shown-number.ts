import { padTicketNumber } from '#features/offers/offers.rules.ts'

/** A number as it stands on tickets. @param total how many numbers there are; undefined without valid terms */
export const shownNumber = (number: number, total: number | undefined): string =>
  total === undefined ? String(number) : padTicketNumber(number, total)
