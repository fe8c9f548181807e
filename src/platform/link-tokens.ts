import { sql } from 'kysely'
import type { Sql } from './database.ts'
import { type SecretKeys, acceptedSecrets, hashToken, isSame, keyedHash } from './keyed-hashes.ts'

/** Links of a kind. Each is stored with the hash of the token that it had then, and found by a reference. */
export interface StoredLinks {
  /** @returns undefined for a link that there is not */
  hashOf(db: Sql, ref: string): Promise<Buffer | undefined>
  /** @returns undefined for the hash of no link */
  refOf(db: Sql, hash: Buffer): Promise<string | undefined>
}

/** Tokens of links, computed from a reference and a key, so that the database has none that opens anything. */
export interface LinkTokens {
  /** By the present key. */
  of(ref: string): string
  /** For an email or a letter that is sent now: the token by the present key, which opens the link from now on. */
  made(db: Sql, ref: string): Promise<string>
  /** @returns the hash with which the link of a token is stored; undefined for a token of no link, or of a key that went */
  linkOf(db: Sql, token: string): Promise<Buffer | undefined>
}

/** @param prefix of the tokens, from the reference */
export function linkTokens(
  keys: SecretKeys,
  purpose: string,
  links: StoredLinks,
  prefix: (ref: string) => string = () => '',
): LinkTokens {
  const accepted = acceptedSecrets(keys).map((secret) => {
    const hash = keyedHash(secret, purpose)
    return (ref: string): string => prefix(ref) + hash(ref)
  })
  const [of] = accepted as [(ref: string) => string]
  return {
    of,
    async made(db, ref) {
      const token = of(ref)
      const [hash, stored] = [hashToken(token), await links.hashOf(db, ref)]
      if (stored && !stored.equals(hash)) await furtherTokens(db).add(hash, stored)
      return token
    },
    async linkOf(db, token) {
      const hash = hashToken(token)
      const stored = (await furtherTokens(db).linkOf(hash)) ?? hash
      const ref = await links.refOf(db, stored)
      const isAccepted = ref !== undefined && accepted.some((one) => isSame(one(ref), token))
      return isAccepted ? stored : undefined
    },
  }
}

const furtherTokens = (db: Sql) => ({
  async add(hash: Buffer, ofHash: Buffer): Promise<void> {
    await sql`INSERT INTO link_tokens (hash, of_hash) VALUES (${hash}, ${ofHash}) ON CONFLICT DO NOTHING`.execute(
      db,
    )
  },
  async linkOf(hash: Buffer): Promise<Buffer | undefined> {
    const { rows } = await sql<{
      of_hash: Buffer
    }>`SELECT of_hash FROM link_tokens WHERE hash = ${hash}`.execute(db)
    return rows[0]?.of_hash
  },
})

/** Deletes the tokens of links that were deleted. */
export async function deleteLinkTokens(db: Sql): Promise<void> {
  await sql`
    DELETE FROM link_tokens t
    WHERE NOT EXISTS (SELECT FROM password_resets WHERE token_hash = t.of_hash)
      AND NOT EXISTS (SELECT FROM email_links WHERE token_hash = t.of_hash)
      AND NOT EXISTS (SELECT FROM draw_claims WHERE token_hash = t.of_hash)`.execute(db)
}
