import pg from 'pg'

async function asAdmin<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Counts of statements by what they touch. */
export interface Statements {
  all: number
  /** Those of the limits. */
  limits: number
}

/** PostgreSQL's own count of the statements it has run, BEGIN and COMMIT among them. */
export const countStatements = {
  /** The server has to be started again after this. */
  prepare: (adminUrl: string): Promise<void> =>
    asAdmin(adminUrl, async (client) => {
      await client.query(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`)
    }),

  read: (adminUrl: string): Promise<Statements> =>
    asAdmin(adminUrl, async (client) => {
      await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
      const { rows } = await client.query<Statements>(`
        SELECT coalesce(sum(calls), 0)::float8 AS all,
               coalesce(sum(calls) FILTER (WHERE query ILIKE '%limit_counters%'), 0)::float8 AS limits
        FROM pg_stat_statements`)
      return rows[0] ?? { all: 0, limits: 0 }
    }),
}
