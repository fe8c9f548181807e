import type {
  ForgotPasswordBody,
  PasswordReset,
  ResetPasswordBody,
} from '#features/accounts/accounts.contract.ts'
import type { Mailbox, MailboxEmail } from '#features/emails/emails.contract.ts'
import type { Policy } from '#features/policies/policies.contract.ts'
import type { ApiCall } from './api-call.ts'

export const policyEndpoints = (call: ApiCall) => ({
  terms: (signal?: AbortSignal) => call<Policy>('GET', '/api/policies/terms/', signal && { signal }),
  accessibility: (signal?: AbortSignal) =>
    call<Policy>('GET', '/api/policies/accessibility/', signal && { signal }),
})

export const mailboxEndpoints = (call: ApiCall) => ({
  mailbox: (signal?: AbortSignal) => call<Mailbox>('GET', '/api/demo/emails/', signal && { signal }),
  mailboxEmail: (id: string, signal?: AbortSignal) =>
    call<MailboxEmail>('GET', `/api/demo/emails/${encodeURIComponent(id)}/`, signal && { signal }),
})

export const passwordResetEndpoints = (call: ApiCall) => ({
  forgotPassword: (body: ForgotPasswordBody) =>
    call<{ detail: string }>('POST', '/api/user/forgot-password/', { body, anonymous: true }),
  resetPassword: (body: ResetPasswordBody) =>
    call<PasswordReset>('POST', '/api/user/reset-password/', { body, anonymous: true }),
})
