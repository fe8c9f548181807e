import { Client } from 'pg'
import { SOCKET_PORT } from './home.ts'
import type { PlatformLog } from './log.ts'

const PREPARE_LOCK = 720_411_919

/** Address of a database behind a Unix socket, in the form `pg` and kysely-codegen understand. */
export function socketUrl(socketDir: string, { user, database }: { user: string; database: string }): string {
  const host = encodeURIComponent(socketDir)
  return `postgres://${user}@localhost:${SOCKET_PORT}/${encodeURIComponent(database)}?host=${host}`
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

// Any number will do, as long as every process asks for the same one in the database `postgres`.
const KEEPER_LOCK = 720_411_918
const LEAVE_ATTEMPTS = 3
const LEAVE_PAUSE_MS = 80

/** A connection that marks the server as used by a shared advisory lock, which also a kill -9 releases. */
export interface Keeper {
  /** Gives up the use of the server; true when nobody else uses it and it may be stopped now. */
  leave(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Registers this process as a user of the server.
 * @param onLost called once if the server goes away while it is in use
 * @returns undefined when the last user is about to stop the server
 */
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
      // The server notices a moment late that another user was killed.
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
  const answer = await client.query<{ yes: boolean }>(`select ${lockFunction}($1) as yes`, [KEEPER_LOCK])
  return answer.rows[0]?.yes === true
}

/** Errors of a server that is starting or stopping. */
const isTransient = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  if (['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(code ?? ''))
    return true
  return /about to stop|terminated unexpectedly|timeout expired/i.test(message ?? '')
}
