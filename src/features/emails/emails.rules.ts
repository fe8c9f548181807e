import { EMAIL_MAX, looksLikeAddress } from '#shared/email-address.ts'

/** Longest subject, in characters. */
export const SUBJECT_MAX = 200

/** How often an email is offered to the mail server before it is given up; the pauses below add up to a day. */
export const ATTEMPTS_MAX = 10

const FIRST_PAUSE_S = 15
const LONGEST_PAUSE_S = 6 * 3600

/**
 * Seconds to wait after a failed attempt: 15, 60, 240, … and six hours at most.
 * @param attempt how many attempts were made, at least 1
 */
export const pauseAfter = (attempt: number): number =>
  Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 4 ** (attempt - 1))

/**
 * Text for a header of an email: whatever could end its line becomes a space, and what is too long is cut.
 * @param max characters
 */
export function headerText(text: string, max: number = SUBJECT_MAX): string {
  const line = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return Array.from(line).slice(0, max).join('').trim()
}

/**
 * Whether an email may be addressed to it: one address, without anything that a header could be broken with. Not
 * the pattern of new addresses: accounts that are older than a rule of that get their receipts all the same.
 */
export const isMailAddress = (address: string): boolean =>
  address.length <= EMAIL_MAX && looksLikeAddress(address)
