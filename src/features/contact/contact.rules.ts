/** Whether a sender is blocked. @param blocked addresses and domains ("@example.com"), in any case */
export function isBlocked(email: string, blocked: readonly string[]): boolean {
  const address = email.toLowerCase()
  const domain = address.slice(address.lastIndexOf('@'))
  return blocked.some((one) => one.toLowerCase() === address || one.toLowerCase() === domain)
}
