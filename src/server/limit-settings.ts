import * as z from 'zod'
import { LIMIT_SCOPES, type LimitRules, type LimitScope } from '#platform/limits/limit-keys.ts'
import { setting } from './setting-kinds.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400
const RULE = /^([a-z]+) (\d{1,9})\/(\d{1,4})([smhd])$/

/** Reads "address 20/1h, all 2000/1h"; undefined when a part cannot be read or is named twice. */
export function parseLimits(text: string): LimitRules | undefined {
  const rules: Partial<Record<LimitScope, { count: number; seconds: number }>> = {}
  for (const part of text.split(',')) {
    const [, name, count = '', number = '', unit = ''] = RULE.exec(part.trim()) ?? []
    const scope = LIMIT_SCOPES.find((one) => one === name)
    const seconds = Number(number) * (UNITS[unit] ?? 0)
    if (!scope || rules[scope] || Number(count) < 1 || seconds < 1 || seconds > LONGEST_SECONDS)
      return undefined
    rules[scope] = { count: Number(count), seconds }
  }
  return rules
}

/** A limit with its parts; a setting must name the same parts as its default, so that none is lost by mistake. */
function limit(name: string, fallback: string, purpose: string) {
  const scopes = Object.keys(parseLimits(fallback) ?? {})
  const schema = z.string().transform((text, context) => {
    const rules = parseLimits(text)
    if (rules && Object.keys(rules).toSorted().join() === scopes.toSorted().join()) return rules
    context.addIssue('not a limit')
    return z.NEVER
  })
  const parts = scopes.map((scope) => `${scope} 9/1h`).join(', ')
  return setting(name, schema, `counts with s, m, h or d, such as ${parts}`, fallback, purpose)
}

/** How often what may be done (ADR 0019). */
export const LIMIT_SETTINGS = {
  limitsFactor: setting(
    'LIMITS_FACTOR',
    z
      .string()
      .regex(/^\d{1,7}(\.\d{1,3})?$/)
      .transform(Number)
      .refine((factor) => factor >= 0.001 && factor <= 1_000_000),
    'a number from 0.001 to 1000000',
    '1',
    'Multiplies every count of the limits below, for load tests; live mode needs 1.',
  ),
  limitLogin: limit(
    'LIMIT_LOGIN',
    'place 5/1h, account 25/1h, address 100/1h, all 1200/1m',
    'Failed logins: free ones of an account at a network, each further one waiting longer; the others for networks where the account was not opened, nor used.',
  ),
  limitRegister: limit(
    'LIMIT_REGISTER',
    'address 200/1h, all 6000/1h',
    'Registrations whose fields are well-formed, those refused because a name or an e-mail is taken included.',
  ),
  limitRefresh: limit(
    'LIMIT_REFRESH',
    'account 120/5m, address 6000/5m, all 600000/5m',
    'Renewals of an access token; account means one session.',
  ),
  limitLogout: limit(
    'LIMIT_LOGOUT',
    'account 60/5m, address 600/5m, all 60000/5m',
    'Logouts that end no session: of unknown tokens and of sessions that have ended; account means one token.',
  ),
  limitAnswers: limit(
    'LIMIT_ANSWERS',
    'contest 5/10m, account 30/10m, address 600/10m, all 60000/10m',
    'Wrong answers to the question of a contest; contest means one account at one contest.',
  ),
  limitCreateOrder: limit(
    'LIMIT_CREATE_ORDER',
    'account 120/10m, address 60000/10m, all 6000000/10m',
    'Orders asked for, those for the same cart included.',
  ),
  limitCapture: limit(
    'LIMIT_CAPTURE',
    'account 60/1h, address 60000/10m, all 6000000/10m',
    'Payments asked for on the page; account means one order.',
  ),
  limitReturn: limit(
    'LIMIT_RETURN',
    'account 60/1h, address 60000/10m, all 6000000/10m',
    'Buyers sent back by PayPal; account means one order.',
  ),
  limitCancel: limit(
    'LIMIT_CANCEL',
    'account 60/1h, address 60000/10m, all 6000000/10m',
    'Buyers sent back by PayPal without having paid; account means one order.',
  ),
  limitForgot: limit(
    'LIMIT_FORGOT',
    'account 5/1h, address 20/1h, all 2000/1h',
    'Links for a forgotten password; beyond the count of an account the answer is the same, and no mail leaves.',
  ),
  limitReset: limit('LIMIT_RESET', 'address 30/1h, all 6000/1h', 'New passwords set by such a link.'),
  limitPassword: limit(
    'LIMIT_PASSWORD',
    'account 10/1h, address 100/1h, all 6000/1h',
    'Wrong current passwords in the profile.',
  ),
  limitRightPassword: limit(
    'LIMIT_RIGHT_PASSWORD',
    'account 120/10m, address 3000/10m, all 600000/10m',
    'Logins, and changes of the password, with the right one: each costs what a wrong one does.',
  ),
  limitProfile: limit(
    'LIMIT_PROFILE',
    'account 100/1h, address 1000/1h, all 60000/1h',
    'Changes of e-mail and phone.',
  ),
  limitKeyedCalls: limit(
    'LIMIT_KEYED_CALLS',
    'account 3000/1h',
    'Calls with a key (`Idempotency-Key`): the answer of each is kept for a day.',
  ),
  limitKeys: limit(
    'LIMIT_KEYS',
    'account 30/1h',
    'Keys (`Idempotency-Key`) that come again with another call; beyond it the account’s calls with a key wait.',
  ),
  limitEmailChange: limit(
    'LIMIT_EMAIL_CHANGE',
    'account 5/1h, address 60/1h, all 6000/1h',
    'Changes of the e-mail address. What the account may, one address gets of letters about it and of welcomes, whoever has it.',
  ),
  limitContact: limit(
    'LIMIT_CONTACT',
    'account 10/1h, address 10/1h, all 300/1h',
    'Messages of the contact form that the shop takes itself; account means one sender.',
  ),
} as const
