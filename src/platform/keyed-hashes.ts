import {
  type BinaryToTextEncoding,
  type KeyObject,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto'

/** The shop's key, which makes everything, and the one before it, whose works are accepted while it is set (ADR 0105). */
export interface SecretKeys {
  /** SECRET_KEY: at least 32 characters. */
  secret: string
  /** SECRET_KEY_PREVIOUS. */
  previousSecret?: string | undefined
}

/** The one that makes first. */
export const acceptedSecrets = ({ secret, previousSecret }: SecretKeys): readonly [string, ...string[]] =>
  previousSecret === undefined ? [secret] : [secret, previousSecret]

/**
 * A separate key for each purpose, as an object: with a key in a buffer Node's HMAC takes six times as long.
 * @param secret SECRET_KEY
 */
const keyFor = (secret: string, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))

/** The keys of a purpose: the one that makes, then what is accepted beside it. */
export const keysFor = (keys: SecretKeys, purpose: string): readonly [KeyObject, ...KeyObject[]] => {
  const [present, ...others] = acceptedSecrets(keys)
  return [keyFor(present, purpose), ...others.map((secret) => keyFor(secret, purpose))]
}

/** Makes the function that hashes a text (HMAC with SHA-256) by the key of a purpose: without it nobody can. */
export function keyedHash(
  secret: string,
  purpose: string,
  encoding: BinaryToTextEncoding = 'base64url',
): (text: string) => string {
  const key = keyFor(secret, purpose)
  return (text) => createHmac('sha256', key).update(text).digest(encoding)
}

/** The stored form of a random token, or of one that a key made: none needs a slow hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether two texts are equal, in constant time. */
export const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(hashToken(one), hashToken(other))
