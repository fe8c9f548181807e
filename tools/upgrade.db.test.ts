import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '#platform/database.ts'
import { migrate, readMigrations } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { RUNNING, releaseName } from '#server/release.ts'
import { testDatabase } from '../test/support/database.ts'
import { migrationsFolder as folder, projectDir } from './database/tool.ts'
import { bareEnvironment } from './testbed/program.ts'

async function upgrade(url: string, ...options: string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [path.join(projectDir, 'tools/upgrade.ts'), ...options], {
    env: { ...bareEnvironment(), DATABASE_URL: url },
  })
  const [said, faults, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: code as number, said: said + faults }
}

async function emptyDatabase() {
  const base = await testDatabase({ empty: true })
  onTestFinished(() => base.close())
  return base
}

const newest = (await readMigrations(folder)).length

test('an upgrade is told before, done once by two at a time, and then nothing is left of it', async () => {
  const base = await emptyDatabase()
  await migrate({ url: base.url, folder, log: silentLog, upTo: newest - 1 })
  const applicationName = `${RUNNING}web 0.0.9-01234567`
  const other = openDatabase({ url: base.url, max: 1, log: silentLog, applicationName })
  onTestFinished(() => other.close())
  await sql`select 1`.execute(other.db)

  const told = await upgrade(base.url, '--check')
  expect(told.said).toContain(`This version:   ${releaseName()}`)
  expect(told.said).toContain('Running now:    web 0.0.9-01234567')
  expect(told.said).toMatch(new RegExp(`Migrations: +${String(newest).padStart(4, '0')}-`))
  expect(told.said).toMatch(told.code === 0 ? /Going back: +possible/ : /Going back: +NOT POSSIBLE/)
  const versions = async () =>
    (await sql<{ version: number }>`select version from schema_migration`.execute(base.db)).rows.length
  expect(await versions()).toBe(newest - 1)

  const both = await Promise.all([upgrade(base.url), upgrade(base.url)])
  const applied = both.map(({ said }) => Number(said.match(/(\d+) migrations applied/)?.[1]))
  expect(applied.toSorted((a, b) => a - b)).toEqual([0, 1])
  expect(await versions()).toBe(newest)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from assets`.execute(base.db)
  expect(rows[0]?.count).toBeGreaterThan(50)
  const after = await upgrade(base.url, '--check')
  expect(after).toMatchObject({ code: 0, said: expect.stringMatching(/Migrations: +none to apply/) })
})

test('the database of a newer version is told, and refused when that takes no older one', async () => {
  const base = await emptyDatabase()
  await migrate({ url: base.url, folder, log: silentLog })
  const add = (backTo: number) =>
    sql`
    insert into schema_migration (version, name, checksum, back_to) values (${newest + 1}, 'later', '', ${backTo})
    on conflict (version) do update set back_to = excluded.back_to`.execute(base.db)
  await add(0)
  const lets = await upgrade(base.url, '--check')
  expect(lets).toMatchObject({
    code: 0,
    said: expect.stringMatching(/Newer: +\d{4}-later\.sql, of a newer version/),
  })
  await add(newest + 1)
  const refused = await upgrade(base.url, '--check')
  expect(refused.code).toBe(1)
  expect(refused.said).toContain('Start that version, or restore a backup.')
})

test('a migration after which no older version runs is told with its name, and ends the check with 3', async () => {
  const base = await emptyDatabase()
  await migrate({ url: base.url, folder, log: silentLog })
  // What the first migrations, which have no line, are to a database that lacks the last of them.
  const first = (await readMigrations(folder)).find(
    ({ backTo, version }) => backTo === version && version > 1,
  )!
  await sql`delete from schema_migration where version >= ${first.version}`.execute(base.db)
  const told = await upgrade(base.url, '--check')
  expect(told.code).toBe(3)
  expect(told.said).toMatch(/Going back: +NOT POSSIBLE: .*0002-/)
})
