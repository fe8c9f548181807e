import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

let list: ReadonlySet<string> | undefined

/** The list of tools/common-passwords.ts, read when it is first asked for. */
const commonPasswords = (): ReadonlySet<string> =>
  (list ??= new Set(
    brotliDecompressSync(readFileSync(new URL('common-passwords.br', import.meta.url)))
      .toString()
      .split('\n'),
  ))

/**
 * Whether everybody who guesses tries a password early: it is one of the best known, in any case, or one of them with
 * digits and signs at its end ("Password1!").
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase()
  return commonPasswords().has(lower) || commonPasswords().has(lower.replace(/[^\p{L}]+$/u, ''))
}
