import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { audit, verifyAuditLog } from '#platform/audit-log.ts'
import { migrate } from '#platform/migrations.ts'
import { openDatabase } from '#platform/database.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { testDatabase, type TestDatabase } from '../../test/support/database.ts'
import { openShop } from '../../test/support/shop.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { readBackup } from './backup-file.ts'
import { writeDatabase } from '../backup/write.ts'
import { closeContests, type LoadOptions, move } from './load.ts'
import { fingerprint, listTables } from './tables.ts'
import { transact } from '#platform/transaction.ts'
import { migrationsFolder, withClient } from './tool.ts'
import { isExtended } from '../../test/support/tier.ts'

const shop = await openShop()

// Everything that has ever made a dump differ from its database.
const SCHEMA = `
  create table owner (id bigint generated always as identity primary key, name text not null, best_cat int);
  create table cat (
    id int generated always as identity primary key, owner_id bigint not null references owner,
    weight numeric(6,3), born timestamptz, photo bytea, notes jsonb, tags text[], mood text,
    loud text generated always as (upper(mood)) stored
  );
  alter table owner add foreign key (best_cat) references cat deferrable initially deferred;
  create table empty_one (id int primary key);
  create table log (at date not null, line text) partition by range (at);
  create table log_2026 partition of log for values from ('2026-01-01') to ('2027-01-01');
  create function refuse() returns trigger language plpgsql as $$ begin raise 'no inserts'; end $$;
  insert into empty_one values (99);
  create trigger refuse before insert on empty_one for each row execute function refuse();
`
const ROWS = `
  delete from empty_one;
  insert into owner (name) select 'owner ' || n from generate_series(1, 20000) n;
  insert into cat (owner_id, weight, born, photo, notes, tags, mood) values
    (1, 4.250, '2026-03-29 02:30:00.123456+02', '\\x00ff0a5c', 'null', '{"a,b","\\"c\\"",null}', E'tab\\t back\\\\slash \\\\. \\r\\n'),
    (2, null, 'infinity', '', '{"b":1.10,"a":"\\u2028"}', '{}', ''),
    (3, 'NaN', null, null, null, null, null),
    (4, 1, null, null, '[]', null, '\\.'),
    (5, 1, null, null, '""', null, U&'\\2028 é 😀');
  update owner set best_cat = 1 where id = 1;
  delete from owner where id = 20000;
  insert into log values ('2026-05-01', 'x');
  create trigger refuse before insert on cat for each row execute function refuse();
`

let folder: string
let file: string
let source: TestDatabase
let target: TestDatabase

const writeSchema = (into: string) => writeFileSync(path.join(into, '0001-cats.sql'), SCHEMA)

/** What the source of each test is a copy of. */
let filled: TestDatabase
const migrations = temporaryFolder('volant-test-', 'file')
beforeAll(async () => {
  filled = await testDatabase({ empty: true })
  writeSchema(migrations)
  await migrate({ url: filled.url, folder: migrations, log: silentLog })
  await on(filled, (client) => client.query(ROWS))
  return () => filled.close()
})

beforeEach(async () => {
  folder = temporaryFolder()
  file = path.join(folder, 'backup.gz')
  writeSchema(folder)
  source = await testDatabase({ empty: true, from: filled })
  target = await testDatabase({ empty: true })
  return () => Promise.all([source.close(), target.close()])
})

const on = <Result>(database: TestDatabase, work: (client: Client) => Promise<Result>) =>
  withClient(database.url, 'test', work)
const backup = () => on(source, async (client) => (await writeDatabase(client, file, [])).counts)
const restore = (options: Omit<LoadOptions, 'migrations'> = {}) =>
  on(target, (client) => readBackup(client, file, { migrations: folder, ...options }))
const contents = (database: TestDatabase) =>
  on(database, async (client) => {
    const result: Record<string, unknown> = {}
    for (const shape of await listTables(client)) result[shape.table] = await fingerprint(client, shape)
    return result
  })
const query = (database: TestDatabase, text: string) =>
  on(database, async (client) => (await client.query(text)).rows as unknown[])

const COUNTS = { cat: 5, empty_one: 0, log: 1, owner: 19999 }

