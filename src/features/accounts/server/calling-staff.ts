import type { Sql } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

/**
 * Lets staff and superusers through, by what the database says now and not the token: what staff do moves money, so it
 * ends with the session, the suspension or the demotion, and not five minutes later.
 * @throws Refusal 401 `auth.tokenInvalid` when the session has ended, 403 `auth.suspended` or `auth.staffOnly`
 */
export async function callingStaff(db: Sql, { sessionId, userId }: Caller): Promise<void> {
  const account = await sessionsRepository(db).accountOf(sessionId, userId)
  if (!account) throw tokenInvalid()
  if (!account.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
  if (!account.is_staff && !account.is_superuser)
    throw new Refusal('auth.staffOnly', 403, 'errors.auth.staffOnly')
}
