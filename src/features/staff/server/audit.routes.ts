import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit, auditCheckpoint, verifyAuditLog } from '#platform/audit-log.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { AuditActors, AuditCheck, AuditPage, AuditQuery, type AuditRow } from '../staff.contract.ts'
import { type StoredEntry, auditRepository } from './audit.repository.ts'

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
      async ({ query }) => {
        const rows = await auditRepository(db).page(query, timeZone)
        const next = rows.length === query.limit ? String(rows.at(-1)?.id) : null
        return { items: rows.map(toRow), next }
      },
    )

    app.get('/api/staff/audit/actors/', { config, schema: { tags, response: { 200: AuditActors } } }, () =>
      auditRepository(db).actors(),
    )

    app.post(
      '/api/staff/audit/verify/',
      { config, schema: { tags, response: { 200: AuditCheck } } },
      async () => {
        const { entries, brokenAt, checkpoint } = await verifyAuditLog(db)
        return { entries, broken_at: brokenAt, hash: checkpoint.hash }
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

function toRow({ id, at, entry, hash }: StoredEntry): AuditRow {
  const told = JSON.parse(entry) as Pick<
    AuditRow,
    'actor_id' | 'actor' | 'role' | 'action' | 'subject_kind' | 'subject' | 'before' | 'after' | 'reason'
  >
  const { actor_id, actor, role, action, subject_kind, subject, before, after, reason } = told
  const shown = { actor_id, actor, role, action, subject_kind, subject, before, after, reason }
  return { id, at: at.toISOString(), ...shown, hash: hash.toString('hex') }
}

/** Mails the end of the chain, once a day: a copy outside of the database, which a rewritten log would contradict. */
export async function sendAuditCheckpoint(
  db: Database,
  shop: EmailShop & { alertEmail: string | undefined },
): Promise<void> {
  const { alertEmail: to } = shop
  if (to === undefined) return
  const { entries, hash } = await auditCheckpoint(db)
  if (entries === 0) return
  const day = await auditRepository(db).day()
  const language = DEFAULT_LANGUAGE
  const subject = translate(language, 'console.emails.auditCheckpoint.subject', { brand: shop.brand, day })
  const content = composeEmail(shop, {
    language,
    subject,
    preview: hash,
    blocks: [
      { kind: 'text', text: translate(language, 'console.emails.auditCheckpoint.text') },
      {
        kind: 'facts',
        facts: [
          { name: translate(language, 'console.emails.auditCheckpoint.entries'), text: String(entries) },
          { name: 'SHA-256', text: hash },
        ],
      },
    ],
  })
  await enqueueEmail(db, {
    key: `audit-checkpoint:${day}`,
    kind: 'audit-checkpoint',
    to,
    language,
    ...content,
  })
}
