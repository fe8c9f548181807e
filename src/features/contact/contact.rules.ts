/**
 * Whether an address may not write to us.
 * @param blocked addresses, and domains as "@example.com"; case does not matter
 */
export function isBlocked(email: string, blocked: readonly string[]): boolean {
  const address = email.toLowerCase()
  const domain = address.slice(address.lastIndexOf('@'))
  return blocked.some((one) => one.toLowerCase() === address || one.toLowerCase() === domain)
}
