import { endSessions, setAccountRole } from '#features/accounts/server/index.ts'
import { type AuditActor, audit } from '#platform/audit-log.ts'
import type { Database, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { newId } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import { translate } from '#i18n/server-translator.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import type { Approval, Person } from '../staff.contract.ts'
import { type ApprovalKind, askApproval } from './approvals.ts'
import { approvalsRepository } from './approvals.repository.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { type StaffNotice, type StaffShop, enqueueStaffNotice } from './staff-emails.ts'
import { type RoleHolder, type StaffPerson, staffPeopleRepository } from './staff-people.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

export interface PeopleOptions {
  db: Database
  shop: StaffShop
}

const notFound = (): Refusal => new Refusal('request.notFound', 404, 'errors.request.notFound')
const lastOwner = (): Refusal => new Refusal('staff.lastOwner', 409, 'console.refusals.lastOwner')

/** What an approved role is given with. */
interface RoleInput {
  userId: number
  /** The role when it was asked for. */
  from: StaffRole | null
  role: StaffRole
  reason: string
}

/** Between a request and its approval an account may have been suspended, closed or given another role. */
function requireAsAsked(account: RoleHolder, from: StaffRole | null): void {
  if (!account.is_active) throw new Refusal('staff.noAccount', 409, 'console.refusals.noAccount')
  if (!account.email_confirmed_at)
    throw new Refusal('staff.addressUnconfirmed', 409, 'console.refusals.addressUnconfirmed')
  if (account.role !== from)
    throw new Refusal('staff.roleChangedSince', 409, 'console.refusals.roleChangedSince')
}

/** Roles of staff (ADR 0049). Giving one takes two people; taking one away takes one, because it may be urgent. */
export function staffPeople({ db, shop }: PeopleOptions) {
  async function requirePerson(trx: Trx, id: number): Promise<StaffPerson> {
    const person = await staffPeopleRepository(trx).person(id)
    if (!person) throw notFound()
    return person
  }

  /**
   * Sets a role; a shop keeps one owner.
   * @param check looks at the account once its row is locked
   * @throws Refusal 404, 409 `staff.lastOwner`
   */
  async function setRole(
    trx: Trx,
    by: { actor: AuditActor; reason: string; approval?: number; check?: (account: RoleHolder) => void },
    id: number,
    role: StaffRole | null,
  ): Promise<void> {
    const { account, isLastOwner } = await staffPeopleRepository(trx).lockForRole(id)
    if (!account) throw notFound()
    by.check?.(account)
    if (isLastOwner && role !== 'owner') throw lastOwner()
    if (account.role === role) return
    await setAccountRole(trx, id, role)
    await audit(trx, {
      actor: by.actor,
      action: 'staff.change',
      subject: { kind: 'staff', id },
      before: { role: account.role },
      after: { role, ...(by.approval !== undefined && { approval: by.approval }) },
      reason: by.reason,
    })
  }

  /** Tells of a role that was taken away: the person, and the other owners. */
  async function tellRemoved(
    trx: Trx,
    person: Omit<StaffPerson, 'role'>,
    actorIn: (language: Language) => string,
  ): Promise<void> {
    const ref = newId(nowMs())
    const tell = (to: Omit<StaffPerson, 'role'>, notice: StaffNotice): Promise<void> => {
      const values = { actor: actorIn(to.language), colleague: person.username }
      return enqueueStaffNotice(trx, shop, to, { notice, ref, values })
    }
    await tell(person, 'roleRemoved')
    for (const owner of await staffPeopleRepository(trx).others(['owner'], person.id))
      await tell(owner, 'colleagueRemoved')
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
          input: { userId: account.id, from: account.role, role, reason } satisfies RoleInput,
          preview: { from: account.role, to: role },
          reason,
        })
      }),

    /** How an approved role is given: once, because the approval is marked as done in the same transaction. */
    roleApproval: {
      permission: 'staff.change',
      run: (input, { actor, approver, approvalId }) =>
        transact(db, async (trx) => {
          const { userId, from, role, reason } = input as RoleInput
          if (!(await approvalsRepository(trx).finish(approvalId, null))) return
          const check = (account: RoleHolder): void => requireAsAsked(account, from)
          await setRole(trx, { actor: 'system', reason, approval: approvalId, check }, userId, role)
          const person = await staffPeopleRepository(trx).person(userId)
          if (person)
            await enqueueStaffNotice(trx, shop, person, {
              notice: 'roleChanged',
              ref: String(approvalId),
              values: { actor: `${actor.name}, ${approver.name}` },
            })
        }),
    } satisfies ApprovalKind,

    /**
     * Takes the role away and ends the sessions of the console at once. The person and all owners get an email.
     * @throws Refusal 404, 409
     */
    removeRole: (actor: StaffCaller, id: number, reason: string): Promise<void> =>
      transact(db, async (trx) => {
        const person = await requirePerson(trx, id)
        await tellRemoved(trx, person, () => actor.name)
        await setRole(trx, { actor, reason }, id, null)
      }),

    /** For somebody who has lost all second factors. Nobody does it for themselves. @throws Refusal 404, 409 */
    removeSecondFactors: (actor: StaffCaller, id: number, reason: string): Promise<void> =>
      transact(db, async (trx) => {
        await staffPeopleRepository(trx).lock(id)
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
    endSessions: (actor: StaffCaller, id: number, reason: string): Promise<void> =>
      transact(db, async (trx) => {
        await requirePerson(trx, id)
        await endSessions(trx, id)
        await staffSessionsRepository(trx).endAll(id)
        await audit(trx, { actor, action: 'staff.endSessions', subject: { kind: 'staff', id }, reason })
      }),

    /** On the server's command line, where there is no second person: the first owner, or one after all are lost. */
    giveRole: (email: string, role: StaffRole | null): Promise<StaffPerson | undefined> =>
      transact(db, async (trx) => {
        const account = await staffPeopleRepository(trx).accountOf(email)
        if (!account) return undefined
        const actorIn = (language: Language): string => translate(language, 'console.emails.commandLine')
        if (role === null && account.role !== null) await tellRemoved(trx, account, actorIn)
        if (role !== null && role !== account.role)
          await enqueueStaffNotice(trx, shop, account, {
            notice: 'roleChanged',
            ref: newId(nowMs()),
            values: { actor: actorIn(account.language) },
          })
        await setRole(trx, { actor: 'command line', reason: 'npm run staff' }, account.id, role)
        return { ...account, role: role ?? account.role ?? 'witness' }
      }),
  }
}
