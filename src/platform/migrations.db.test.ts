import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/support/database.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { databaseClient } from './database-client.ts'
import {
  MigrationError,
  foreseeUpgrade,
  migrate,
  refuseUnreleasedDatabase,
  UnreleasedDatabaseError,
} from './migrations.ts'
import { silentLog } from './postgres/log.ts'

let base: TestDatabase
let folder: string

beforeEach(async () => {
  base = await testDatabase({ empty: true })
  folder = temporaryFolder()
  write('0001-shelf.sql', 'create table shelf (id int primary key);\ninsert into shelf values (1);\n')
  write('0002-colour.sql', "alter table shelf add colour text not null default 'red';\n")
  return () => base.close()
})

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
const run = (upTo?: number) => migrate({ url: base.url, folder, log: silentLog, ...(upTo ? { upTo } : {}) })
const rows = async (table: string) => (await sql`select * from ${sql.table(table)}`.execute(base.db)).rows

test('each migration is applied once, in order, also in several runs', async () => {
  expect(await run(1)).toEqual(['shelf'])
  expect(await run()).toEqual(['colour'])
  expect(await run()).toEqual([])
  expect(await rows('shelf')).toEqual([{ id: 1, colour: 'red' }])
})

test('a migration that fails changes nothing and those before it stand', async () => {
  write('0003-broken.sql', 'create table half (id int);\nselect 1 / 0;\n')
  await expect(run()).rejects.toThrow('0003-broken.sql failed and changed nothing: division by zero')
  expect(await rows('schema_migration')).toHaveLength(2)
  await expect(rows('half')).rejects.toThrow('does not exist')
})

test('a changed file of an applied migration is refused, but for its line ends; a newer database is, too', async () => {
  await run()
  write('0001-shelf.sql', 'create table shelf (id int primary key);\r\ninsert into shelf values (1);\r\n')
  expect(await run()).toEqual([])
  write('0001-shelf.sql', 'create table shelf (id bigint primary key);\n')
  await expect(run()).rejects.toThrow('0001-shelf.sql was changed after this database had applied it')
  rmSync(path.join(folder, '0002-colour.sql'))
  write('0001-shelf.sql', 'create table shelf (id int primary key);\ninsert into shelf values (1);\n')
  await expect(run()).rejects.toThrow('newer version of Volant')
})

const withLine = (line: string) => `-- Because of colours.\n${line}\ncreate table later (id int);\n`

/** What a version with the first two files says to a database that has this third one. */
async function startedAfter(text: string, more?: string): Promise<string[]> {
  write('0003-later.sql', text)
  if (more !== undefined) write('0004-last.sql', more)
  await run()
  rmSync(path.join(folder, '0003-later.sql'))
  rmSync(path.join(folder, '0004-last.sql'), { force: true })
  const said: string[] = []
  const warn = (fields: object, message: string) => void said.push(`${JSON.stringify(fields)} ${message}`)
  await migrate({ url: base.url, folder, log: { ...silentLog, warn } })
  return said
}

test.each([
  ['-- Going back: yes', undefined],
  ['-- Going back: to 0002', undefined],
  ['-- Going back: to 0001', '-- Going back: yes\nselect 1;\n'],
])('a version starts on the schema of a newer one that says «%s», and tells so', async (line, more) => {
  const said = await startedAfter(withLine(line), more)
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(/0003-later.sql.*newer version of Volant, whose migrations let this one run/)
})

test.each([
  ['-- Going back: no, the column that older versions read is gone', undefined],
  ['-- Going back: to 0003', undefined],
  ['-- Going back: to 0009', undefined],
  ['-- Going back: maybe', undefined],
  ['', undefined],
  ['-- Going back: yes', '-- Going back: no, it drops a table\nselect 1;\n'],
])('a version refuses the schema of a newer one that says «%s»', async (line, more) => {
  await expect(startedAfter(withLine(line), more)).rejects.toThrow(
    /000[34]-la(?:ter|st)\.sql.*lets no version run that has less than 000[34]/,
  )
})

