import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { InvalidFields } from '#shared/refusal.ts'
import { accountsRepository } from './accounts.repository.ts'
import type { Passwords } from './passwords.ts'

export interface CurrentPasswordOptions {
  db: Database
  passwords: Passwords
  limits: {
    /** Counts wrong current passwords. */
    password: Limit
    /** Counts correct passwords, those of logins included. */
    rightPassword: Limit
  }
}

/** Compares the password that a caller types again before a change to the security of the account. */
export function currentPassword({ db, passwords, limits }: CurrentPasswordOptions) {
  const accounts = accountsRepository(db)

  return {
    /** @returns the hash that the password matched @throws InvalidFields under `current_password`; Refusal 429 */
    async verify({ userId }: Caller, password: string, address: string): Promise<string> {
      limits.rightPassword.check({ account: userId, address })
      const attempt = await limits.password.take({ account: userId, address })
      const stored = (await accounts.findPasswordHash(userId)) ?? ''
      const { right } = await passwords.verify(password, stored, { address }).catch(async (error) => {
        await attempt.cancel()
        throw error
      })
      if (!right) throw wrongCurrentPassword()
      await attempt.cancel()
      limits.rightPassword.hit({ account: userId, address })
      return stored
    },
  }
}

export const wrongCurrentPassword = (): InvalidFields =>
  new InvalidFields({ current_password: ['formErrors.password.currentWrong'] })
