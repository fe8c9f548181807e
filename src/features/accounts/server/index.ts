export { accountEmails, greeting } from './account-emails.ts'
export { type AccountState, accountStates } from './account-states.repository.ts'
export { type ActiveAccount, type Addressee, erasedAccount, setAccountRole } from './accounts.repository.ts'
export { accountsRoutes } from './accounts.routes.ts'
export {
  activeAccount,
  activeAccounts,
  addresseeOf,
  addresseesOf,
  confirmedAccountOf,
  createDemoAccount,
  deleteEnded,
  loginKey,
  requireOpenSession,
} from './accounts.ts'
export { authentication } from './authentication.ts'
export { type CurrentPasswordOptions, currentPassword } from './current-password.ts'
export {
  exclusionRefusal,
  exclusionRefusalOf,
  exclusionsPersonalData,
  exclusionsRoutes,
} from './exclusions.ts'
export { exclusionOf, exclusionsRepository, isExcludedPayer } from './exclusions.repository.ts'
export { accountsEmailMakers } from './emails.ts'
export { accountsJobs } from './jobs.ts'
export { accountPersonalData, suspensionsPersonalData } from './personal-data.ts'
export { respellAccounts } from './respell-addresses.repository.ts'
export { staffAccountsRoutes } from './staff-accounts.routes.ts'
export { deviceOf } from '../accounts.rules.ts'
export { type CheckedLogin, type LoginCheckOptions, endSessions, loginCheck } from './sessions.service.ts'
export { PASSWORD_SETTINGS, type Passwords, computeArgon2, createPasswords } from './passwords.ts'
export { accessTokens, emailLinkTokens, newRefreshToken, resetTokens } from './tokens.ts'
