/**
 * The address under which other sites find something of ours; addresses that are complete stay as they are. The path is
 * put behind our address as text: resolved, "//other.example/" would name another host.
 */
export const absolute = (publicUrl: string, pathOrAddress: string): string =>
  /^https?:\/\//.test(pathOrAddress) ? pathOrAddress : `${publicUrl}/${pathOrAddress.replace(/^\/+/, '')}`
