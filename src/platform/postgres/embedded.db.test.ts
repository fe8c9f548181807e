import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { PATIENCE } from '../../../test/support/shop-process.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { isExtended } from '../../../test/support/tier.ts'
import { repairLibraryLinks } from './binaries.ts'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from './embedded.ts'
import { silentLog } from './log.ts'
import { isAlive } from './process-table.ts'

const projectDir = path.resolve(import.meta.dirname, '../../..')

let folder = ''

beforeEach(() => {
  folder = temporaryFolder()
  fs.chmodSync(folder, 0o711)
})

const dataFolder = (): string => path.join(folder, 'data')
const modeOf = (file: string): number => fs.statSync(file).mode & 0o777
const socketFolder = ({ url }: EmbeddedPostgres): string => new URL(url).searchParams.get('host') ?? ''

// Only what survives a kill needs the flushes; without them a start takes half the time.
async function start(dataDir = dataFolder(), durable = false, emptyCopy = false): Promise<EmbeddedPostgres> {
  const options = { dataDir, projectDir, log: silentLog, durable, emptyCopy }
  const server = await ensureEmbeddedPostgres(options)
  onTestFinished(() => server.stop())
  return server
}

const pidFile = (server: EmbeddedPostgres): string => path.join(server.dataDir, 'cluster/postmaster.pid')
const pidOf = (server: EmbeddedPostgres): number =>
  Number.parseInt(fs.readFileSync(pidFile(server), 'utf8'), 10)

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
const makeTable = (server: EmbeddedPostgres) => query(server.url, 'create table kept as select 42 as answer')
const readTable = (server: EmbeddedPostgres) => query(server.url, 'select answer from kept')

/** A second process that uses the database until it is killed. */
const startElsewhere = async () => {
  const program = `
    import { ensureEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded.ts'))}
    const log = { info() {}, warn() {}, error() {} }
    const server = await ensureEmbeddedPostgres({ dataDir: process.argv[1], projectDir: process.argv[2], log })
    console.log(JSON.stringify(server))`
  const args = ['--input-type=module', '--eval', program, dataFolder(), projectDir]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, server: JSON.parse(String(line)) as EmbeddedPostgres }
}

test('in a path with spaces, accents and more letters than a socket path allows, a stop keeps data and settings, and leaves no process behind', async () => {
  const long = path.join(folder, `Mes données ${'x'.repeat(90)}`)
  fs.mkdirSync(long)
  const data = path.join(long, 'data')
  const first = await start(data)
  expect(first.adopted).toBe(false)
  await makeTable(first)
  await query(first.adminUrl, "alter system set work_mem = '5MB'")
  const socketDir = socketFolder(first)
  expect(socketDir.length).toBeLessThan(80)
  expect(modeOf(socketDir)).toBe(0o700)
  const pid = pidOf(first)
  await first.stop()
  expect(isAlive(pid)).toBe(false)
  expect(fs.existsSync(pidFile(first))).toBe(false)
  const second = await start(data)
  expect(await readTable(second)).toEqual([{ answer: 42 }])
  expect(await query(second.url, 'show work_mem')).toEqual([{ work_mem: '5MB' }])
  await second.stop()
  fs.rmSync(socketDir, { recursive: true })

  // A cluster of another major version is refused with advice.
  fs.writeFileSync(path.join(second.dataDir, 'cluster/PG_VERSION'), '17\n')
  await expect(start(data)).rejects.toThrow(/made by PostgreSQL 17.*npm run backup/)
})

test('the server is durable, private and a PostgreSQL 18 with its own collation; killed with -9 it comes back by itself, with everything that was committed', async () => {
  const server = await start(dataFolder(), true)
  const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', data_checksums: 'on' }
  const settings = { ...durable, listen_addresses: '', ssl: 'off', jit: 'off' }
  const list = Object.keys(settings).map((name) => `current_setting('${name}') as ${name}`)
  expect(await query(server.url, `select ${list.join(', ')}`)).toEqual([settings])
  const about = `select current_setting('server_version_num')::int / 10000 as major, datlocprovider, datlocale,
      pg_encoding_to_char(encoding) as encoding, rolsuper or rolcreaterole or rolcreatedb as powerful
    from pg_database, pg_roles where datname = current_database() and rolname = current_user`
  expect(await query(server.url, about)).toEqual([
    { major: 18, datlocprovider: 'b', datlocale: 'C.UTF-8', encoding: 'UTF8', powerful: false },
  ])
  expect([modeOf(socketFolder(server)), modeOf(server.dataDir)]).toEqual([0o700, 0o700])

  await makeTable(server)
  const pid = pidOf(server)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => readTable(server).catch(() => 'down'), PATIENCE).toEqual([{ answer: 42 }])
  expect(pidOf(server)).not.toBe(pid)
})

