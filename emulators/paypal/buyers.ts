import { createHash } from 'node:crypto'
import type { Payer } from './model.ts'

/** What an account does when its payment is captured. */
export type Behaviour =
  | 'pays'
  | 'declines'
  | 'acts'
  | 'isRefused'
  | 'meetsFault'
  | 'meetsUnknown'
  | 'pends'
  | 'hangs'
  | 'fails'
  | 'loses'
  | 'tampers'

/** Accounts a person can pick or type on the approval page; any other address simply pays. */
export const sentinelBuyers = {
  'buyer@buyer.test': 'pays',
  'declined@buyer.test': 'declines',
  'action@buyer.test': 'acts',
  'refused@buyer.test': 'isRefused',
  'restricted@buyer.test': 'meetsFault',
  'unknown@buyer.test': 'meetsUnknown',
  'pending@buyer.test': 'pends',
  'timeout@buyer.test': 'hangs',
  'http500@buyer.test': 'fails',
  'lost@buyer.test': 'loses',
  'tampered@buyer.test': 'tampers',
} as const satisfies Record<string, Behaviour>

/** Captures of an order by `http500@buyer.test` that get 500 before one succeeds. */
export const failuresBeforeSuccess = 2

export const isSentinel = (email: string): email is keyof typeof sentinelBuyers =>
  Object.hasOwn(sentinelBuyers, email)

/** The instrument counts first: a declining card declines for anybody, another card pays for the decliner. */
export function behaviourOf(payer: Payer): Behaviour {
  if (payer.instrument === 'declining') return 'declines'
  const behaviour = isSentinel(payer.email) ? sentinelBuyers[payer.email] : 'pays'
  return behaviour === 'declines' && payer.instrument === 'other' ? 'pays' : behaviour
}

export const isEmail = (text: string): boolean =>
  text.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text)

/** Countries of an account that the approval page offers, the default first. */
export const accountCountries = 'BE FR NL LU DE AT ES IE IT PL PT CH GB US'.split(' ')

export const isCountry = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Z]{2}$/.test(value)

const codeSymbols = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

const payerIds = new Map<string, string>()

/** Thirteen characters derived from the address, so that one buyer always has one payer number. */
export function payerIdOf(email: string): string {
  const known = payerIds.get(email)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(email.toLowerCase()).digest()
  const id = Array.from(digest.subarray(0, 13), (byte) => codeSymbols[byte & 31]).join('')
  if (payerIds.size >= 1_000) payerIds.clear()
  payerIds.set(email, id)
  return id
}

/** A name made of the address, for receipts: `jan.peeters@x.test` is Jan Peeters. */
export function nameOf(email: string): { given_name: string; surname: string } {
  const words = (email.split('@')[0] ?? '').split(/[._+-]+/).filter(Boolean)
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  return { given_name: capital(words[0] ?? 'Test'), surname: capital(words[1] ?? 'Buyer') }
}
