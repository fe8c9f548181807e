/**
 * The path of a request as it was sent. Clients may name the whole address, as proxies are asked (RFC 9112, 3.2.2), and
 * hostile ones send what no route can be; both become a path that the router can look up.
 */
export const pathOfTarget = ({ url = '/' }: { url?: string | undefined }): string => {
  if (url.startsWith('/')) return url
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? []
  return rest?.startsWith('/') ? rest : `/${rest ?? url}`
}
