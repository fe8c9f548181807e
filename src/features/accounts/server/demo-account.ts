import type { Database } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { accountsRepository } from './accounts.repository.ts'
import type { Passwords } from './passwords.ts'

export interface DemoAccount {
  username: string
  email: string
  password: string
  /** Full number ("+33612345678"), or empty. */
  phone: string
  language: Language
  is_staff?: boolean
  is_superuser?: boolean
}

/**
 * Makes an account without the checks of a registration; one that is there already stays as it is.
 * @returns its id
 */
export async function createDemoAccount(
  db: Database,
  passwords: Passwords,
  demo: DemoAccount,
): Promise<number> {
  const accounts = accountsRepository(db)
  const { password, ...account } = demo
  const present = await accounts.findByLogin(account.email)
  if (present) return present.id
  const id = await accounts.insert({
    ...account,
    partner_code: null,
    password_hash: await passwords.hash(password),
  })
  const made = id ?? (await accounts.findByLogin(account.email))?.id
  if (made === undefined) throw new Error(`the username of the demo account ${account.email} is taken`)
  return made
}
