import type { Sql } from '#platform/database.ts'
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
 * @returns its id, and whether it is new and so has that password
 */
export async function createDemoAccount(
  db: Sql,
  passwords: Passwords,
  demo: DemoAccount,
): Promise<{ id: number; isNew: boolean }> {
  const accounts = accountsRepository(db)
  const { password, ...account } = demo
  const { account: present } = await accounts.findByLogin(account.email)
  if (present) return { id: present.id, isNew: false }
  const id = await accounts.insert({
    ...account,
    partner_code: null,
    password_hash: await passwords.hash(password),
  })
  if (id !== undefined) return { id, isNew: true }
  const { account: other } = await accounts.findByLogin(account.email)
  if (!other) throw new Error(`the username of the demo account ${account.email} is taken`)
  return { id: other.id, isNew: false }
}
