import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { databaseClient } from '#platform/database-client.ts'
import { freePort } from '../run/free-port.ts'
import { type Program, program } from './program.ts'

export type PoolMode = 'transaction' | 'session' | 'statement'

const SOCKET = '.s.PGSQL.5432'

/**
 * PgBouncer refuses to be root, and the embedded database of root lets nobody else in: the socket is mounted where another
 * account may enter, and root goes by another number.
 */
const AS_ROOT = `mount --bind "$1" "$2" && shift 2 && exec unshare --user --map-user=1000 pgbouncer "$@"`

function commandFor(args: readonly string[], socket: { from: string; to: string }): [string, ...string[]] {
  if (process.geteuid?.() !== 0) return ['pgbouncer', ...args]
  return ['unshare', '--mount', 'sh', '-c', AS_ROOT, 'sh', socket.from, socket.to, ...args]
}

/** Whether this machine can run PgBouncer; on Debian: apt-get install -y pgbouncer. */
export function hasPgbouncer(): boolean {
  const [command, ...args] = commandFor(['--version'], { from: '/tmp', to: '/tmp' })
  return spawnSync(command, args).status === 0
}

/** A PgBouncer in front of the database of a test run or a testbed. */
export interface Pooler extends Program {
  /** The same database, through it. */
  urlOf(url: string): string
}

interface PoolerOptions {
  /** An address with the folder of the server's socket. */
  url: string
  folder: string
  mode: PoolMode
  /** Connections to the database, for each database and user. */
  size?: number
  /** Whether it takes the settings of sessions without keeping them, instead of refusing them. */
  isIgnoring?: boolean
}

/** Describes one with the settings of deploy/fleet/pgbouncer.ini that matter here; nothing runs until it is started. */
export async function describePooler({ url, folder, mode, size = 10, isIgnoring }: PoolerOptions) {
  const port = await freePort()
  const { host } = databaseClient(url)
  const run = mkdtempSync(path.join(folder, 'socket-'))
  const socket = { from: path.join(host, SOCKET), to: path.join(run, SOCKET) }
  const isRoot = process.geteuid?.() === 0
  if (isRoot) writeFileSync(socket.to, '')
  const file = path.join(folder, `pgbouncer-${port}.ini`)
  const ignored = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  writeFileSync(
    file,
    `[databases]
* = host=${isRoot ? run : host} port=5432 user=volant
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 500
query_wait_timeout = 60
${isIgnoring ? `ignore_startup_parameters = ${ignored.join(', ')}` : ''}
`,
  )
  const [command, ...args] = commandFor([file], socket)
  const described = program({
    name: 'PgBouncer',
    command,
    args,
    env: {},
    logFile: path.join(folder, `pgbouncer-${port}.log`),
    isReady: () => listens(port),
  })
  const pooler: Pooler = {
    ...described,
    urlOf: (own) => `postgres://volant@127.0.0.1:${port}/${databaseClient(own).database}`,
  }
  return pooler
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined))
    socket.on('error', () => resolve(false))
  })
