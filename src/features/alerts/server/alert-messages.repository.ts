import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import { type AlertEvent, type AlertGroup, type AlertKind } from '../alerts.rules.ts'
import type { AlertMessage, MessageFacts } from './alert-text.ts'

export interface DueGroup extends AlertGroup {
  kind: AlertKind
  /** Of the last message. */
  lastFacts: MessageFacts | null
  /** The alerts that are counted as `fresh`; one that is raised meanwhile is not told yet. */
  freshIds: readonly string[]
}

export interface StoredMessage extends AlertMessage {
  id: number
  attempts: number
}

/** How the webhook does. */
export interface WebhookHealth {
  /** The last message that arrived. */
  sentAt: Date | null
  /** Attempts since then that failed, and whether one was refused. */
  attempts: number
  isRefused: boolean
  failingSince: Date | null
  error: string | null
}

const LOCK = 720_411_922
/** For sending a claimed message; longer than an attempt. */
const LEASE_SECONDS = 60
/** A message that did not arrive for so long has lost its meaning. */
const USEFUL_HOURS = 24
const EXAMPLES = 3

export const alertMessagesRepository = (db: Sql) => ({
  /** Whether nobody else decides about messages until the transaction ends. */
  async isAlone(trx: Trx): Promise<boolean> {
    const { rows } = await sql<{ mine: boolean }>`
      SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`.execute(trx)
    return rows[0]?.mine ?? false
  },

  /** The kinds of which something is or was told, or is to be told. */
  async groups(): Promise<DueGroup[]> {
    const { rows } = await sql<{
      kind: AlertKind
      event: AlertEvent | null
      seconds: number
      facts: MessageFacts | null
      fresh: number
      fresh_ids: string[]
      fresh_seconds: number
      open: number
      is_taken: boolean
      ended_seconds: number
    }>`
      WITH fresh AS (
        SELECT kind, count(*)::int AS alerts, min(since) AS since, array_agg(id::text) AS ids
        FROM alerts WHERE told_at IS NULL GROUP BY kind
      ), open AS (
        SELECT kind, count(*)::int AS alerts, bool_and(taken_by IS NOT NULL) AS taken
        FROM alerts WHERE resolved_at IS NULL GROUP BY kind
      ), last AS (
        SELECT DISTINCT ON (kind) kind, event, at, facts FROM alert_messages
        WHERE event <> 'test' ORDER BY kind, id DESC
      )
      SELECT kind, last.event, last.facts,
             coalesce(extract(epoch FROM clock_timestamp() - last.at), 0)::float8 AS seconds,
             coalesce(fresh.alerts, 0) AS fresh, coalesce(fresh.ids, '{}') AS fresh_ids,
             coalesce(extract(epoch FROM clock_timestamp() - fresh.since), 0)::float8 AS fresh_seconds,
             coalesce(open.alerts, 0) AS open, coalesce(open.taken, false) AS is_taken,
             coalesce(extract(epoch FROM clock_timestamp() - (
               SELECT max(resolved_at) FROM alerts a WHERE a.kind = last.kind
             )), 'infinity')::float8 AS ended_seconds
      FROM last FULL JOIN fresh USING (kind) FULL JOIN open USING (kind)
      WHERE fresh.alerts > 0 OR last.event IN ('opened', 'more', 'repeated')`.execute(db)
    return rows.map(
      ({ kind, event, seconds, facts, fresh, fresh_ids, fresh_seconds, open, is_taken, ended_seconds }) => ({
        kind,
        last: event === null ? null : { event, seconds },
        lastFacts: facts,
        fresh,
        freshIds: fresh_ids,
        freshSeconds: fresh_seconds,
        open,
        isTaken: is_taken,
        endedSeconds: ended_seconds,
      }),
    )
  },

  /** The first alerts that a message tells of. @param ids those that it counts; all that are open when left out */
  async examples(
    kind: AlertKind,
    ids?: readonly string[],
  ): Promise<(MessageFacts['examples'][number] & { since: Date })[]> {
    const { rows } = await sql<MessageFacts['examples'][number] & { since: Date }>`
      SELECT a.subject, a.details, a.since, o.number AS order_number FROM alerts a
      LEFT JOIN orders o ON o.id = CASE WHEN pg_input_is_valid(a.subject, 'uuid') THEN a.subject::uuid END
      WHERE a.kind = ${kind} AND ${ids ? sql`a.id = ANY(${ids}::bigint[])` : sql`a.resolved_at IS NULL`}
      ORDER BY a.since, a.id LIMIT ${EXAMPLES}`.execute(db)
    return rows
  },

  markTold: (ids: readonly string[]) =>
    sql`UPDATE alerts SET told_at = clock_timestamp() WHERE id = ANY(${ids}::bigint[])`.execute(db),

  /** @param isToWebhook whether a webhook is told of it */
  async insert(
    { kind, event, facts }: { kind: AlertKind; event: AlertEvent; facts: MessageFacts },
    isToWebhook: boolean,
  ): Promise<{ id: number; at: Date }> {
    // What waits says less than this one. The end of what never arrived is not told either.
    const { rows } = await sql<{ id: number; at: Date }>`
      WITH superseded AS (
        UPDATE alert_messages SET state = 'superseded'
        WHERE kind = ${kind} AND state = 'queued'
      )
      INSERT INTO alert_messages (kind, event, facts, state)
      VALUES (${kind}, ${event}, ${JSON.stringify(facts)}, CASE
        WHEN NOT ${isToWebhook}::boolean THEN 'unsent'
        WHEN ${event}::text = 'resolved' AND coalesce((
          SELECT event FROM alert_messages WHERE kind = ${kind} AND state = 'sent' ORDER BY id DESC LIMIT 1
        ), 'resolved') IN ('resolved', 'passed') THEN 'superseded'
        ELSE 'queued' END)
      RETURNING id, at`.execute(db)
    return rows[0]!
  },

  /** The oldest message that is due for the webhook; for a minute nobody else gets it. @param id one of them */
  async claim(id?: number): Promise<StoredMessage | undefined> {
    const { rows } = await sql<StoredMessage>`
      UPDATE alert_messages
      SET attempts = attempts + 1, tried_at = clock_timestamp(),
          due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      WHERE id = (
        SELECT id FROM alert_messages
        WHERE state = 'queued' AND due_at <= clock_timestamp()
          AND (${id ?? null}::bigint IS NULL OR id = ${id ?? null}::bigint)
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, kind, event, at, facts, attempts`.execute(db)
    return rows[0]
  },

  /** @param error of a refusal; null for a message that arrived, whose end is then told if that was decided meanwhile */
  close: (id: number, error: string | null) =>
    sql`
      WITH closed AS (
        UPDATE alert_messages SET state = ${error === null ? 'sent' : 'refused'}, error = ${error}
        WHERE id = ${id} AND state IN ('queued', 'superseded') RETURNING id, kind, state, event
      )
      UPDATE alert_messages later SET state = 'queued', due_at = clock_timestamp()
      FROM closed
      WHERE closed.state = 'sent' AND closed.event NOT IN ('resolved', 'passed', 'test')
        AND later.kind = closed.kind AND later.id > closed.id
        AND later.event = 'resolved' AND later.state = 'superseded'
        AND NOT EXISTS (SELECT FROM alert_messages n WHERE n.kind = later.kind AND n.id > later.id)`.execute(
      db,
    ),

  postpone: (id: number, seconds: number, error: string) =>
    sql`
      UPDATE alert_messages SET due_at = clock_timestamp() + make_interval(secs => ${seconds}), error = ${error}
      WHERE id = ${id}`.execute(db),

  giveUpOld: () =>
    sql`
      UPDATE alert_messages SET state = 'refused'
      WHERE state = 'queued' AND at < clock_timestamp() - make_interval(hours => ${USEFUL_HOURS})`.execute(
      db,
    ),

  async webhookHealth(): Promise<WebhookHealth> {
    const { rows } = await sql<WebhookHealth>`
      WITH sent AS (
        SELECT id, tried_at FROM alert_messages WHERE state = 'sent' ORDER BY id DESC LIMIT 1
      ), failed AS (
        SELECT * FROM alert_messages
        WHERE attempts > 0 AND error IS NOT NULL AND id > coalesce((SELECT id FROM sent), 0)
      )
      SELECT (SELECT tried_at FROM sent) AS "sentAt",
             coalesce((SELECT sum(attempts)::int FROM failed), 0) AS attempts,
             coalesce((SELECT bool_or(state = 'refused') FROM failed), false) AS "isRefused",
             (SELECT min(at) FROM failed) AS "failingSince",
             (SELECT error FROM failed ORDER BY tried_at DESC LIMIT 1) AS error`.execute(db)
    return rows[0]!
  },

  /** @param error null when it arrived */
  noteTest: (facts: MessageFacts, error: string | null) =>
    sql`
      INSERT INTO alert_messages (kind, event, facts, state, attempts, tried_at, error)
      VALUES ('test', 'test', ${JSON.stringify(facts)}, ${error === null ? 'sent' : 'refused'}, 1, clock_timestamp(),
              ${error})`.execute(db),

  async deleteOld(days: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM alert_messages m
      WHERE at < now() - make_interval(days => ${days})
        AND EXISTS (SELECT FROM alert_messages later WHERE later.kind = m.kind AND later.id > m.id)`.execute(
      db,
    )
    return Number(numAffectedRows)
  },
})
