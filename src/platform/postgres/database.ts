import { Client } from 'pg'

const PREPARE_LOCK = 720_411_919

/** Address of a database behind a Unix socket, in the form `pg` and kysely-codegen understand. */
export function socketUrl(target: {
  user: string
  database: string
  socketDir: string
  port: number
}): string {
  const host = encodeURIComponent(target.socketDir)
  return `postgres://${target.user}@localhost:${target.port}/${encodeURIComponent(target.database)}?host=${host}`
}

/**
 * Creates the role and the database `volant` when they are missing. The shop's role is no superuser: a hole
 * in the shop must not become a way to run programs through COPY.
 */
export async function ensureRoleAndDatabase(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 })
  // A failing query reports the fault itself.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [PREPARE_LOCK])
    const role = await client.query("select from pg_roles where rolname = 'volant'")
    if (role.rowCount === 0) await client.query('create role volant login')
    const database = await client.query("select from pg_database where datname = 'volant'")
    if (database.rowCount === 0) await client.query('create database volant owner volant')
  } finally {
    await client.end()
  }
}
