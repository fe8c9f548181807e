import { audit } from '#platform/audit-log.ts'
import { type Database, type Trx, logOf } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import type { AuditSubject } from '#shared/audit-actions.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  type ApprovalPermission,
  STAFF_PERMISSIONS,
  type StaffPermission,
  permits,
} from '#shared/staff-permissions.ts'
import type { Approval } from '../staff.contract.ts'
import { type ApprovalRow, type NewApproval, approvalsRepository } from './approvals.repository.ts'
import { requirePermission } from './staff-authentication.ts'
import { type Colleague, type StaffNotice, type StaffShop, enqueueStaffNotice } from './staff-emails.ts'
import { staffPeopleRepository } from './staff-people.repository.ts'

/** An action that waits for a second person, as its slice carries it out. */
export interface ApprovalKind {
  permission: ApprovalPermission
  /**
   * Before somebody consents. @param seen the sum that they were shown; without one that of the request
   * @throws Refusal 409 when more would be done now
   */
  check?(input: unknown, seen: string): Promise<void>
  /**
   * Does it, once for each approval id: after a crash it is called again with the same one.
   * @throws Refusal when it can no longer be done; the approval then tells why. With a status of 500 or more it is
   * tried again later
   */
  run(
    input: unknown,
    by: { actor: ApprovalActor; approver: ApprovalActor; approvalId: number },
  ): Promise<void>
}

/** Who asked for an action, or approved it. */
export interface ApprovalActor {
  userId: number
  name: string
}

export type ApprovalRequest = Omit<NewApproval, 'requestedBy' | 'isAlone'> & {
  actor: StaffCaller
  shop: StaffShop
}

/**
 * Asks for the consent of a second person, in the caller's transaction; for what then is done see `ApprovalKind`. When
 * nobody else could give it, the same person may act after a cool-down; that person gets an email, and so do the operator
 * and everybody who could have given it a day before.
 * @throws Refusal 409 `staff.approvalWaits` when the same matter waits already
 */
export async function askApproval(trx: Trx, { actor, shop, ...request }: ApprovalRequest): Promise<Approval> {
  const { permission, subject, preview, reason } = request
  const people = staffPeopleRepository(trx)
  const { roles } = STAFF_PERMISSIONS[permission]
  const others = await people.others(roles, actor.userId)
  const isAlone = others.length === 0
  const approvals = approvalsRepository(trx)
  const id = await approvals.insert({ ...request, requestedBy: actor.userId, isAlone })
  if (id === undefined) throw new Refusal('staff.approvalWaits', 409, 'console.refusals.approvalWaits')
  const tell = (notice: StaffNotice, to: Colleague): Promise<void> =>
    enqueueStaffNotice(trx, shop, to, {
      notice,
      ref: String(id),
      values: { actor: actor.name },
      ...(!tellsOfBuyer(subject.kind) && { reason }),
    })
  for (const to of others) await tell('approvalWaits', to)
  if (isAlone) {
    const maker = await people.person(actor.userId)
    if (maker) await tell('aloneSoon', maker)
    for (const to of await people.recentlyWith(roles, actor.userId)) await tell('actsAloneSoon', to)
    const { alertEmail: email, brand: username } = shop
    if (email !== undefined)
      await tell('actsAloneSoon', { id: null, username, email, language: DEFAULT_LANGUAGE })
  }
  await audit(trx, {
    actor,
    action: 'approvals.ask',
    subject,
    after: { approval: id, permission, preview },
    ...(!tellsOfBuyer(subject.kind) && { reason }),
  })
  const row = await approvals.find(id)
  if (!row) throw new Error('an approval without a row')
  return toApproval(row, actor)
}

/** What is written about an order or a card may tell of a person: it stays in the request, where it can be erased (ADR 0047). */
const tellsOfBuyer = (subjectKind: AuditSubject): boolean =>
  subjectKind === 'order' || subjectKind === 'postalEntry'

export interface ApprovalsOptions {
  db: Database
  shop: StaffShop
  kinds: readonly ApprovalKind[]
}

