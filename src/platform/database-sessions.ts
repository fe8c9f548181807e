import { databaseClient } from './database-client.ts'

/** What a pool knows of its sessions at the server. */
export interface Sessions {
  /** Whether a pooler may give each transaction another one: nothing may be left in it (ADR 0018). */
  areShared: boolean
  /** Finds out, once; rejects while the database does not respond. */
  known(): Promise<void>
  /** Called when a statement shows that they are shared. */
  found(): void
}

const PROBE_MS = 14_999
/** Commands that need a database without others do not count what begins so. */
const PROBE = 'volant tool probe'

export function sessionsOf(url: string, onShared: () => void): Sessions {
  let asked: Promise<void> | undefined
  const sessions: Sessions = {
    areShared: false,
    known: () => {
      asked ??= areShared(url).then((isSo) => void (isSo && sessions.found()))
      asked.catch(() => (asked = undefined))
      return asked
    },
    found: () => {
      if (!sessions.areShared) onShared()
      sessions.areShared = true
    },
  }
  return sessions
}

/**
 * Whether a pooler responds: it refuses or ignores a setting of the session, which PostgreSQL itself takes. One that
 * pools sessions and not transactions looks the same, and works the same.
 */
async function areShared(url: string): Promise<boolean> {
  const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 }
  const client = databaseClient(url, { application_name: PROBE, statement_timeout: PROBE_MS, ...limits })
  try {
    await client.connect()
    const { rows } = await client.query<{ given: string }>(
      `select current_setting('statement_timeout') as given`,
    )
    return rows[0]?.given !== `${PROBE_MS}ms`
  } catch (error) {
    if (error instanceof Error && error.message.includes('startup parameter')) return true
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}