test('a backup restores to the same rows, counters and guards', async () => {
  expect(await backup()).toEqual(COUNTS)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await restore()).toEqual(COUNTS)
  expect(await contents(target)).toEqual(await contents(source))
  const mood = 'tab\t back\\slash \\. \r\n'
  const [photo, dot] = [Buffer.from([0, 255, 10, 92]), '\\.']
  const cats = 'select mood, loud, notes::text, photo from cat where id in (1, 4) order by id'
  expect(await query(target, cats)).toEqual([
    { mood, loud: mood.toUpperCase(), notes: 'null', photo },
    { mood: dot, loud: dot, notes: '[]', photo: null },
  ])
  expect(await query(target, "insert into owner (name) values ('next') returning id::int")).toEqual([
    { id: 20001 },
  ])
  await expect(query(target, 'delete from owner where id = 1')).rejects.toThrow('foreign key')
  await expect(query(target, 'insert into cat (owner_id) values (77777)')).rejects.toThrow('foreign key')
  await expect(query(target, 'insert into empty_one values (1)')).rejects.toThrow('no inserts')
  expect(await migrate({ url: target.url, folder, log: silentLog })).toEqual([])
})

test.runIf(isExtended)('bytes of several megabytes survive a backup, a restore and a move', async () => {
  const photo = Buffer.alloc(6_000_000, 'every byte of a picture: \\ \0\n\xff', 'latin1')
  await on(source, (client) => client.query('alter table cat disable trigger refuse'))
  await on(source, (client) => client.query('insert into cat (owner_id, photo) values (9, $1)', [photo]))
  await on(source, (client) => client.query('alter table cat enable trigger refuse'))
  const stored = async () =>
    (await query(target, 'select photo from cat where owner_id = 9')) as { photo: Buffer }[]
  await backup()
  await restore()
  expect(photo.equals((await stored())[0]!.photo)).toBe(true)
  await query(target, 'drop schema public cascade')
  await query(target, 'create schema public')
  await moveFrom(source)
  expect(photo.equals((await stored())[0]!.photo)).toBe(true)
})

test('a backup is one snapshot of a running sale', async () => {
  await on(source, async (seller) => {
    const writing = backup()
    for (let n = 0; n < 30; n += 1)
      await seller.query(`begin; insert into owner (name) values ('a'), ('b'); commit`)
    await writing
  })
  await restore()
  expect(await query(target, 'select count(*)::int % 2 as rest from owner')).toEqual([{ rest: 1 }])
})

const addColour = (more = '') =>
  writeFileSync(path.join(folder, '0002-colour.sql'), `alter table cat add colour text${more};\n`)

test('an older backup is updated by newer migrations', async () => {
  await backup()
  addColour(" not null default 'red'")
  await restore()
  expect(await migrate({ url: target.url, folder, log: silentLog })).toEqual(['colour'])
  expect(await query(target, 'select distinct colour from cat')).toEqual([{ colour: 'red' }])
})

test('a backup of a newer version is refused', async () => {
  addColour()
  await migrate({ url: source.url, folder, log: silentLog })
  await backup()
  rmSync(path.join(folder, '0002-colour.sql'))
  await expect(restore()).rejects.toThrow('migration 2 «colour», which this version of Volant does not have')
})

test('a database with data is refused, and replaced only on request', async () => {
  await backup()
  await query(target, 'create table mine (id int)')
  await expect(restore()).rejects.toThrow('not empty')
  expect(await query(target, 'select * from mine')).toEqual([])
  expect(await restore({ replace: true })).toEqual(COUNTS)
  await expect(query(target, 'select * from mine')).rejects.toThrow('does not exist')
})

test('a change before the commit of a restore is part of it, and its failure undoes the restore', async () => {
  await backup()
  const full = () => query(target, "select count(*)::int as rows from pg_tables where tablename = 'cat'")
  const refuse = () => Promise.reject(new Error('not now'))
  await expect(restore({ beforeCommit: refuse })).rejects.toThrow('not now')
  expect(await full()).toEqual([{ rows: 0 }])
  await restore({ beforeCommit: async (client) => void (await client.query('delete from log')) })
  expect(await query(target, 'select * from log')).toEqual([])
})

test('a database in use is refused', async () => {
  await backup()
  await target.pool.query('select 1')
  await expect(restore()).rejects.toThrow('Stop the shop first')
})

