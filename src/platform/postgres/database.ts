import { Client } from 'pg'
import { SOCKET_PORT } from './home.ts'
import type { PlatformLog } from './log.ts'

const PREPARE_LOCK = 720_411_919

/** Address of a database behind a Unix socket, for `pg` and kysely-codegen. */
export function socketUrl(socketDir: string, { user, database }: { user: string; database: string }): string {
  const host = encodeURIComponent(socketDir)
  return `postgres://${user}@localhost:${SOCKET_PORT}/${encodeURIComponent(database)}?host=${host}`
}

/** Creates what is missing. The role is no superuser: a hole in the shop must not run programs through COPY. */
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

// An arbitrary number, locked in the database `postgres`.
const KEEPER_LOCK = 720_411_918
const LEAVE_ATTEMPTS = 3
const LEAVE_PAUSE_MS = 80

/** Marks the server as used by a shared advisory lock, which also a kill -9 releases. */
export interface Keeper {
  /** Ends the use; true when no other process uses the server, which may then be stopped. */
  leave(): Promise<boolean>
  close(): Promise<void>
}

/** Registers a user of the server; undefined while its last user stops it. @param onLost called at most once */
export async function keepServer(
  url: string,
  log: PlatformLog,
  onLost: () => void,
): Promise<Keeper | undefined> {
  const client = new Client({
    connectionString: url,
    application_name: 'volant keeper',
    connectionTimeoutMillis: 10_000,
  })
  let leaving = false
  let lost = false
  const lose = () => {
    if (leaving || lost) return
    lost = true
    onLost()
  }
  client.on('error', (error) => {
    if (!leaving) log.warn({ reason: error.message }, 'the connection to the embedded database broke')
  })
  try {
    await client.connect()
    if (!(await ask(client, 'pg_try_advisory_lock_shared'))) throw new Error('the server is about to stop')
  } catch (error) {
    leaving = true
    await client.end().catch(() => {})
    if (isTransient(error)) return undefined
    throw error
  }
  client.on('end', lose)
  return {
    leave: async () => {
      leaving = true
      if (lost) return false
      await ask(client, 'pg_advisory_unlock_shared')
      // The server notices a killed user a moment late.
      for (let attempt = 0; attempt < LEAVE_ATTEMPTS; attempt += 1) {
        if (await ask(client, 'pg_try_advisory_lock')) return true
        await new Promise((resolve) => setTimeout(resolve, LEAVE_PAUSE_MS))
      }
      return false
    },
    close: async () => {
      leaving = true
      await client.end().catch(() => {})
    },
  }
}

const ask = async (client: Client, lockFunction: string): Promise<boolean> => {
  const response = await client.query<{ yes: boolean }>(`select ${lockFunction}($1) as yes`, [KEEPER_LOCK])
  return response.rows[0]?.yes === true
}

/** Errors of a server that is starting or stopping. */
const isTransient = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  if (['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(code ?? ''))
    return true
  return /about to stop|terminated unexpectedly|timeout expired/i.test(message ?? '')
}
