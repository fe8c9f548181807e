import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from './embedded.ts'
import { silentLog } from './log.ts'

export const projectDir = path.resolve(import.meta.dirname, '../../..')

/** The folder of one test and the servers it has started; both are gone after the test. */
export const place: { folder: string; running: EmbeddedPostgres[] } = { folder: '', running: [] }

beforeEach(() => {
  place.folder = mkdtempSync(path.join(os.tmpdir(), 'volant-embedded-'))
  chmodSync(place.folder, 0o711)
  place.running = []
})
afterEach(async () => {
  await Promise.all(place.running.map((server) => server.stop()))
  rmSync(place.folder, { recursive: true, force: true })
})

export const dataFolder = (): string => path.join(place.folder, 'data')

// Only what survives a kill needs the flushes; without them a start takes half the time.
export async function start(dataDir = dataFolder(), durable = false): Promise<EmbeddedPostgres> {
  const server = await ensureEmbeddedPostgres({ dataDir, projectDir, log: silentLog, durable })
  place.running.push(server)
  return server
}

export const pidFile = (server: EmbeddedPostgres): string =>
  path.join(server.dataDir, 'cluster/postmaster.pid')
export const pidOf = (server: EmbeddedPostgres): number =>
  Number.parseInt(readFileSync(pidFile(server), 'utf8'), 10)

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}
export const makeTable = (server: EmbeddedPostgres) =>
  query(server.url, 'create table kept as select 42 as answer')
export const readTable = (server: EmbeddedPostgres) => query(server.url, 'select answer from kept')