/** What two people decide: one asks, another one approves or refuses. */
export function approvalsService({ db, shop, kinds }: ApprovalsOptions) {
  const approvals = approvalsRepository(db)

  async function requireRow(id: number, stored = approvals): Promise<ApprovalRow> {
    const row = await stored.find(id)
    if (!row) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
    return row
  }

  const kindOf = (permission: StaffPermission): ApprovalKind => {
    const kind = kinds.find((one) => one.permission === permission)
    if (!kind) throw new Error(`nothing carries out an approved ${permission}`)
    return kind
  }

  async function tell(
    trx: Trx,
    row: ApprovalRow,
    notice: StaffNotice,
    ids: readonly number[],
  ): Promise<void> {
    for (const id of new Set(ids)) {
      const person = await staffPeopleRepository(trx).person(id)
      if (person) await enqueueStaffNotice(trx, shop, person, { notice, ref: String(row.id) })
    }
  }

  /** @param present sees in the response when it fails; the others get an email */
  async function carryOut(row: ApprovalRow, approver: ApprovalActor, present?: number): Promise<void> {
    const actor = { userId: row.requested_by, name: row.requested_by_name }
    try {
      await kindOf(row.permission).run(row.input, { actor, approver, approvalId: row.id })
      await approvals.finish(row.id, null)
    } catch (error) {
      // A provider that does not respond, or anything else, is no response: the job tries again.
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      await transact(db, async (trx) => {
        if (!(await approvalsRepository(trx).finish(row.id, error.code))) return
        const absent = [row.requested_by, approver.userId].filter((id) => id !== present)
        await tell(trx, row, 'approvedNotDone', absent)
      })
      throw error
    }
  }

  /** @throws Refusal 409 when it was decided, or the caller may not do that with it */
  async function decide(
    caller: StaffCaller,
    { id }: ApprovalRow,
    how: Approval['can'][number],
    answer: string | null,
  ): Promise<void> {
    await transact(db, async (trx) => {
      const stored = approvalsRepository(trx)
      const row = await requireRow(id, stored)
      if (!possible(row, caller).includes(how)) throw refusalOf(row, caller)
      const decision = decisionOf(how, row.requested_by === caller.userId)
      if (!(await stored.decide(id, decision, caller.userId, answer))) throw decided()
      await audit(trx, {
        actor: caller,
        action: `approvals.${decision}`,
        subject: { kind: row.subject_kind, id: row.subject },
        after: { approval: row.id, permission: row.permission, requested_by: row.requested_by },
        ...(answer !== null && !tellsOfBuyer(row.subject_kind) && { reason: answer }),
      })
    })
  }

  return {
    async list(caller: StaffCaller): Promise<Approval[]> {
      const rows = await approvals.list(50)
      return (
        rows
          // An older version had others.
          .filter(
            ({ permission }) =>
              Object.hasOwn(STAFF_PERMISSIONS, permission) && permits(caller.role, permission),
          )
          .map((row) => toApproval(row, caller))
      )
    },

    /** One that the caller may decide by their role. @throws Refusal 403, 404 */
    async find(caller: StaffCaller, id: number): Promise<ApprovalRow> {
      const row = await requireRow(id)
      requirePermission(caller, row.permission)
      return row
    },

    /** Consents as a second person, or alone after the cool-down, and carries it out. */
    async approve(caller: StaffCaller, row: ApprovalRow, seen?: string): Promise<Approval> {
      await kindOf(row.permission)
        .check?.(row.input, seen ?? String(row.preview['amount']))
        .catch(async (error: unknown) => {
          // What is carried out already fails its check: a second approval gets that as the reason.
          throw (await requireRow(row.id)).decision === null ? error : decided()
        })
      await decide(caller, row, 'approve', null)
      await carryOut(row, caller, caller.userId)
      return toApproval(await requireRow(row.id), caller)
    },

    /** Refuses it, or withdraws one's own. */
    async refuse(caller: StaffCaller, row: ApprovalRow, reason: string): Promise<Approval> {
      await decide(caller, row, row.requested_by === caller.userId ? 'withdraw' : 'refuse', reason)
      return toApproval(await requireRow(row.id), caller)
    },

    /** Ends what nobody has decided for days, and carries out what was approved before a crash. */
    async finish(): Promise<void> {
      await transact(db, async (trx) => {
        const expired = await approvalsRepository(trx).expire()
        for (const row of expired) await tell(trx, row, 'approvalExpired', [row.requested_by])
        for (const { id, permission, subject_kind: kind, subject } of expired)
          await audit(trx, {
            actor: 'system',
            action: 'approvals.expired',
            subject: { kind, id: subject },
            after: { approval: id, permission },
          })
      })
      for (const row of await approvals.unfinished()) {
        // One that fails each time must not keep others waiting.
        await approvals.markTried(row.id)
        const approver = { userId: row.decided_by ?? row.requested_by, name: row.decided_by_name ?? '' }
        await carryOut(row, approver).catch((error: unknown) =>
          logOf(db).warn({ err: error, approval: row.id }, 'an approved action is not done yet'),
        )
      }
    },
  }
}

const decided = (): Refusal => new Refusal('staff.approvalDecided', 409, 'console.refusals.approvalDecided')

const decisionOf = (how: Approval['can'][number], isOwn: boolean): NonNullable<Approval['decision']> => {
  if (how === 'approve') return isOwn ? 'alone' : 'approved'
  return how === 'withdraw' ? 'withdrawn' : 'refused'
}

/** Whoever asked has lost the permission since. */
const hasLeft = ({ requested_by_role: role, permission }: ApprovalRow): boolean =>
  role === null || !permits(role, permission)

function refusalOf(row: ApprovalRow, { userId }: Pick<StaffCaller, 'userId'>): Refusal {
  if (row.decision !== null) return decided()
  return row.requested_by !== userId && hasLeft(row)
    ? new Refusal('staff.makerLeft', 409, 'console.refusals.makerLeft')
    : new Refusal('staff.secondPersonNeeded', 409, 'console.refusals.secondPersonNeeded')
}

function possible(row: ApprovalRow, { userId, role }: Pick<StaffCaller, 'userId' | 'role'>): Approval['can'] {
  if (row.decision !== null || !permits(role, row.permission)) return []
  if (row.requested_by !== userId) return hasLeft(row) ? ['refuse'] : ['approve', 'refuse']
  return row.may_act_alone ? ['approve', 'withdraw'] : ['withdraw']
}

const toApproval = (row: ApprovalRow, caller: Pick<StaffCaller, 'userId' | 'role'>): Approval => ({
  id: row.id,
  permission: row.permission,
  subject_kind: row.subject_kind,
  subject: row.subject,
  preview: {
    ...row.preview,
    ...(row.person_name !== null && { name: row.person_name, email: row.person_email }),
  },
  reason: row.reason,
  requested_by: { id: row.requested_by, name: row.requested_by_name },
  requested_at: row.requested_at.toISOString(),
  alone_from: row.alone_from?.toISOString() ?? null,
  decided_by: row.decided_by === null ? null : { id: row.decided_by, name: row.decided_by_name ?? '' },
  decided_at: row.decided_at?.toISOString() ?? null,
  decision: row.decision,
  answer: row.answer,
  done_at: row.done_at?.toISOString() ?? null,
  failure: row.failure,
  can: possible(row, caller),
})
