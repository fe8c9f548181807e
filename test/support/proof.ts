import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Challenge, Payload } from 'altcha-lib/types'

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Does the work of a challenge, as the page does it. */
export async function solve(text: string): Promise<Payload> {
  const challenge = JSON.parse(Buffer.from(text, 'base64url').toString()) as Challenge
  return { challenge, solution: (await solveChallenge({ challenge, deriveKey }))! }
}

/** The value of the header `x-proof`. */
export const proofOf = async (text: string): Promise<string> => encoded(await solve(text))
