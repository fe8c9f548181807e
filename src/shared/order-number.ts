/** How people see an order number: "K7QM-2F9P". */
export const shownOrderNumber = (number: string): string => `${number.slice(0, 4)}-${number.slice(4)}`

/** The stored form of a number that somebody wrote; undefined for another text. */
export function readOrderNumber(text: string): string | undefined {
  const number = text.replace(/[\s#\p{Dash}\p{Cf}]/gu, '').toUpperCase()
  return /^[2-9A-HJKMNP-TV-Z]{8}$/.test(number) ? number : undefined
}
