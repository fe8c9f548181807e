import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'

/** From the third time on a statement is prepared, where sessions are not shared (ADR 0018). */
const OFTEN = 4
/** Long enough for others to get another session of a pooler meanwhile. */
const HELD_MS = 300

/** What the doctor asks of PostgreSQL itself. */
export const doctorRepository = (db: Database) => ({
  /** @returns the server's version, and the newest migration; null without tables */
  async versions(): Promise<{ version: string; stored: number | null }> {
    const { rows } = await sql<{ version: string; isMigrated: boolean }>`
      SELECT current_setting('server_version') AS version,
             to_regclass('public.schema_migration') IS NOT NULL AS "isMigrated"`.execute(db)
    const { version, isMigrated } = rows[0]!
    if (!isMigrated) return { version, stored: null }
    const { rows: newest } = await sql<{ stored: number }>`
      SELECT coalesce(max(version), 0)::int AS stored FROM schema_migration`.execute(db)
    return { version, stored: newest[0]!.stored }
  },

  /** How many connections are in use, and how many there may be: of server, database and role the one with least left. */
  async connections(): Promise<{ most: number; used: number }> {
    const { rows } = await sql<{ most: number; used: number }>`
      WITH sessions AS (
        SELECT datid, usesysid FROM pg_stat_activity
        -- An ordinary role does not see of which kind the sessions of other roles are.
        WHERE usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
      )
      SELECT most, used FROM (
        SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                 - coalesce(current_setting('reserved_connections', true), '0')::int AS most,
               (SELECT count(*)::int FROM sessions) AS used
        UNION ALL
        SELECT datconnlimit, (SELECT count(*)::int FROM sessions WHERE datid = d.oid)
        FROM pg_database d WHERE datname = current_database() AND datconnlimit >= 0
        UNION ALL
        SELECT rolconnlimit, (SELECT count(*)::int FROM sessions WHERE usesysid = r.oid)
        FROM pg_roles r WHERE rolname = current_user AND rolconnlimit >= 0
      ) AS limits ORDER BY most - used LIMIT 1`.execute(db)
    return rows[0]!
  },

  /** Repeats a statement as often as buyers do, and once more while a transaction holds a session. Rejects as theirs would. */
  async askAsBuyersDo(): Promise<void> {
    await db.connection().execute(async (connection) => {
      const ask = () => sql`SELECT ${1}::int`.execute(connection)
      for (let time = 0; time < OFTEN; time += 1) await ask()
      const holding = transact(db, (trx) => sql`SELECT pg_sleep(${HELD_MS / 1_000}::float8)`.execute(trx))
      await Promise.all([sleep(HELD_MS / 2).then(ask), holding])
    })
  },

  /** Where PostgreSQL has its files on this machine; none that it does not tell this role. */
  async folders(): Promise<{ isHere: boolean; folders: string[] }> {
    const { rows } = await sql<{ isHere: boolean; folders: string[] }>`
      SELECT inet_server_addr() IS NULL OR inet_server_addr() << '127.0.0.0/8' OR inet_server_addr() = '::1' AS "isHere",
             array(
               SELECT current_setting('data_directory') WHERE pg_has_role('pg_read_all_settings', 'USAGE')
               UNION ALL
               SELECT pg_tablespace_location(oid) FROM pg_tablespace WHERE pg_tablespace_location(oid) <> ''
             ) AS folders`.execute(db)
    return rows[0]!
  },

  /** Whether commits wait for a standby, how many are connected, and the log that is kept for one that is away. */
  async standbys(laggingMb: number): Promise<{
    isAwaited: boolean
    connected: number
    lagging: { slot: string; megabytes: number } | null
  }> {
    const { rows } = await sql<{
      isAwaited: boolean
      connected: number
      slot: string | null
      megabytes: number
    }>`
      SELECT current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') <> 'local'
               AND current_setting('synchronous_commit') <> 'off' AS "isAwaited",
             (SELECT count(*)::int FROM pg_stat_replication) AS connected, away.slot, away.megabytes
      FROM (SELECT) AS one LEFT JOIN LATERAL (
        SELECT slot_name AS slot, (kept / 1048576)::int AS megabytes
        FROM (
          SELECT slot_name, active, pg_wal_lsn_diff(
            CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn
          ) AS kept FROM pg_replication_slots
        ) AS slots
        WHERE NOT active AND kept > ${laggingMb}::int * 1048576::numeric ORDER BY kept DESC LIMIT 1
      ) AS away ON true`.execute(db)
    const { isAwaited, connected, slot, megabytes } = rows[0]!
    return { isAwaited, connected, lagging: slot === null ? null : { slot, megabytes } }
  },

  /** Unix time in milliseconds. */
  async time(): Promise<number> {
    const { rows } = await sql<{ ms: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`.execute(db)
    return rows[0]!.ms
  },

  /** Hours since the last backup, and since PostgreSQL archived a file; null for never. */
  async backups(): Promise<{ hours: number | null; archived: number | null; isFailing: boolean }> {
    const { rows } = await sql<{ hours: number | null; archived: number | null; isFailing: boolean }>`
      SELECT (SELECT extract(epoch FROM clock_timestamp() - max(taken_at)) / 3600 FROM backups)::float8 AS hours,
             (extract(epoch FROM clock_timestamp() - last_archived_time) / 3600)::float8 AS archived,
             current_setting('archive_mode') <> 'off'
               AND coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "isFailing"
      FROM pg_stat_archiver`.execute(db)
    return rows[0]!
  },
})
