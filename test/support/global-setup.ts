import path from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startThrowAwayPostgres } from '#platform/postgres/throw-away.ts'
import { onDatabase } from './database-url.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser address of the test run's own PostgreSQL. */
    databaseAdminUrl: string
    /** A migrated, empty database to clone. */
    databaseTemplate: string
  }
}

const projectDir = path.resolve(import.meta.dirname, '../..')
const TEMPLATE = 'volant'

/**
 * Starts one private PostgreSQL for the test run and migrates a template in it. It dies with the test
 * run, even when that is killed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
  try {
    const url = onDatabase(server.url, TEMPLATE)
    await migrate({ url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
    await sealTemplate(server.adminUrl)
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('databaseAdminUrl', server.adminUrl)
  project.provide('databaseTemplate', TEMPLATE)
  return server.stop
}

/** A template with open connections cannot be cloned. */
async function sealTemplate(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(`alter database ${TEMPLATE} with allow_connections false is_template true`)
  await client.end()
}
