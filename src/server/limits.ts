import type { LimitRule } from '#platform/limits/limit-states.ts'
import type { Limiter } from '#platform/limits/limiter.ts'
import type { Config } from './config.ts'

/** Strict by account and network, wider elsewhere against lockouts. No setting may allow over 100 guesses an hour. */
const FAILED_LOGINS = {
  accountAtAddress: { count: 5, seconds: 3_600 },
  account: { count: 25, seconds: 3_600 },
  address: { count: 100, seconds: 3_600 },
  all: { count: 1_200, seconds: 60 },
}

/** Wrong answers of an account in one contest. */
const ANSWERS_TO_CONTEST: LimitRule = { count: 5, seconds: 600 }

type StrengthSettings = Pick<Config, 'limitStrict' | 'limitNormal' | 'limitGenerous'>

/** Every limited action (ADR 0019). */
export function shopLimits(
  { limit }: Pick<Limiter, 'limit'>,
  { limitStrict: strict, limitNormal: normal, limitGenerous: generous }: StrengthSettings,
) {
  return {
    login: limit('login', FAILED_LOGINS, 'errors.limit.login'),

    register: limit('register', strict, 'errors.limit.tooMany'),
    forgot: limit('forgot', strict, 'errors.limit.tooMany'),
    reset: limit('reset', strict, 'errors.limit.tooMany'),
    /** Wrong codes of an authenticator at a sign-in. */
    secondFactor: limit('secondFactor', strict, 'errors.limit.tooMany'),
    /** Wrong recovery codes, which nobody guesses: by network alone, so that nobody can keep their owner out. */
    recoveryCodes: limit('recoveryCodes', { address: strict.address }, 'errors.limit.tooMany'),
    /** Wrong passkeys of somebody, at a sign-in. */
    ownPasskeys: limit('ownPasskeys', { account: strict.account, all: strict.all }, 'errors.limit.tooMany'),
    /** Wrong codes and passkeys of a session; `account` is the session, so that no other one is held up. */
    stepUp: limit('stepUp', { account: strict.account }, 'errors.limit.tooMany'),
    /** Sign-ins with a passkey that were begun; without a count of all, by which others could keep staff out. */
    challenges: limit('challenges', { address: normal.address }, 'errors.limit.tooMany'),
    /** Those that failed before anybody knows whose they are: by network alone, for the same reason. */
    passkeys: limit('passkeys', { address: strict.address }, 'errors.limit.tooMany'),
    /** Wrong current passwords in the profile. */
    password: limit('password', strict, 'errors.limit.tooMany'),
    /** Links about an e-mail address that are used. */
    emailLink: limit('emailLink', strict, 'errors.limit.tooMany'),
    /** Changes of the e-mail address, and links that are sent again. */
    emailChange: limit('emailChange', strict, 'errors.limit.tooMany'),
    /** Emails to one address, whoever causes them; `account` is the address. */
    emailTo: limit('emailTo', { account: strict.account }, 'errors.limit.tooMany'),
    /** `account` is the sender's address; a network may send as many messages as a sender. */
    contact: limit('contact', { ...strict, address: strict.account }, 'errors.limit.tooMany'),

    /** Verifying a password is expensive, even the right one. */
    rightPassword: limit('rightPassword', normal, 'errors.limit.tooMany'),
    answers: limit('answers', { ...normal, accountAtContest: ANSWERS_TO_CONTEST }, 'errors.limit.answers'),
    profile: limit('profile', normal, 'errors.limit.tooMany'),
    /** Downloads of one's own data. */
    ownData: limit('ownData', strict, 'errors.limit.tooMany'),
    /** Tickets as PDFs: each page takes some milliseconds of a thread. */
    ticketFiles: limit('ticketFiles', normal, 'errors.limit.tooMany'),
    /** Logs and proofs of draws, which anybody reads. */
    drawFiles: limit('drawFiles', { address: normal.address, all: normal.all }, 'errors.limit.tooMany'),
    /** Logouts that end no session; `account` is the token. */
    logout: limit('logout', normal, 'errors.limit.tooMany'),

    /** `account` is the session. */
    refresh: limit('refresh', generous, 'errors.limit.tooMany'),
    /** Claims of prizes that are read or changed. */
    claims: limit('claims', normal, 'errors.limit.tooMany'),
    createOrder: limit('createOrder', generous, 'errors.limit.tooMany'),
    /** Of these three `account` is the order. */
    capture: limit('capture', generous, 'errors.limit.tooMany'),
    return: limit('return', generous, 'errors.limit.tooMany'),
    cancel: limit('cancel', generous, 'errors.limit.tooMany'),
    receipt: limit('receipt', normal, 'errors.limit.tooMany'),
    keyedCalls: limit('keyedCalls', { account: generous.account }, 'errors.limit.tooMany'),
  }
}

/** Reset links for one account. */
export const resetLinks = ({
  limitStrict: { account },
  limitsFactor,
}: Pick<Config, 'limitStrict' | 'limitsFactor'>): LimitRule => ({
  count: Math.ceil(account.count * limitsFactor),
  seconds: account.seconds,
})
