import { Client } from 'pg'
import type { PlatformLog } from './log.ts'

// Any number will do, as long as every process asks for the same one in the database `postgres`.
const KEEPER_LOCK = 720_411_918
const LEAVE_ATTEMPTS = 3
const LEAVE_PAUSE_MS = 80

/**
 * A connection that says «this process uses the server». It holds a shared advisory lock, which the
 * server forgets by itself when the process dies, so nothing is left behind by a kill -9.
 */
export interface Keeper {
  /** Gives up the use of the server; true when nobody else uses it and it may be stopped now. */
  leave(): Promise<boolean>
  /** Ends the connection. */
  close(): Promise<void>
}

/**
 * Registers this process as a user of the server. Nothing when the last user is about to stop it.
 * `onLost` is called once if the server goes away while it is in use.
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
    if (isPassing(error)) return undefined
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

/** Failures of a server that is going down or coming up; all others are worth telling. */
const isPassing = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string }
  if (['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(code ?? ''))
    return true
  return /about to stop|terminated unexpectedly|timeout expired/i.test(message ?? '')
}
