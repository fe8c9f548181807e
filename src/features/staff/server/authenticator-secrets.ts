import { type KeyObject, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Database } from '#platform/database.ts'
import { type SecretKeys, keysFor } from '#platform/keyed-hashes.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface AuthenticatorSecrets {
  /** By the present key: nonce, tag and text. */
  encrypt(plain: string): Buffer
  /** @returns undefined for a secret of neither key */
  decrypt(stored: Buffer): { plain: string; isPresent: boolean } | undefined
}

/** Encrypts the secrets of authenticators (AES-256-GCM), and reads those of the previous key too. */
export function authenticatorSecrets(keys: SecretKeys): AuthenticatorSecrets {
  const accepted = keysFor(keys, 'volant authenticators')
  const [present] = accepted
  return {
    encrypt(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', present, nonce)
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    decrypt(stored) {
      for (const key of accepted) {
        const plain = opened(stored, key)
        if (plain !== undefined) return { plain, isPresent: key === present }
      }
      return undefined
    },
  }
}

function opened(stored: Buffer, key: KeyObject): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(stored.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const text = decipher.update(stored.subarray(NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString()
  } catch {
    return undefined
  }
}

export interface Renewal {
  /** Encrypted anew. */
  renewed: number
  /** By the present key already. */
  present: number
  /** Accounts whose secret neither key opens. */
  lost: string[]
  /** People with unused recovery codes, of either key: a hash does not tell. */
  withCodes: number
}

/** How many authenticators each key opens, and the accounts of those that none opens. */
export async function countAuthenticators(
  db: Database,
  keys: SecretKeys,
): Promise<{ present: number; previous: number; lost: string[] }> {
  const secrets = authenticatorSecrets(keys)
  const counts = { present: 0, previous: 0, lost: [] as string[] }
  for (const { email, secret } of await secondFactorsRepository(db).authenticators()) {
    const found = secrets.decrypt(secret)
    if (!found) counts.lost.push(email)
    else counts[found.isPresent ? 'present' : 'previous'] += 1
  }
  return counts
}

/** Encrypts the authenticators of the previous key by the present one, each by itself: a run that ends early loses nothing. */
export async function renewAuthenticators(db: Database, keys: SecretKeys): Promise<Renewal> {
  const secrets = authenticatorSecrets(keys)
  const factors = secondFactorsRepository(db)
  const renewal: Renewal = { renewed: 0, present: 0, lost: [], withCodes: await factors.withRecoveryCodes() }
  for (const { user_id: userId, email, secret } of await factors.authenticators()) {
    const found = secrets.decrypt(secret)
    if (!found) renewal.lost.push(email)
    else if (found.isPresent) renewal.present += 1
    else if (await factors.replaceSecret(userId, secret, secrets.encrypt(found.plain))) renewal.renewed += 1
  }
  return renewal
}
