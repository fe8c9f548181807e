import { createHash, createHmac, hkdfSync } from 'node:crypto'

export interface ResetTokens {
  /** The token of a link. */
  of(resetId: string): string
}

/**
 * The tokens of reset links, made from a link's id and the shop's secret whenever they are needed. So neither the
 * database nor a mail that waits in it holds one: there are the id and the token's hash.
 * @param secret SECRET_KEY
 */
export function resetTokens(secret: string): ResetTokens {
  // A key for this purpose alone, as for the access tokens.
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'volant password reset', 32))
  return { of: (resetId) => createHmac('sha256', key).update(resetId).digest('base64url') }
}

/** What is stored of a token. It is as random as a key, and needs no slow hash. */
export const resetTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
