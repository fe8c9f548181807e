/** Encoded line ends, as in copied links. */
const LINE_ENDS = /%0a|%0d|%e2%80%a[89]/gi

/** A letter, a digit, "-", "_" or "~" that is encoded without need (RFC 3986, 2.3), another encoded sign, or a letter. */
const SIGNS = /%[\da-f]{2}|[A-Z]+/gi
const NEEDLESS = /^%(?:2d|3\d|[46][1-9a-f]|[57][\da]|5f|7e)$/i

/**
 * The one spelling of a page's path: small letters, encoded only where it must be, one slash in front (two name another
 * host in a redirect) and none at the end. @param pathname as `URL` reads it
 */
export const onePagePath = (pathname: string): string =>
  pathname
    // First, since a line end may be between two slashes.
    .replace(LINE_ENDS, '')
    .replace(SIGNS, (sign) => {
      if (!sign.startsWith('%')) return sign.toLowerCase()
      return NEEDLESS.test(sign) ? decodeURIComponent(sign).toLowerCase() : sign.toUpperCase()
    })
    .replace(/^\/+/, '/')
    // The lookbehind avoids quadratic time on a long run of slashes.
    .replace(/(?<=[^/])\/+$/, '')
