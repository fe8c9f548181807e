/**
 * The path of a request as it was sent. Clients may name the whole address, as proxies are asked (RFC 9112, 3.2.2), and
 * hostile ones send what no route can be; both become a path that the router can look up.
 */
export const pathOfTarget = ({ url = '/' }: { url?: string | undefined }): string => {
  if (url.startsWith('/')) return url
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? []
  return rest?.startsWith('/') ? rest : `/${rest ?? url}`
}

/** Line ends, encoded: links that were copied have one at their end, and no route of the pages matches a path with any. */
const LINE_ENDS = /%0a|%0d|%e2%80%a[89]/gi

/**
 * The one path of the page that a path leads to: one slash in front, none at the end, no line ends. Two slashes in front
 * name another host in a link or redirect, and no host at all in "//" or "//["; policy and links of the cart hold for
 * "/cart", not for "/cart/".
 * @param pathname as `URL` reads it: dots resolved, backslashes turned, since either may bring two slashes to the front
 */
export const onePagePath = (pathname: string): string =>
  pathname
    // First, since a line end may stand between two slashes.
    .replace(LINE_ENDS, '')
    .replace(/^\/+/, '/')
    // Looking back keeps a long run of slashes in the middle from being tried from each of its slashes.
    .replace(/(?<=[^/])\/+$/, '')
