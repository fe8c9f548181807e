/** E-mail addresses, phone numbers, signed tokens, and the random tokens of sessions and links, wherever they stand. */
const SECRETS =
  /(?:[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-]))|(?:\beyJ[\w-]{8,}(?:\.[\w-]+){1,2}|(?<![\w-])[\w-]{43}(?![\w-])|\$argon2id\$[\w$=,+/]+)|(?:\+[1-9]\d{8,14}(?!\d))/gi

/**
 * Takes out of a line of the log what nobody should read there. What we write on purpose has none of it; the messages and
 * details of errors come from others, and may quote what was sent or stored.
 */
export const scrub = (line: string): string =>
  line.replace(SECRETS, (found) =>
    found.includes('@') ? '[e-mail]' : found.startsWith('+') ? '[phone]' : '[secret]',
  )