/** What a program of another account hears when it connects as the superuser; root opened the folders for it. */
const connectAs = (account: string, { adminUrl }: EmbeddedPostgres): string => {
  const program = `
    import { Client } from 'pg'
    process.setgid(${JSON.stringify(account)})
    process.setuid(${JSON.stringify(account)})
    const client = new Client({ connectionString: process.argv[1] })
    await client.connect().then(() => console.log('connected'), ({ message }) => console.log(message))
    await client.end()`
  const args = ['--input-type=module', '--eval', program, adminUrl]
  return spawnSync(process.execPath, args, { cwd: projectDir, encoding: 'utf8' }).stdout.trim()
}
const asRoot = process.geteuid?.() === 0
const withAccounts = asRoot && isExtended

test.runIf(withAccounts)(
  "another service's account neither connects to root's database nor reads it",
  async () => {
    const server = await start()
    const cluster = path.join(server.dataDir, 'cluster')
    const uid = String(fs.statSync(cluster).uid)
    expect(spawnSync('id', ['-un', uid]).status, 'no account has this id').not.toBe(0)
    expect([modeOf(cluster), connectAs('daemon', server)]).toEqual([0o700, expect.stringContaining('EACCES')])
    const open = (mode: number) => {
      for (const inside of [server.dataDir, socketFolder(server)]) fs.chmodSync(inside, mode)
    }
    open(0o711)
    expect(connectAs('daemon', server)).toMatch(/Peer authentication failed/)

    const identity = path.join(server.dataDir, 'identity.conf')
    fs.appendFileSync(identity, 'volant "daemon" postgres\n')
    process.kill(pidOf(server), 'SIGHUP')
    await expect.poll(() => connectAs('daemon', server), PATIENCE).toBe('connected')
    open(0o700)
    const next = await start()
    expect(next.adopted).toBe(true)
    open(0o711)
    await expect.poll(() => connectAs('daemon', server), PATIENCE).toMatch(/Peer authentication failed/)
  },
)

test.runIf(withAccounts)(
  "a database that root once ran as «nobody» gets its own account, a person's keeps theirs",
  async () => {
    const first = await start()
    await makeTable(first)
    await first.stop()
    const cluster = path.join(first.dataDir, 'cluster')
    const give = (owner: string, ...files: string[]) => execFileSync('chown', ['-hR', owner, ...files])
    const own = fs.statSync(cluster).uid
    give('nobody', first.dataDir)
    const second = await start()
    expect(await readTable(second)).toEqual([{ answer: 42 }])
    await second.stop()
    expect(['cluster', 'run', '.'].map((name) => fs.statSync(path.join(first.dataDir, name)).uid)).toEqual([
      own,
      own,
      own,
    ])

    give('nobody', dataFolder())
    const third = await start()
    expect(await readTable(third)).toEqual([{ answer: 42 }])
    expect(fs.readFileSync(path.join(third.dataDir, 'identity.conf'), 'utf8')).toContain('"nobody"')
    await third.stop()
    expect(fs.statSync(cluster).uid).toBe(fs.statSync(dataFolder()).uid)
  },
)

test('after a kill -9 of the shop the next start adopts the running server', async () => {
  const { child, server } = await startElsewhere()
  await makeTable(server)
  const pid = pidOf(server)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isAlive(pid)).toBe(true)
  const next = await start()
  expect(next.adopted).toBe(true)
  expect(pidOf(next)).toBe(pid)
  expect(await readTable(next)).toEqual([{ answer: 42 }])
  await next.stop()
  expect(isAlive(pid)).toBe(false)
})

test.runIf(isExtended)('after a kill -9 of both, a start at once succeeds', async () => {
  const { child, server } = await startElsewhere()
  await makeTable(server)
  child.kill('SIGKILL')
  process.kill(pidOf(server), 'SIGKILL')
  expect(await readTable(await start())).toEqual([{ answer: 42 }])
})