const rewrite = (change: (text: string) => string) =>
  writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)).toString())))

const withoutEnd = (text: string) => text.slice(0, text.lastIndexOf('{"end"'))
const withOtherName = (text: string) => text.replace('owner 777\t', 'owner 778\t')

test.each([
  ['cut off', () => truncateSync(file, statSync(file).size - 2000), 'cut off'],
  ['not a backup', () => writeFileSync(file, 'hello'), 'no backup'],
  ['without its end', () => rewrite(withoutEnd), 'its end is missing'],
  ['changed in one value', () => rewrite(withOtherName), 'Table owner did not arrive whole'],
])('a file that is %s is refused and changes nothing', async (_what, damage, message) => {
  await backup()
  const whole = readFileSync(file)
  damage()
  await expect(restore()).rejects.toThrow(message)
  expect(await contents(target)).toEqual({})
  writeFileSync(file, whole)
  expect(await restore()).toEqual(COUNTS)
})

test('an existing file is never overwritten', async () => {
  writeFileSync(file, 'precious')
  await expect(backup()).rejects.toThrow('EEXIST')
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

const moveFrom = (from: TestDatabase) =>
  on(from, (reader) => on(target, (writer) => move(reader, writer, { migrations: folder })))

test('moving copies everything to an empty server and does not change the source', async () => {
  const before = await contents(source)
  expect(await moveFrom(source)).toEqual(COUNTS)
  expect(await contents(target)).toEqual(before)
  expect(await contents(source)).toEqual(before)
  await expect(moveFrom(source)).rejects.toThrow('not empty')
})

test('moving is refused while the shop runs, and for an empty database', async () => {
  await source.pool.query('select 1')
  await expect(moveFrom(source)).rejects.toThrow('Stop the shop first')
  expect(await contents(target)).toEqual({})
  const nothing = await testDatabase({ empty: true })
  await expect(moveFrom(nothing)).rejects.toThrow('no shop has ever used it')
  await nothing.close()
})

test('the audit log is the same chain after a restore, in whatever order its rows are stored', async () => {
  for (const id of ['b', 'c', 'a'])
    await transact(shop.db, (trx) =>
      audit(trx, { actor: 'command line', action: 'orders.read', subject: { kind: 'order', id } }),
    )
  const { role } = await shop.newStaff('support')
  await shop.pool.query('CLUSTER audit_log USING audit_log_subject')
  const before = await verifyAuditLog(shop.db)
  await withClient(shop.url, 'test', (client) => writeDatabase(client, file, []))
  await on(target, (client) => readBackup(client, file, { migrations: migrationsFolder }))
  const restored = openDatabase({
    url: target.url,
    max: 1,
    log: silentLog,
    applicationName: 'volant tool test',
  })
  try {
    expect(await verifyAuditLog(restored.db)).toEqual(before)
    expect(before).toMatchObject({ entries: 4, brokenAt: null })
    await transact(restored.db, (trx) => audit(trx, { actor: 'system', action: 'demo.load' }))
    expect(await verifyAuditLog(restored.db)).toMatchObject({ entries: 5, brokenAt: null })
  } finally {
    await restored.close()
  }
  expect(
    await query(target, `select role, is_staff, is_superuser from users where role is not null`),
  ).toEqual([{ role, is_staff: true, is_superuser: false }])
  await expect(query(target, 'delete from audit_log')).rejects.toThrow('audit_log')
})

test('nothing is sold from a closed database until a contest is opened again', async () => {
  const running = await shop.newOffer({ slug: 'running' })
  await shop.newOffer({ slug: 'another' })
  await shop.newOffer({ slug: 'over', end_date: new Date(Date.now() - 60_000) })
  const customer = await shop.newCustomer()
  const close = () => withClient(shop.url, 'restore', closeContests)
  expect(await close()).toEqual(['another', 'running'])
  expect(await close()).toEqual([])
  expect((await customer.order(running, 1)).status).toBe(409)
  expect(await shop.counters(running)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  // As docs/recovery.md says.
  const staff = await shop.newStaff('manager')
  const { version } = (await staff.get(`/api/staff/offers/${running}/`)).body
  await staff.post(`/api/staff/offers/${running}/resume/`, { version })
  expect((await customer.order(running, 1)).status).toBe(200)
})
