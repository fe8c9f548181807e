import path from 'node:path'
import type { Client } from 'pg'
import { describeHosts } from '#platform/database-address.ts'
import { databaseClient } from '#platform/database-client.ts'
import { ensureEmbeddedPostgres } from '#platform/postgres/embedded.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { givenDatabaseUrl } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'
import { atEnd, isEnding } from '../run/ending.ts'

export const projectDir = path.resolve(import.meta.dirname, '../..')
export const migrationsFolder = path.join(projectDir, 'db/migrations')

interface CurrentDatabase {
  url: string
  /** Where it is, for a person; without a password. */
  place: string
  stop(): Promise<void>
}

/** The shop's database: DATABASE_URL, or the embedded one of DATA_DIR, which is started when it does not run. */
async function currentDatabase(env: NodeJS.ProcessEnv): Promise<CurrentDatabase> {
  const given = givenDatabaseUrl(env)
  if (given !== undefined) return { url: given, place: describeUrl(given), stop: async () => {} }
  const dataDir = path.resolve(projectDir, env.DATA_DIR || SETTINGS.dataDir.fallback || 'data')
  const { url, stop } = await ensureEmbeddedPostgres({ dataDir, projectDir, log: silentLog })
  return { url, place: `the embedded database in ${dataDir}`, stop }
}

export function describeUrl(url: string): string {
  return `${describeHosts(url)}/${databaseClient(url).database}`
}

export async function withClient<Result>(
  url: string,
  name: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = databaseClient(url, { application_name: `volant tool ${name}` })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A path as the person meant it: npm runs tools in the project's folder. */
export const fromCaller = (file: string): string => path.resolve(process.env.INIT_CWD ?? process.cwd(), file)

export function printCounts(counts: Record<string, number>): void {
  for (const [table, rows] of Object.entries(counts)) console.log(`  ${table.padEnd(24)} ${rows}`)
}

/** Runs `work` with the shop's database. */
export async function withDatabase<Result>(work: (database: CurrentDatabase) => Promise<Result>) {
  const database = await currentDatabase(process.env)
  const done = atEnd(() => database.stop())
  try {
    return await work(database)
  } finally {
    await database.stop()
    done()
  }
}

/** Runs a tool; a failure is printed in one line and ends the process with 1. */
export async function runTool(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isEnding()) return
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