test.runIf(isExtended)('two concurrent starts share one server, which the last one stops', async () => {
  const [one, two] = await Promise.all([startElsewhere(), start()])
  await makeTable(two)
  expect(await readTable(one.server)).toEqual([{ answer: 42 }])
  const pid = pidOf(two)
  expect(pidOf(one.server)).toBe(pid)
  await two.stop()
  expect(isAlive(pid)).toBe(true)
  const three = await start()
  one.child.kill('SIGKILL')
  await once(one.child, 'exit')
  const users = "select from pg_stat_activity where application_name = 'volant keeper'"
  await expect.poll(() => query(three.adminUrl, users), PATIENCE).toHaveLength(1)
  await three.stop()
  expect(isAlive(pid)).toBe(false)
})

test.runIf(isExtended)('many concurrent starts and stops leave no server behind', async () => {
  const startAndStop = async () => {
    const server = await start()
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
  }
  await Promise.all(Array.from({ length: 6 }, startAndStop))
  expect(fs.existsSync(path.join(folder, 'data/postgres/cluster/postmaster.pid'))).toBe(false)
})

test.runIf(isExtended)(
  'a pid file with the process id of another program does not prevent the start',
  async () => {
    const first = await start()
    await makeTable(first)
    const text = fs.readFileSync(pidFile(first), 'utf8')
    await first.stop()
    const { uid, gid } = fs.statSync(path.join(first.dataDir, 'cluster'))
    const other = spawn('sleep', ['60'], process.geteuid?.() === 0 ? { uid, gid } : {})
    const reused = text.replace(/^\d+/, String(other.pid))
    fs.writeFileSync(pidFile(first), reused)
    fs.writeFileSync(path.join(first.dataDir, 'run/.s.PGSQL.5432.lock'), reused)
    const next = await start()
    expect(next.adopted).toBe(false)
    expect(await readTable(next)).toEqual([{ answer: 42 }])
    expect(isAlive(other.pid ?? 0)).toBe(true)
    other.kill()
  },
)

test.runIf(isExtended && asRoot)(
  'root below a private folder keeps the files in /var/lib/volant, and they follow the folder',
  async () => {
    const closed = path.join(folder, 'closed')
    const remove = ({ dataDir }: EmbeddedPostgres) => {
      fs.rmSync(dataDir, { recursive: true })
      fs.rmSync(`${dataDir}.owner.json`)
    }
    fs.mkdirSync(closed, { mode: 0o700 })
    const first = await start(path.join(closed, 'data'))
    expect(first.dataDir).toMatch(/^\/var\/lib\/volant\/closed-/)
    expect(modeOf(first.dataDir)).toBe(0o700)
    await makeTable(first)
    await first.stop()
    onTestFinished(() => remove(first))
    fs.renameSync(closed, path.join(folder, 'moved'))
    const second = await start(path.join(folder, 'moved/data'))
    expect(second.dataDir).toBe(first.dataDir)
    expect(await readTable(second)).toEqual([{ answer: 42 }])

    fs.cpSync(path.join(folder, 'moved'), path.join(folder, 'copied'), { recursive: true })
    fs.chmodSync(path.join(folder, 'copied'), 0o700)
    await expect(start(path.join(folder, 'copied/data'))).rejects.toThrow('is a copy of')
    const third = await start(path.join(folder, 'copied/data'), false, true)
    expect(third.dataDir).not.toBe(first.dataDir)
    await expect(readTable(third)).rejects.toThrow('does not exist')
    await third.stop()
    remove(third)
  },
)

test('a database whose folder has gone is not replaced by an empty one', async () => {
  fs.mkdirSync(dataFolder())
  fs.writeFileSync(path.join(folder, 'data/postgres-location.json'), '{"folder":"/var/lib/volant/gone-0"}')
  await expect(start()).rejects.toThrow('gone or closed')
})

test('missing library links are made', async () => {
  const native = path.join(folder, 'native')
  fs.mkdirSync(path.join(native, 'lib'), { recursive: true })
  fs.writeFileSync(path.join(native, 'lib/libpq.so.5.18'), 'library')
  const links = '[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]'
  fs.writeFileSync(path.join(native, 'pg-symlinks.json'), links)
  for (const _ of ['once', 'again']) repairLibraryLinks(native)
  expect(fs.readFileSync(path.join(native, 'lib/libpq.so.5'), 'utf8')).toBe('library')
})