test('an upgrade is foreseen: what it applies, and after what there is no way back', async () => {
  const foresee = () => foreseeUpgrade(base.url, folder)
  const [shelf, colour] = ['0001-shelf.sql', '0002-colour.sql']
  expect(await foresee()).toEqual({ from: 0, pending: [shelf, colour], newer: [], noWayBack: [] })
  expect(await base.db.introspection.getTables()).toEqual([])
  await run()
  write('0003-later.sql', withLine('-- Going back: yes'))
  expect(await foresee()).toEqual({ from: 2, pending: ['0003-later.sql'], newer: [], noWayBack: [] })
  write('0004-last.sql', withLine('-- Going back: to 0003').replace('later', 'last'))
  expect((await foresee()).noWayBack).toEqual(['0004-last.sql'])
  await run()
  rmSync(path.join(folder, '0004-last.sql'))
  expect(await foresee()).toEqual({ from: 4, pending: [], newer: ['0004-last.sql'], noWayBack: [] })
})

test('a database whose table of migrations is of an older version learns how far one can go back', async () => {
  await run()
  await sql`alter table schema_migration drop column back_to`.execute(base.db)
  write('0003-later.sql', withLine('-- Going back: yes'))
  expect((await foreseeUpgrade(base.url, folder)).noWayBack).toEqual([])
  expect(await run()).toEqual(['later'])
  expect((await rows('schema_migration')).map((row) => (row as { back_to: number }).back_to)).toEqual([
    null,
    null,
    0,
  ])
})

test('a start waits for nobody who reads the table of migrations, such as a backup', async () => {
  await run()
  await base.db.transaction().execute(async (trx) => {
    await sql`select * from schema_migration`.execute(trx)
    expect(await run()).toEqual([])
  })
})

test('a database from before the first release is refused, and nothing in it changes', async () => {
  const refuse = () => refuseUnreleasedDatabase(base.url, folder)
  await refuse()
  await run()
  await refuse()
  rmSync(path.join(folder, '0001-shelf.sql'))
  write('0001-initial.sql', 'create table shelf (id int primary key, colour text);\n')
  await expect(refuse()).rejects.toThrow(UnreleasedDatabaseError)
  await expect(run()).rejects.toThrow('before its first release (with 0001-shelf.sql)')
  expect(await rows('shelf')).toEqual([{ id: 1, colour: 'red' }])
  expect(await rows('schema_migration')).toHaveLength(2)
})

test('a database that cannot be reached is not refused', async () => {
  const unreachable = 'postgres://volant@127.0.0.1:1/volant'
  await expect(refuseUnreleasedDatabase(unreachable, folder)).resolves.toBeUndefined()
})

test.each([
  ['a gap', '0004-late.sql'],
  ['a double number', '0002-again.sql'],
  ['a wrong name', 'Colour.sql'],
])('%s in the numbers is refused', async (_what, name) => {
  write(name, 'select 1')
  await expect(run()).rejects.toThrow(MigrationError)
})

// The pause widens the race: without the lock both runs, each on its own connection, would be inside the first file at once.
test('two concurrent runs apply each migration once', async () => {
  write('0001-shelf.sql', 'select pg_sleep(0.7);\ncreate table shelf (id int primary key);\n')
  const results = await Promise.all([run(), run()])
  expect(results.flat().toSorted()).toEqual(['colour', 'shelf'])
})

const LOCKED = { advisory: 'select pg_advisory_xact_lock(720411920)', table: 'lock table shelf' }
test.each(Object.entries(LOCKED))(
  'a run that waits for the %s lock of another program names it',
  async (_what, lock) => {
    await run(1)
    const told: unknown[] = []
    const log = { ...silentLog, warn: (fields: object) => void told.push(fields) }
    const holder = databaseClient(base.url, { application_name: 'somebody else' })
    await holder.connect()
    await holder.query('begin')
    await holder.query(lock)
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
    const running = migrate({ url: base.url, folder, log, tellAfterMs: 50 })
    const named = {
      holders: [{ pid: rows[0]?.pid, application: 'somebody else', state: 'idle in transaction' }],
    }
    await expect.poll(() => told[0]).toMatchObject(named)
    await holder.end()
    expect(await running).toEqual(['colour'])
  },
)
