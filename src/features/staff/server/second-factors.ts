import { type KeyObject, createHmac, randomBytes } from 'node:crypto'
import type { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { Secret, TOTP } from 'otpauth'
import QRCode from 'qrcode'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { type SecretKeys, keysFor } from '#platform/keyed-hashes.ts'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import type { SecondFactor } from '#shared/staff-session.ts'
import type { NewAuthenticator } from '../staff.contract.ts'
import { authenticatorSecrets } from './authenticator-secrets.ts'
import { type PasskeyRow, secondFactorsRepository } from './second-factors.repository.ts'

export interface SecondFactorsOptions extends SecretKeys {
  db: Database
  brand: string
  publicUrl: string
}

type RegistrationResponse = Parameters<typeof verifyRegistrationResponse>[0]['response']
type AuthenticationResponse = Parameters<typeof verifyAuthenticationResponse>[0]['response']

/** Much to keep for a process in which nobody uses a passkey. */
const webauthn = () => import('@simplewebauthn/server')

const STEP_SECONDS = 30
const RECOVERY_CODES = 10
/** 50 bits of five characters each, without those that look alike. */
const RECOVERY_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const RECOVERY_LENGTH = 10

export const codeWrong = (): Refusal => new Refusal('staff.codeWrong', 401, 'console.refusals.codeWrong')
const passkeyWrong = (): Refusal => new Refusal('staff.passkeyWrong', 401, 'console.refusals.passkeyWrong')
const passkeyKnown = (): Refusal => new Refusal('staff.passkeyKnown', 409, 'console.signIn.passkeyKnown')
const hasAuthenticator = (): Refusal =>
  new Refusal('staff.hasAuthenticator', 409, 'console.refusals.hasAuthenticator')

/** Passkeys (WebAuthn), time-based codes (RFC 6238) and recovery codes of staff. */
export function secondFactors({ db, brand, publicUrl, ...keys }: SecondFactorsOptions) {
  const factors = secondFactorsRepository(db)
  const secrets = authenticatorSecrets(keys)
  const recoveryKeys = keysFor(keys, 'volant recovery codes')
  const { hostname: rpID, origin } = new URL(publicUrl)
  const expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true }

  const totp = (label: string, base32: string): TOTP =>
    new TOTP({ issuer: brand, label, secret: Secret.fromBase32(base32), period: STEP_SECONDS, digits: 6 })

  const recoveryHash = (userId: number, code: string, key: KeyObject = recoveryKeys[0]): Buffer =>
    createHmac('sha256', key).update(`${userId}:${code}`).digest()

  /** @returns the time step of a right code; the present one and its two neighbours count */
  function stepOf(stored: Buffer, code: string): number | undefined {
    const base32 = secrets.decrypt(stored)?.plain
    if (base32 === undefined) return undefined
    const timestamp = nowMs()
    const delta = totp('', base32).validate({ token: code, timestamp, window: 1 })
    return delta === null ? undefined : Math.floor(timestamp / 1000 / STEP_SECONDS) + delta
  }

  /** @returns whether the code is right and was not used before */
  async function acceptCode(sql: Sql, userId: number, code: string): Promise<boolean> {
    const stored = await secondFactorsRepository(sql).authenticator(userId)
    const step = stored?.is_confirmed ? stepOf(stored.secret, code) : undefined
    return step !== undefined && (await secondFactorsRepository(sql).useStep(userId, step))
  }

  async function newRecoveryCodes(sql: Sql, userId: number): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      Array.from(randomBytes(RECOVERY_LENGTH), (byte) => RECOVERY_ALPHABET[byte % 32]).join(''),
    )
    await secondFactorsRepository(sql).replaceRecoveryCodes(
      userId,
      codes.map((code) => recoveryHash(userId, code)),
    )
    return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`)
  }

  async function verified(key: PasskeyRow, response: AuthenticationResponse, expectedChallenge: string) {
    const { verifyAuthenticationResponse: verify } = await webauthn()
    const { verified: isRight, authenticationInfo } = await verify({
      response,
      expectedChallenge,
      ...expected,
      credential: {
        id: key.id,
        publicKey: new Uint8Array(key.public_key),
        counter: key.counter,
      },
    }).catch(() => ({ verified: false, authenticationInfo: undefined }))
    return isRight && authenticationInfo && (await factors.usePasskey(key.id, authenticationInfo.newCounter))
  }

  return {
    /** @returns which of the two the code was @throws Refusal 401 `staff.codeWrong` */
    async acceptCodeOf(sql: Sql, userId: number, code: string): Promise<Exclude<SecondFactor, 'passkey'>> {
      if (isAuthenticatorCode(code) && (await acceptCode(sql, userId, code))) return 'code'
      // A hash cannot be made anew by another key.
      for (const key of recoveryKeys)
        if (await secondFactorsRepository(sql).useRecoveryCode(userId, recoveryHash(userId, code, key)))
          return 'recovery'
      throw codeWrong()
    },

    /**
     * A new authenticator, which opens nothing until its first code confirms it.
     * @throws Refusal 409 when there is a confirmed one
     */
    async startAuthenticator(trx: Trx, userId: number, email: string): Promise<NewAuthenticator> {
      const base32 = new Secret({ size: 20 }).base32
      if (!(await secondFactorsRepository(trx).setAuthenticator(userId, secrets.encrypt(base32))))
        throw hasAuthenticator()
      const uri = totp(email, base32).toString()
      const { modules } = QRCode.create(uri, { errorCorrectionLevel: 'M' })
      const rows = Array.from({ length: modules.size }, (_, row) =>
        Array.from({ length: modules.size }, (__, column) => (modules.get(row, column) ? '1' : '0')).join(''),
      )
      return { secret: base32, uri, qr: rows }
    },

    /** @throws Refusal 401 `staff.codeWrong`; 409 when it is confirmed, or was begun too long ago */
    async confirmAuthenticator(trx: Trx, userId: number, code: string): Promise<void> {
      const stored = await secondFactorsRepository(trx).authenticator(userId)
      if (stored?.is_confirmed) throw hasAuthenticator()
      if (!stored?.is_open)
        throw new Refusal('staff.authenticatorExpired', 409, 'console.refusals.authenticatorExpired')
      const step = stepOf(stored.secret, code)
      if (step === undefined) throw codeWrong()
      if (!(await secondFactorsRepository(trx).confirmAuthenticator(userId, stored.secret, step)))
        throw codeWrong()
    },

    newRecoveryCodes,

    /** Options for `startRegistration` of the browser's library. */
    async registrationOptions(person: { userId: number; email: string; name: string; sessionId: string }) {
      const present = await factors.passkeysOf(person.userId)
      const { generateRegistrationOptions } = await webauthn()
      const options = await generateRegistrationOptions({
        rpName: brand,
        rpID,
        userName: person.email,
        userDisplayName: person.name,
        userID: new TextEncoder().encode(`volant-${person.userId}`),
        attestationType: 'none',
        excludeCredentials: present.map(({ id, transports }) => ({ id, transports })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      await factors.addChallenge(options.challenge, person.sessionId)
      return options
    },

    /**
     * Checks a new passkey, and uses up its challenge.
     * @returns what stores it
     * @throws Refusal 401 `staff.passkeyWrong`; from what stores it, 409 `staff.passkeyKnown`
     */
    async register(
      person: { userId: number; sessionId: string },
      name: string,
      response: RegistrationResponse,
    ): Promise<(trx: Trx) => Promise<void>> {
      const expectedChallenge = (challenge: string) => factors.takeChallenge(challenge, person.sessionId)
      const { verifyRegistrationResponse: verify } = await webauthn()
      const { verified: isRight, registrationInfo } = await verify({
        response,
        expectedChallenge,
        ...expected,
      }).catch(() => ({ verified: false, registrationInfo: undefined }))
      if (!isRight || !registrationInfo) throw passkeyWrong()
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential
      const key = {
        id,
        user_id: person.userId,
        public_key: Buffer.from(publicKey),
        counter,
        transports,
        name,
      }
      return async (trx) => {
        if (!(await secondFactorsRepository(trx).addPasskey(key))) throw passkeyKnown()
      }
    },

    /** Options for `startAuthentication`. @param person null before a sign-in */
    async authenticationOptions(person: { userId: number; sessionId: string } | null) {
      const own = person ? await factors.passkeysOf(person.userId) : []
      const { generateAuthenticationOptions } = await webauthn()
      const options = await generateAuthenticationOptions({
        rpID,
        userVerification: 'required',
        allowCredentials: own.map(({ id, transports }) => ({ id, transports })),
      })
      await factors.addChallenge(options.challenge, person?.sessionId ?? null)
      return options
    },

    /**
     * @param attempt runs the check of the signature as an attempt of the passkey's owner, once the challenge has turned
     * out to be an open one of ours
     * @returns whose passkey it is
     * @throws Refusal 401 `staff.passkeyWrong`
     */
    async authenticate(
      person: { sessionId: string } | null,
      response: AuthenticationResponse,
      attempt: (userId: number, check: () => Promise<number>) => Promise<number>,
    ): Promise<number> {
      const key = typeof response?.id === 'string' ? await factors.passkey(response.id) : undefined
      const challenge = challengeOf(response)
      const isOpen =
        challenge !== undefined && (await factors.takeChallenge(challenge, person?.sessionId ?? null))
      if (!key || !challenge || !isOpen) throw passkeyWrong()
      return await attempt(key.user_id, async () => {
        if (!(await verified(key, response, challenge))) throw passkeyWrong()
        return key.user_id
      })
    },
  }
}

/** Recovery codes have letters. */
export const isAuthenticatorCode = (code: string): boolean => /^\d{6}$/.test(code)

export type SecondFactors = ReturnType<typeof secondFactors>

/** What the browser says it was asked; the signature over it is checked afterwards. */
function challengeOf(response: AuthenticationResponse): string | undefined {
  try {
    const data = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown
    }
    return typeof data.challenge === 'string' ? data.challenge : undefined
  } catch {
    return undefined
  }
}
