import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { SignJWT, errors, jwtVerify } from 'jose'
import type { Caller } from '#platform/http/request.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'

/** Life of an access token (decisions, "Tokens"). */
const ACCESS_SECONDS = 300

/** How far the clocks of two of our machines may differ (reliability, row 26). */
const LEEWAY_SECONDS = 30

const ALGORITHM = 'HS256'
const PARTY = 'volant'
const TYPE = 'access'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface TokenSettings {
  /** SECRET_KEY: at least 32 characters. */
  secret: string
  clock?: Clock
}

export interface AccessTokens {
  issue(caller: Caller): Promise<string>
  /** @throws Refusal 401 `auth.tokenExpired` for a token of ours that is too old, else `auth.tokenInvalid` */
  read(token: string): Promise<Caller>
}

/** Signs and reads access tokens (JWT, HS256). */
export function accessTokens({ secret, clock = systemClock }: TokenSettings): AccessTokens {
  // A key for this purpose alone: what else the secret signs can never pass for a token.
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'volant access token', 32))

  return {
    issue({ userId, sessionId, isStaff, isSuperuser }) {
      const issuedAt = Math.floor(clock().getTime() / 1000)
      return new SignJWT({ typ: TYPE, sid: sessionId, is_staff: isStaff, is_superuser: isSuperuser })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setSubject(String(userId))
        .setJti(randomUUID())
        .setIssuer(PARTY)
        .setAudience(PARTY)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_SECONDS)
        .sign(key)
    },
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          issuer: PARTY,
          audience: PARTY,
          requiredClaims: ['sub', 'sid', 'exp', 'iat', 'typ'],
          clockTolerance: LEEWAY_SECONDS,
          currentDate: clock(),
        })
        return callerFrom(payload)
      } catch (error) {
        if (error instanceof errors.JWTExpired)
          throw new Refusal('auth.tokenExpired', 401, 'errors.auth.tokenExpired')
        if (error instanceof errors.JOSEError) throw tokenInvalid()
        throw error
      }
    },
  }
}

/** The refusal for a token that is not one of ours, or that no longer stands for anything. */
export const tokenInvalid = (): Refusal => new Refusal('auth.tokenInvalid', 401, 'errors.auth.tokenInvalid')

function callerFrom(payload: Record<string, unknown>): Caller {
  const { typ, sub, sid, is_staff, is_superuser } = payload
  const userId = Number(sub)
  if (typ !== TYPE || !Number.isSafeInteger(userId) || userId < 1) throw tokenInvalid()
  if (typeof sid !== 'string' || !UUID.test(sid)) throw tokenInvalid()
  return { userId, sessionId: sid, isStaff: is_staff === true, isSuperuser: is_superuser === true }
}

/** A new refresh token: 256 random bits as text. */
export const newRefreshToken = (): string => randomBytes(32).toString('base64url')

/** What is stored of a refresh token. Random input needs no slow hash. */
export const refreshTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
