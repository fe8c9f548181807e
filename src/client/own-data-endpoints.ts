import type { CloseBody, ClosingPreview } from '#features/customers/customers.contract.ts'
import { browserCall } from './browser.ts'

/** Calls about a customer's own data, apart because one page loads them. */
export const ownDataApi = () => {
  const call = browserCall()
  return {
    /** A ZIP. */
    download: (password: string) =>
      call<Blob>('POST', '/api/user/export/', { body: { current_password: password } }),
    /** What closing the account would do, and what keeps it from being closed. */
    closing: () => call<ClosingPreview>('GET', '/api/user/close/'),
    close: (body: CloseBody) => call<void>('POST', '/api/user/close/', { body }),
  }
}
