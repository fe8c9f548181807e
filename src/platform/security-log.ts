import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Refusal } from '#shared/refusal.ts'
import type { Database, Sql } from './database.ts'
import { STAFF_ROUTES } from './http/request.ts'
import { networkHash } from './limits/network-address.ts'
import type { PlatformLog } from './postgres/log.ts'

export const SECURITY_EVENTS = [
  'login',
  'login_failed',
  'second_factor_failed',
  'reset_requested',
  'reset_link_sent',
  'password_reset',
  'password_changed',
  'email_change_requested',
  'email_changed',
  'email_change_undone',
  'data_exported',
  'account_closed',
  'session_ended',
  'access_refused',
  'limit_reached',
  'staff_action',
] as const
export type SecurityEventName = (typeof SECURITY_EVENTS)[number]

export interface SecurityEvent {
  event: SecurityEventName
  /** The account; of `staff_action` that of the staff member. */
  userId?: number | undefined
  /** IP address of the caller; only a keyed hash of its network is kept. */
  address?: string | undefined
  /** A code or a call; nothing that a caller wrote. */
  detail?: string | undefined
}

export interface SecurityLog {
  /** Writes a line of the log at once and a row of the table within a second; never fails. */
  record(event: SecurityEvent): void
  /** Like `record`, but resolves when the row is stored. @throws when it cannot be stored */
  recordNow(event: SecurityEvent): Promise<void>
  /** Stores what waits. */
  flush(): Promise<void>
}

interface Row {
  event: SecurityEventName
  user_id: number | null
  network: string | null
  detail: string | null
}

export interface SecurityLogOptions {
  db: Database
  /** SECRET_KEY: the key of the hashes. */
  secret: string
  log: PlatformLog
  /** Different events of a second; further ones are only counted. */
  most?: number
}

const FLUSH_MS = 1_000
const MOST = 50

/** The security log of a process (ADR 0042). */
export function securityLog({ db, secret, log, most = MOST }: SecurityLogOptions): SecurityLog {
  const hash = networkHash(secret)
  const rowOf = ({ event, userId, address, detail }: SecurityEvent): Row => ({
    event,
    user_id: userId ?? null,
    network: address === undefined ? null : hash(address),
    detail: detail ?? null,
  })
  /** By their content. */
  let waiting = new Map<string, Row & { times: number }>()
  let timer: NodeJS.Timeout | undefined

  function add(row: Row): void {
    const key = JSON.stringify(row)
    const known = waiting.get(key)
    if (known) known.times += 1
    else if (waiting.size < most || isCount(row)) {
      log.info({ security: row }, 'security event')
      waiting.set(key, { ...row, times: 1 })
    } else add({ event: row.event, user_id: null, network: null, detail: null })
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const rows = [...waiting.values()]
    waiting = new Map()
    if (rows.length === 0) return
    await db
      .insertInto('security_events')
      .values(rows)
      .execute()
      .catch((error: unknown) => log.warn({ err: error, lost: rows.length }, 'security events not stored'))
  }

  return {
    record: (event) => add(rowOf(event)),
    async recordNow(event) {
      const row = rowOf(event)
      await db.insertInto('security_events').values(row).execute()
      log.info({ security: row }, 'security event')
    },
    flush,
  }
}

const isCount = ({ user_id, network, detail }: Row): boolean =>
  user_id === null && network === null && detail === null

/**
 * Records refusals for want of a right, among them the 404 for what is another account's, and tokens of the shop on calls
 * of staff. To be asked for a step-up is no refusal.
 */
export const refusalsOfRights =
  (security: SecurityLog) =>
  ({ status, code }: Refusal, { caller, staff, ip, method, headers, routeOptions }: FastifyRequest): void => {
    const { url = '' } = routeOptions
    const isOfStaff = url.startsWith(STAFF_ROUTES)
    const isOthers = status === 404 && caller !== null && !isOfStaff && code !== 'offer.notFound'
    const isShopToken = status === 401 && isOfStaff && headers.authorization !== undefined
    const isRefused = status === 403 && code !== 'staff.stepUpRequired'
    if (!isRefused && !isOthers && !isShopToken) return
    const detail = `${method} ${url} ${code}`
    security.record({ event: 'access_refused', userId: (staff ?? caller)?.userId, address: ip, detail })
  }

export const securityEventsRepository = (db: Sql) => ({
  /** Of an account, the newest first. @param after the last one of the page before */
  ofUser: (userId: number, after: number | undefined, limit: number) =>
    db
      .selectFrom('security_events')
      .select(['id', 'event', 'network', 'detail', 'times', 'at'])
      .where('user_id', '=', userId)
      .$if(after !== undefined, (all) => all.where('id', '<', after!))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  /** Deletes those of an account. What somebody did as staff stays as long as orders do. @returns how many */
  async eraseOf(userId: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('security_events')
      .where('user_id', '=', userId)
      .where('event', '<>', 'staff_action')
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  /** Deletes old events; those of staff stay as long as orders do. @returns how many, at most `limit` */
  async deleteOld(days: number, staffYears: number, limit: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM security_events WHERE id IN (
        SELECT id FROM security_events
        WHERE at < now() - make_interval(days => ${days})
          AND (event <> 'staff_action' OR at < date_trunc('year', now()) - make_interval(years => ${staffYears}))
        LIMIT ${limit}
      )`.execute(db)
    return Number(numAffectedRows ?? 0)
  },
})
