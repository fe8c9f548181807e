import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { repairLibraryLinks } from './binaries.ts'
import { dataFolder, makeTable, place, projectDir, readTable, start } from './embedded.test-support.ts'

test('a path with spaces, accents and more letters than a socket may have works', async () => {
  const long = path.join(place.folder, `Mes données ${'x'.repeat(90)}`)
  mkdirSync(long)
  const server = await start(path.join(long, 'data'))
  await makeTable(server)
  const socketDir = new URL(server.url).searchParams.get('host') ?? ''
  expect(socketDir.length).toBeLessThan(80)
  expect(statSync(socketDir).mode & 0o777).toBe(0o700)
  await server.stop()
  rmSync(socketDir, { recursive: true })
})

test('a strict umask keeps no file from the account that runs the server', async () => {
  mkdirSync(dataFolder())
  const program = `
    import { ensureEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded.ts'))}
    const log = { info() {}, warn() {}, error() {} }
    const [dataDir, projectDir] = process.argv.slice(1)
    process.umask(0o077)
    const server = await ensureEmbeddedPostgres({ dataDir, projectDir, log, durable: false })
    await server.stop()`
  const { stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program, dataFolder(), projectDir],
    { encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  const files = ['settings.conf', 'access.conf', 'identity.conf'].map((name) =>
    path.join(dataFolder(), 'postgres', name),
  )
  const modes = () => files.map((file) => statSync(file).mode & 0o777)
  expect(modes()).toEqual([0o644, 0o644, 0o644])

  // As an earlier version left them.
  for (const file of files) chmodSync(file, 0o600)
  await start()
  expect(modes()).toEqual([0o644, 0o644, 0o644])
})

test('a server that cannot read its configuration is told with the file and the reason', async () => {
  const server = await start()
  await server.stop()
  chmodSync(path.join(server.dataDir, 'cluster/postgresql.conf'), 0)
  await expect(start()).rejects.toThrow(
    /does not start: could not open configuration file "\S+postgresql\.conf": Permission denied; /,
  )
})

test('a cluster of another major version is refused with advice', async () => {
  const server = await start()
  await server.stop()
  writeFileSync(path.join(server.dataDir, 'cluster/PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(/made by PostgreSQL 17.*npm run db:backup/)
})

const isRoot = process.geteuid?.() === 0

test.runIf(isRoot)(
  'root below a private folder keeps the files in /var/lib/volant, and they follow the folder',
  async () => {
    const closed = path.join(place.folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const first = await start(path.join(closed, 'data'))
    try {
      expect(first.dataDir).toMatch(/^\/var\/lib\/volant\/closed-/)
      expect(statSync(first.dataDir).mode & 0o777).toBe(0o700)
      await makeTable(first)
      await first.stop()
      renameSync(closed, path.join(place.folder, 'moved'))
      const second = await start(path.join(place.folder, 'moved/data'))
      expect(second.dataDir).toBe(first.dataDir)
      expect(await readTable(second)).toEqual([{ answer: 42 }])

      cpSync(path.join(place.folder, 'moved'), path.join(place.folder, 'copied'), { recursive: true })
      chmodSync(path.join(place.folder, 'copied'), 0o700)
      const third = await start(path.join(place.folder, 'copied/data'))
      expect(third.dataDir).not.toBe(first.dataDir)
      await expect(readTable(third)).rejects.toThrow('does not exist')
      await third.stop()
      rmSync(third.dataDir, { recursive: true })
      rmSync(`${third.dataDir}.owner.json`)
    } finally {
      await Promise.all(place.running.map((server) => server.stop()))
      rmSync(first.dataDir, { recursive: true })
      rmSync(`${first.dataDir}.owner.json`)
    }
  },
)

test('a database whose folder has gone is not replaced by an empty one', async () => {
  mkdirSync(dataFolder())
  writeFileSync(path.join(place.folder, 'data/postgres-location.json'), '{"folder":"/var/lib/volant/gone-0"}')
  await expect(start()).rejects.toThrow('gone or closed')
})

test('library links that an install script did not make are made', async () => {
  const native = path.join(place.folder, 'native')
  mkdirSync(path.join(native, 'lib'), { recursive: true })
  writeFileSync(path.join(native, 'lib/libpq.so.5.18'), 'library')
  writeFileSync(
    path.join(native, 'pg-symlinks.json'),
    '[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]',
  )
  repairLibraryLinks(native)
  repairLibraryLinks(native)
  expect(readFileSync(path.join(native, 'lib/libpq.so.5'), 'utf8')).toBe('library')
})
