/**
 * The path of a request as it was sent. Clients may name the whole address, as proxies are asked (RFC 9112, 3.2.2), and
 * hostile ones send what no route can be; both become a path that the router can look up.
 */
export const pathOfTarget = ({ url = '/' }: { url?: string | undefined }): string => {
  if (url.startsWith('/')) return url
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? []
  return rest?.startsWith('/') ? rest : `/${rest ?? url}`
}

/**
 * The one path of the page that a path leads to: one slash in front, none at the end. Two in front name another host in
 * a link or redirect, and no host at all in "//" or "//["; policy and links of the cart hold for "/cart", not "/cart/".
 * @param pathname as `URL` reads it: dots resolved, backslashes turned, since either may bring two slashes to the front
 */
export const onePagePath = (pathname: string): string =>
  // Looking back keeps a long run of slashes in the middle from being tried from each of its slashes.
  pathname.replace(/^\/+/, '/').replace(/(?<=[^/])\/+$/, '')
