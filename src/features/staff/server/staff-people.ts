import { endSessions } from '#features/accounts/server/index.ts'
import type { EmailShop } from '#features/emails/server/index.ts'
import { type AuditActor, audit } from '#platform/audit-log.ts'
import type { Database, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { newId } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import type { Approval, Person } from '../staff.contract.ts'
import { type ApprovalKind, askApproval } from './approvals.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { enqueueStaffNotice } from './staff-emails.ts'
import { type StaffPerson, staffPeopleRepository } from './staff-people.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

export interface PeopleOptions {
  db: Database
  shop: EmailShop
}

const notFound = (): Refusal => new Refusal('request.notFound', 404, 'errors.request.notFound')
const lastOwner = (): Refusal => new Refusal('staff.lastOwner', 409, 'console.refusals.lastOwner')

/** Roles of staff (ADR 0049). Giving one takes two people; taking one away takes one, because it may be urgent. */
export function staffPeople({ db, shop }: PeopleOptions) {
  async function requirePerson(trx: Trx, id: number): Promise<StaffPerson> {
    const person = await staffPeopleRepository(trx).person(id)
    if (!person) throw notFound()
    return person
  }

  /** Sets a role; a shop keeps one owner. @throws Refusal 409 `staff.lastOwner` */
  async function setRole(
    trx: Trx,
    by: { actor: AuditActor; reason: string; approval?: number },
    id: number,
    role: StaffRole | null,
  ): Promise<void> {
    const before = await staffPeopleRepository(trx).setRole(id, role)
    if (before === 'last owner') throw lastOwner()
    if (before === role) return
    await audit(trx, {
      actor: by.actor,
      action: 'staff.change',
      subject: { kind: 'staff', id },
      before: { role: before },
      after: { role, ...(by.approval !== undefined && { approval: by.approval }) },
      reason: by.reason,
    })
  }

  return {
    async list(): Promise<Person[]> {
      const rows = await staffPeopleRepository(db).list()
      return rows.map(({ id, username, email, role, is_active, methods, last_seen_at, open_sessions }) => ({
        id,
        name: username,
        email,
        role,
        is_active,
        methods,
        last_seen_at: last_seen_at?.toISOString() ?? null,
        open_sessions,
      }))
    },

    /** @throws InvalidFields under `email` without such an account, or one whose address is not confirmed */
    askRole: (
      actor: StaffCaller,
      { email, role, reason }: { email: string; role: StaffRole; reason: string },
    ): Promise<Approval> =>
      transact(db, async (trx) => {
        const account = await staffPeopleRepository(trx).accountOf(email)
        if (!account?.is_active) throw new InvalidFields({ email: ['console.refusals.noAccount'] })
        if (!account.email_confirmed_at)
          throw new InvalidFields({ email: ['console.refusals.addressUnconfirmed'] })
        if (account.role === role) throw new InvalidFields({ role: ['console.refusals.sameRole'] })
        if (account.id === actor.userId) throw new InvalidFields({ email: ['console.refusals.ownRole'] })
        return await askApproval(trx, {
          actor,
          shop,
          permission: 'staff.change',
          subject: { kind: 'staff', id: account.id },
          input: { userId: account.id, role, reason },
          preview: { name: account.username, email: account.email, from: account.role, to: role },
          reason,
        })
      }),

    /** How an approved role is given. */
    roleApproval: {
      permission: 'staff.change',
      run: (input, { actor, approver, approvalId }) =>
        transact(db, async (trx) => {
          const { userId, role, reason } = input as { userId: number; role: StaffRole; reason: string }
          const by = { actor: 'system' as const, reason, approval: approvalId }
          await setRole(trx, by, userId, role)
          const person = await staffPeopleRepository(trx).person(userId)
          if (person)
            await enqueueStaffNotice(trx, shop, person, {
              notice: 'roleChanged',
              ref: String(approvalId),
              values: { actor: `${actor.name}, ${approver.name}` },
            })
        }),
    } satisfies ApprovalKind,

    /** Takes the role away and ends the sessions of the console at once. @throws Refusal 404, 409 */
    removeRole: (actor: StaffCaller, id: number, reason: string): Promise<void> =>
      transact(db, async (trx) => {
        await requirePerson(trx, id)
        await setRole(trx, { actor, reason }, id, null)
      }),

    /** For somebody who has lost all second factors. Nobody does it for themselves. @throws Refusal 404, 409 */
    removeSecondFactors: (actor: StaffCaller, id: number, reason: string): Promise<void> =>
      transact(db, async (trx) => {
        const person = await requirePerson(trx, id)
        if (id === actor.userId) throw new Refusal('staff.notOneself', 409, 'console.refusals.notOneself')
        await secondFactorsRepository(trx).removeAll(id)
        await staffSessionsRepository(trx).endAll(id)
        await enqueueStaffNotice(trx, shop, person, {
          notice: 'secondFactorRemoved',
          ref: newId(nowMs()),
          values: { actor: actor.name },
        })
        await audit(trx, {
          actor,
          action: 'staff.removeSecondFactors',
          subject: { kind: 'staff', id },
          reason,
        })
      }),

    /** Ends the sessions of somebody, in the console and in the shop. @throws Refusal 404 */
    endSessions: async (actor: StaffCaller, id: number, reason: string): Promise<void> => {
      await transact(db, async (trx) => {
        await requirePerson(trx, id)
        await staffSessionsRepository(trx).endAll(id)
        await audit(trx, { actor, action: 'staff.endSessions', subject: { kind: 'staff', id }, reason })
      })
      await endSessions(db, id)
    },

    /** On the server's command line, where there is no second person: the first owner, or one after all are lost. */
    giveRole: (email: string, role: StaffRole | null): Promise<StaffPerson | undefined> =>
      transact(db, async (trx) => {
        const account = await staffPeopleRepository(trx).accountOf(email)
        if (!account) return undefined
        await setRole(trx, { actor: 'command line', reason: 'npm run staff' }, account.id, role)
        return { ...account, role: role ?? account.role ?? 'witness' }
      }),
  }
}
