import { AsyncLocalStorage } from 'node:async_hooks'
import { hkdfSync } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Payload } from 'altcha-lib/types'
import type { FastifyInstance } from 'fastify'
import { type SecretKeys, acceptedSecrets } from '#platform/keyed-hashes.ts'
import { nowMs } from '#shared/clock.ts'
import { PROOF } from '#shared/proof-headers.ts'

/** How long a challenge can be solved, and its solution used. */
export const PROOF_SECONDS = 120

/** 256 tries on average, of a few milliseconds each on a phone; to verify takes one. */
const WORK = { algorithm: 'PBKDF2/SHA-256', cost: 5_000, keyLength: 32, keyPrefix: '00' } as const

/** A solution is shorter. */
const LONGEST = 2_000

const current = new AsyncLocalStorage<string>()

/** The proof of work that the caller has sent. */
export const sentProof = (): string | undefined => current.getStore()

export const withSentProof = <Result>(proof: string, run: () => Result): Result => current.run(proof, run)

/** Makes the header of a call readable by `sentProof`. */
export function readProofs(app: FastifyInstance): void {
  app.addHook('preValidation', ({ headers }, _reply, done) => {
    const proof = headers[PROOF]
    if (typeof proof === 'string') withSentProof(proof, done)
    else done()
  })
}

/** Challenges and solutions are texts for a header. Nothing of a challenge is stored: it is signed. */
export function proofsOfWork(keys: SecretKeys) {
  const signing = acceptedSecrets(keys).map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'volant proofs', 32)).toString('hex'),
  )
  return {
    async challenge(): Promise<string> {
      const expiresAt = Math.ceil(nowMs() / 1000) + PROOF_SECONDS
      return encode(
        await createChallenge({ ...WORK, deriveKey, expiresAt, hmacSignatureSecret: signing[0]! }),
      )
    },

    /** @returns what identifies the challenge of a right solution; undefined for a wrong, expired or forged one */
    async verified(sent: string | undefined): Promise<string | undefined> {
      const payload = sent === undefined || sent.length > LONGEST ? undefined : decode(sent)
      if (!payload) return undefined
      for (const hmacSignatureSecret of signing) {
        const verdict = await verifySolution({ ...payload, deriveKey, hmacSignatureSecret }).catch(
          () => undefined,
        )
        if (verdict?.verified) return payload.challenge.signature
      }
      return undefined
    },
  }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decode(text: string): Payload | undefined {
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload
    return typeof challenge.parameters === 'object' && typeof solution === 'object'
      ? { challenge, solution }
      : undefined
  } catch {
    return undefined
  }
}
