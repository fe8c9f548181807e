import { EMAIL_MAX, looksLikeAddress } from '#shared/email-address.ts'

export const SUBJECT_MAX = 200

/** Attempts before an email fails for good; their pauses add up to a day. */
export const ATTEMPTS_MAX = 10

const FIRST_PAUSE_S = 15
const LONGEST_PAUSE_S = 6 * 3600

/** Seconds to wait after a failed attempt (from 1): 15, 60, 240, … and six hours at most. */
export const pauseAfter = (attempt: number): number =>
  Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 4 ** (attempt - 1))

/** Text for an email header: one line of at most `max` characters. */
export function headerText(text: string, max: number = SUBJECT_MAX): string {
  const line = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return Array.from(line).slice(0, max).join('').trim()
}

/** Whether it is one address that cannot break a header. More lenient than `readAddress`, for older accounts. */
export const isMailAddress = (address: string): boolean =>
  address.length <= EMAIL_MAX && looksLikeAddress(address)
