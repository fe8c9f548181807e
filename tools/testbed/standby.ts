import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseClient } from '#platform/database-client.ts'
import type { EmbeddedPostgres } from '#platform/postgres/embedded.ts'

const ATTEMPTS = 300
const PAUSE_MS = 50

/** A standby of an embedded server, which follows it by streaming. */
export interface Standby {
  /** The address of a database of the primary, on the standby. */
  urlOf(url: string): string
  start(): Promise<void>
  kill(): Promise<void>
  /** It takes the log of the primary and shows nothing new of it. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends its connection to the primary, which takes no other one until `reconnect`. */
  cutOff(): Promise<void>
  reconnect(): Promise<void>
  /** Waits until it shows all that the primary has. */
  catchUp(): Promise<void>
  /** Makes it a primary of its own. */
  promote(): Promise<void>
}

/** Makes a standby beside a throw-away server, which removes its files. @param primary allows replication from then on */
export async function standbyOf(primary: EmbeddedPostgres & { folder: string }): Promise<Standby> {
  const home = primary.dataDir
  const { uid, gid } = statSync(path.join(home, 'cluster'))
  const account = process.geteuid?.() === 0 ? { uid, gid } : {}
  const folder = mkdtempSync(path.join(primary.folder, 'standby-'))
  const cluster = path.join(folder, 'cluster')
  if (process.geteuid?.() === 0) chownSync(folder, uid, gid)
  const access = path.join(home, 'access.conf')
  const others = readFileSync(access, 'utf8')
  const withReplication = `${others}local replication all trust\n`
  writeFileSync(access, withReplication)
  await copyCluster(primary, home, cluster)
  const host = new URL(primary.adminUrl).searchParams.get('host') ?? ''
  const settings = {
    config_file: path.join(home, 'settings.conf'),
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: `"${folder}"`,
    unix_socket_permissions: '0777',
    hba_file: access,
    ident_file: path.join(home, 'identity.conf'),
    hot_standby: 'on',
    hot_standby_feedback: 'on',
    primary_conninfo: `host='${host}' port=5432 user=postgres`,
    wal_retrieve_retry_interval: '100ms',
    logging_collector: 'off',
  }
  const args = [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  let server: ReturnType<typeof spawn> | undefined

  const onSocket = (url: string): string => {
    const address = new URL(url)
    address.searchParams.set('host', folder)
    return address.href
  }
  const ask = async <Row extends object>(
    url: string,
    statement: string,
    values: unknown[] = [],
  ): Promise<Row> => {
    const client = databaseClient(url)
    await client.connect()
    try {
      return (await client.query<Row>(statement, values)).rows[0]!
    } finally {
      await client.end()
    }
  }
  const here = onSocket(primary.adminUrl)

  const standby: Standby = {
    urlOf: onSocket,
    async start() {
      const begun = spawn(path.join(primary.binDir, 'postgres'), args, {
        ...account,
        cwd: '/',
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/', LC_ALL: 'C', TZ: 'UTC' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = begun
      let said = ''
      begun.stderr?.on('data', (part: Buffer) => (said = (said + part.toString()).slice(-4_000)))
      process.once('exit', () => begun.kill('SIGKILL'))
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if (begun.exitCode !== null) break
        const isOpen = await ask(here, 'SELECT 1').then(
          () => true,
          () => false,
        )
        if (isOpen) return
        await sleep(PAUSE_MS)
      }
      throw new Error(`the standby does not start: ${said}`)
    },
    async kill() {
      const ending = server
      server = undefined
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
      const gone = once(ending, 'exit')
      // At once, with its processes: SIGKILL would leave them.
      ending.kill('SIGQUIT')
      await gone
      rmSync(path.join(cluster, 'postmaster.pid'), { force: true })
    },
    pause: () => ask(here, 'SELECT pg_wal_replay_pause()').then(() => undefined),
    resume: () => ask(here, 'SELECT pg_wal_replay_resume()').then(() => undefined),
    async cutOff() {
      writeFileSync(access, others)
      await ask(primary.adminUrl, 'SELECT pg_reload_conf()')
      await ask(primary.adminUrl, 'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_replication')
    },
    async reconnect() {
      writeFileSync(access, withReplication)
      await ask(primary.adminUrl, 'SELECT pg_reload_conf()')
    },
    async catchUp() {
      // Its commits need not be on the disk otherwise.
      await ask(primary.adminUrl, 'SELECT pg_switch_wal()')
      const { place } = await ask<{ place: string }>(
        primary.adminUrl,
        'SELECT pg_current_wal_flush_lsn()::text AS place',
      )
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const { has } = await ask<{ has: boolean }>(
          here,
          'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has',
          [place],
        )
        if (has) return
        await sleep(PAUSE_MS / 2)
      }
      throw new Error('the standby does not catch up')
    },
    promote: () => ask(here, 'SELECT pg_promote()').then(() => undefined),
  }
  await standby.start()
  return standby
}

/** A base backup by the server's own functions: what ships with the shop has no pg_basebackup. */
async function copyCluster({ adminUrl }: EmbeddedPostgres, home: string, target: string): Promise<void> {
  const client = databaseClient(adminUrl)
  await client.connect()
  try {
    await client.query('SELECT pg_reload_conf()')
    await client.query(`SELECT pg_backup_start('standby', true)`)
    const left = (file: string): boolean =>
      !/\/(?:postmaster\.(?:pid|opts)|pg_wal\/.+|pg_replslot\/.+|pgsql_tmp.*)$/.test(file)
    cpSync(path.join(home, 'cluster'), target, { recursive: true, filter: left, preserveTimestamps: true })
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    )
    mkdirSync(path.join(target, 'pg_wal/archive_status'), { recursive: true })
    writeFileSync(path.join(target, 'backup_label'), rows[0]!.labelfile)
    writeFileSync(path.join(target, 'standby.signal'), '')
  } finally {
    await client.end()
  }
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(path.join(home, 'cluster'))
  execFileSync('chown', ['-hR', `${uid}:${gid}`, target])
}
