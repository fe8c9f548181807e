import { type KeyObject, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT, decodeJwt, decodeProtectedHeader, errors } from 'jose'
import { isUuid } from '#platform/ids.ts'
import { type SecretKeys, isSame, keysFor } from '#platform/keyed-hashes.ts'
import { type LinkTokens, linkTokens } from '#platform/link-tokens.ts'
import type { Caller } from '#platform/http/request.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { emailLinksRepository } from './email-links.repository.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'

/** Life of an access token. */
const ACCESS_SECONDS = 300

/** Largest difference between the clocks of two machines (failure mode 26). */
const LEEWAY_SECONDS = 30

const ALGORITHM = 'HS256'
const PARTY = 'volant'
const TYPE = 'access'

export interface TokenSettings extends SecretKeys {
  clock?: Clock
}

export interface AccessTokens {
  issue(caller: Caller): Promise<string>
  /** @throws Refusal 401 `auth.tokenExpired` for our own expired token, else `auth.tokenInvalid` */
  read(token: string): Promise<Caller>
}

/** Tokens whose signature is cached as valid, which saves a check with each request. */
const CHECKED_MAX = 20_000

export function accessTokens({ clock = systemClock, ...keys }: TokenSettings): AccessTokens {
  const checked = new Map<string, { caller: Caller; untilMs: number }>()

  const accepted = keysFor(keys, 'volant access token')

  return {
    issue({ userId, sessionId }) {
      const issuedAt = Math.floor(clock().getTime() / 1000)
      return new SignJWT({ typ: TYPE, sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setSubject(String(userId))
        .setJti(randomUUID())
        .setIssuer(PARTY)
        .setAudience(PARTY)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_SECONDS)
        .sign(accepted[0])
    },
    async read(token) {
      const known = checked.get(token)
      if (known && clock().getTime() < known.untilMs) return known.caller
      if (!accepted.some((one) => isSigned(token, one))) throw tokenInvalid()
      const payload = parsed(token)
      const caller = callerFrom(payload)
      const untilMs = ((payload.exp ?? 0) + LEEWAY_SECONDS) * 1000
      if (clock().getTime() >= untilMs) {
        throw new Refusal('auth.tokenExpired', 401, 'errors.auth.tokenExpired')
      }
      if (checked.size >= CHECKED_MAX) checked.clear()
      checked.set(token, { caller, untilMs })
      return caller
    },
  }
}

/** Node's HMAC costs a tenth of the library's; in a hot sale nearly every buyer has a new token. */
function isSigned(token: string, key: KeyObject): boolean {
  const end = token.lastIndexOf('.')
  const signature = createHmac('sha256', key)
    .update(token.slice(0, Math.max(end, 0)))
    .digest('base64url')
  return isSame(token.slice(end + 1), signature)
}

function parsed(token: string): JWTPayload {
  try {
    const payload = decodeJwt(token)
    const { alg } = decodeProtectedHeader(token)
    const isOurs = alg === ALGORITHM && payload.iss === PARTY && payload.aud === PARTY
    const isDated = Number.isSafeInteger(payload.exp) && Number.isSafeInteger(payload.iat)
    if (isOurs && isDated && payload.nbf === undefined) return payload
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
  }
  throw tokenInvalid()
}

export const tokenInvalid = (): Refusal => new Refusal('auth.tokenInvalid', 401, 'errors.auth.tokenInvalid')

function callerFrom(payload: Record<string, unknown>): Caller {
  const { typ, sub, sid } = payload
  const userId = Number(sub)
  if (typ !== TYPE || !Number.isSafeInteger(userId) || userId < 1) throw tokenInvalid()
  if (typeof sid !== 'string' || !isUuid(sid)) throw tokenInvalid()
  return { userId, sessionId: sid }
}

export const newRefreshToken = (): string => randomBytes(32).toString('base64url')

/** The tokens of links for a new password; a reference is the id. */
export const resetTokens = (secret: string, previousSecret?: string): LinkTokens =>
  linkTokens({ secret, previousSecret }, 'volant password reset', {
    hashOf: (db, ref) => passwordResetsRepository(db).hashOf(ref),
    refOf: (db, hash) => passwordResetsRepository(db).refOf(hash),
  })

/** The tokens of links about addresses. A reference is the purpose and the id, and the token begins with the purpose. */
export const emailLinkTokens = (secret: string, previousSecret?: string): LinkTokens =>
  linkTokens(
    { secret, previousSecret },
    'volant email link',
    {
      hashOf: (db, ref) => emailLinksRepository(db).hashOf(ref.split('.')[1] ?? ''),
      refOf: (db, hash) => emailLinksRepository(db).refOf(hash),
    },
    (ref) => `${ref.split('.')[0]}.`,
  )
