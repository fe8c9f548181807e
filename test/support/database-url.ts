/** The same server, seen by the shop's role and another database. */
export function onDatabase(url: string, database: string, user = 'volant'): string {
  const address = new URL(url)
  address.username = user
  address.pathname = `/${database}`
  return address.href
}
