import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit, auditCheckpoint, compareCheckpoint, verifyAuditLog } from '#platform/audit-log.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import {
  AuditActors,
  AuditCheck,
  AuditPage,
  AuditQuery,
  type AuditRow,
  AuditVerifyBody,
} from '../staff.contract.ts'
import { type StoredEntry, auditRepository } from './audit.repository.ts'
import type { Colleague } from './staff-emails.ts'
import { staffPeopleRepository } from './staff-people.repository.ts'
import { shownOrderNumber } from '#shared/order-number.ts'

const EXPORTED_AT_A_TIME = 1_000

/** One line for each entry, as it is hashed, with both hashes. */
async function* jsonLines(db: Database): AsyncGenerator<string> {
  const stored = auditRepository(db)
  let last = 0
  for (;;) {
    const rows = await stored.from(last, EXPORTED_AT_A_TIME)
    for (const { id, entry, previous_hash, hash } of rows) {
      const hashes = { previous_hash: previous_hash.toString('hex'), hash: hash.toString('hex') }
      yield `${JSON.stringify({ id, entry, ...hashes })}\n`
      last = id
    }
    if (rows.length < EXPORTED_AT_A_TIME) return
  }
}

/** The audit log: pages, the check of its chain, and an export. */
export const auditRoutes =
  ({ db, timeZone }: { db: Database; timeZone: string }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const config = { permits: 'audit.read' } as const

    app.get(
      '/api/staff/audit/',
      { config, schema: { tags, querystring: AuditQuery, response: { 200: AuditPage } } },
      async ({ query, reads }) => {
        const stored = auditRepository(reads)
        const rows = await stored.page(query, timeZone)
        const next = rows.length === query.limit ? String(rows.at(-1)?.id) : null
        const told = rows.map((row) => ({ row, entry: JSON.parse(row.entry) as ToldEntry }))
        const sessions = new Set(told.flatMap(({ entry: { session } }) => session ?? []))
        const devices = await stored.devices([...sessions].filter(isUuid))
        const orders = told.flatMap(({ entry: { subject_kind: kind, subject } }) =>
          kind === 'order' && subject !== null && isUuid(subject) ? subject : [],
        )
        const known = {
          devices,
          orders: await stored.orderNumbers([...new Set(orders)]),
          people: await stored.decidedBy(told.flatMap(({ entry }) => approvalOf(entry) ?? [])),
        }
        return { items: told.map(({ row, entry }) => toRow(row, entry, known)), next }
      },
    )

    app.get(
      '/api/staff/audit/actors/',
      { config, schema: { tags, response: { 200: AuditActors } } },
      ({ reads }) => auditRepository(reads).actors(),
    )

    app.post(
      '/api/staff/audit/verify/',
      { config, schema: { tags, body: AuditVerifyBody, response: { 200: AuditCheck } } },
      async ({ body }) => {
        const { entries, brokenAt, checkpoint } = await verifyAuditLog(db)
        const compared = body ? await compareCheckpoint(db, body) : null
        return { entries, broken_at: brokenAt, hash: checkpoint.hash, checkpoint: compared?.is ?? null }
      },
    )

    app.post(
      '/api/staff/audit/export/',
      { config: { permits: 'audit.export' }, schema: { tags } },
      async (request, reply) => {
        await transact(db, (trx) => audit(trx, { actor: staffOf(request), action: 'audit.export' }))
        return reply
          .header('content-type', 'application/x-ndjson; charset=utf-8')
          .header('content-disposition', 'attachment; filename="audit-log.jsonl"')
          .send(Readable.from(jsonLines(db)))
      },
    )
  }

interface Known {
  devices: ReadonlyMap<string, Pick<AuditRow, 'browser' | 'system'>>
  orders: ReadonlyMap<string, string>
  people: ReadonlyMap<number, string[]>
}

/** The request of two people that the shop carried out with an entry of its own. */
function approvalOf({ actor_id, after }: Pick<ToldEntry, 'actor_id' | 'after'>): number | undefined {
  const id: unknown = (Object(after) as { approval?: unknown }).approval
  return actor_id === null && typeof id === 'number' ? id : undefined
}

type ToldEntry = Omit<AuditRow, 'id' | 'at' | 'hash' | 'browser' | 'system' | 'subject_name' | 'people'> & {
  session: string | null
}

function toRow(
  { id, at, hash }: StoredEntry,
  {
    actor_id,
    actor,
    role,
    action,
    subject_kind,
    subject,
    before,
    after,
    reason,
    network,
    session,
  }: ToldEntry,
  { devices, orders, people }: Known,
): AuditRow {
  const { browser = null, system = null } = (session === null ? undefined : devices.get(session)) ?? {}
  const number = subject_kind === 'order' && subject !== null ? orders.get(subject) : undefined
  const approval = approvalOf({ actor_id, after })
  const shown = {
    actor_id,
    actor,
    role,
    action,
    subject_kind,
    subject,
    subject_name: number === undefined ? null : shownOrderNumber(number),
    people: (approval === undefined ? undefined : people.get(approval)) ?? [],
    before,
    after,
    reason,
    network,
  }
  return { id, at: at.toISOString(), ...shown, browser, system, hash: hash.toString('hex') }
}

/**
 * Mails the end of the chain, once a day: a copy outside of the database, which a rewritten log would contradict. It goes
 * to the operator, and without such an address to all owners.
 */
export async function sendAuditCheckpoint(
  db: Database,
  shop: EmailShop & { alertEmail: string | undefined },
): Promise<void> {
  const { entries, hash } = await auditCheckpoint(db)
  if (entries === 0) return
  const day = await auditRepository(db).day()
  const operator = shop.alertEmail
  const recipients: Pick<Colleague, 'id' | 'email' | 'language'>[] =
    operator === undefined
      ? await staffPeopleRepository(db).owners()
      : [{ id: null, email: operator, language: DEFAULT_LANGUAGE }]
  for (const { id, email: to, language } of recipients) {
    const say = (part: 'subject' | 'text' | 'entries'): string =>
      translate(language, `console.emails.auditCheckpoint.${part}`, { brand: shop.brand, day })
    const content = composeEmail(shop, {
      language,
      subject: say('subject'),
      preview: hash,
      blocks: [
        { kind: 'text', text: say('text') },
        {
          kind: 'facts',
          facts: [
            { name: say('entries'), text: String(entries) },
            { name: 'SHA-256', text: hash },
          ],
        },
        {
          kind: 'button',
          label: translate(language, 'console.emails.open'),
          url: `${shop.publicUrl}/admin/audit`,
        },
      ],
    })
    await enqueueEmail(db, {
      key: `audit-checkpoint:${day}${id === null ? '' : `:${id}`}`,
      kind: 'audit-checkpoint',
      to,
      ...(id !== null && { userId: id }),
      language,
      ...content,
    })
  }
}
