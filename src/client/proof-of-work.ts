import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { Challenge } from 'altcha-lib/types'
import { translatorOf } from '#i18n/active-messages.ts'
import type { Language } from '#shared/languages.ts'
import { PROOF } from '#shared/proof-headers.ts'
import { clearToasts, toast } from './toast.ts'

/** Gives up on a device that needs more than ten times as long as expected. */
const LONGEST_MS = 20_000

const NOTICE = 'proof'

/**
 * Solves a challenge, about a second's work off the main thread, and shows that until the repeated call gets a
 * response.
 * @param repeat makes the refused call once more
 * @returns undefined without a solution
 */
export async function repeatWithProof(
  challenge: string,
  language: Language,
  repeat: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response | undefined> {
  toast.info(translatorOf(language)('frame.checkingMoment'), { id: NOTICE })
  try {
    const proof = await proofOf(challenge).catch(() => undefined)
    return proof === undefined ? undefined : await repeat({ [PROOF]: proof })
  } finally {
    clearToasts(NOTICE)
  }
}

async function proofOf(text: string): Promise<string | undefined> {
  const challenge = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/'))) as Challenge
  const solution = await solveChallenge({ challenge, deriveKey, timeout: LONGEST_MS })
  return solution ? btoa(JSON.stringify({ challenge, solution })) : undefined
}
