import { PHONE_COUNTRIES, compactPhone } from '#shared/phone.ts'
import { asAddress } from '#shared/email-address.ts'
import { cleanLine } from '#shared/typed-text.ts'

/** Why an account is suspended. The customer gets `ownData.copy.suspended.reason.<code>`. */
export const SUSPENSION_REASONS = [
  'customer_asked',
  'account_stolen',
  'multiple_accounts',
  'robot',
  'payment_disputed',
  'under_age',
  'fraud_suspected',
  'other',
] as const
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number]

/** Why staff erase an account. */
export const ERASURE_REASONS = ['customer_asked', 'under_age', 'other'] as const
export type ErasureReason = (typeof ERASURE_REASONS)[number]

export type AccountStanding = 'active' | 'suspended' | 'closed'

/** What keeps an account from being closed. Only tickets can be given up. */
export type Blocker =
  | { kind: 'order'; number: string; state: string }
  | { kind: 'refund'; number: string }
  | { kind: 'tickets'; slug: string; title: string; tickets: number; ends_at: string; is_running: boolean }

/** Whether an account can be closed in spite of its blockers. */
export const mayClose = (blockers: readonly Pick<Blocker, 'kind'>[], giveUpTickets: boolean): boolean =>
  blockers.every(({ kind }) => kind === 'tickets' && giveUpTickets)

export type CustomerSearch =
  | { by: 'id'; id: number }
  /** @param phones beginnings of full numbers, where the text could be one */
  | { by: 'text'; text: string; phones: string[] }

const PHONE_DIGITS_MIN = 3

/** Reads what was typed into the search: "#12", or the beginning of an e-mail address, a username or a telephone number. */
export function readSearch(typed: string): CustomerSearch | undefined {
  const text = asAddress(cleanLine(typed).replaceAll(/\s+/g, ' '))
  if (text === '') return undefined
  const id = /^#(\d{1,15})$/.exec(text)?.[1]
  if (id !== undefined) return { by: 'id', id: Number(id) }
  return { by: 'text', text, phones: phoneBeginnings(text) }
}

/** "06 12" is a number of any country of the shop; "+33 6" and "0033 6" name theirs. */
function phoneBeginnings(text: string): string[] {
  const compact = compactPhone(text)
  if (!/^\+?\d+$/.test(compact) || compact.replace('+', '').length < PHONE_DIGITS_MIN) return []
  if (compact.startsWith('+')) {
    const dialCode = PHONE_COUNTRIES.find((country) => compact.startsWith(country.dialCode))?.dialCode ?? ''
    return [dialCode + compact.slice(dialCode.length).replace(/^0/, '')]
  }
  return PHONE_COUNTRIES.map(({ dialCode }) => dialCode + compact.replace(/^0/, ''))
}
