import type { LimitRules } from '#platform/limits/limit-keys.ts'
import type { Limiter } from '#platform/limits/limiter.ts'
import type { Config } from './config.ts'

/** A limit's count by account alone: what is counted for everybody is not counted twice. */
const ofAccount = ({ account }: LimitRules): LimitRules => (account ? { account } : {})

/** The limits of a shop, each by the name of what it guards (ADR 0019). */
export const shopLimits = ({ limit }: Pick<Limiter, 'limit'>, config: Config) => ({
  login: limit('login', config.limitLogin, 'errors.limit.login'),
  register: limit('register', config.limitRegister, 'errors.limit.tooMany'),
  refresh: limit('refresh', config.limitRefresh, 'errors.limit.tooMany'),
  logout: limit('logout', config.limitLogout, 'errors.limit.tooMany'),
  answers: limit('answers', config.limitAnswers, 'errors.limit.answers'),
  createOrder: limit('createOrder', config.limitCreateOrder, 'errors.limit.tooMany'),
  capture: limit('capture', config.limitCapture, 'errors.limit.tooMany'),
  return: limit('return', config.limitReturn, 'errors.limit.tooMany'),
  cancel: limit('cancel', config.limitCancel, 'errors.limit.tooMany'),
  forgot: limit('forgot', config.limitForgot, 'errors.limit.tooMany'),
  reset: limit('reset', config.limitReset, 'errors.limit.tooMany'),
  password: limit('password', config.limitPassword, 'errors.limit.tooMany'),
  rightPassword: limit('rightPassword', config.limitRightPassword, 'errors.limit.tooMany'),
  profile: limit('profile', config.limitProfile, 'errors.limit.tooMany'),
  keyedCalls: limit('keyedCalls', config.limitKeyedCalls, 'errors.limit.tooMany'),
  keys: limit('keys', config.limitKeys, 'errors.limit.tooMany'),
  emailChange: limit('emailChange', config.limitEmailChange, 'errors.limit.tooMany'),
  letterTo: limit('letterTo', ofAccount(config.limitEmailChange), 'errors.limit.tooMany'),
  contact: limit('contact', config.limitContact, 'errors.limit.tooMany'),
})

/** Links for a forgotten password that one account is sent. */
export const resetLinks = ({ limitForgot: { account }, limitsFactor }: Config) => {
  if (!account) throw new Error('LIMIT_FORGOT lacks its count by account')
  return { count: Math.ceil(account.count * limitsFactor), seconds: account.seconds }
}
