import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import os from 'node:os'
import { EmbeddedPostgresError } from './error.ts'

/** The operating system account the database programs run as. */
export interface ServerAccount {
  name: string
  uid: number
  gid: number
  /** True when this process is root and the programs must be started under another account. */
  switched: boolean
}

/** True when this process may start programs under other accounts. */
export const runsAsRoot = (): boolean => process.geteuid?.() === 0

const askId = (...args: string[]): string | undefined => {
  const run = spawnSync('id', args, { encoding: 'utf8' })
  return run.status === 0 ? run.stdout.trim() : undefined
}

const accountNamed = (name: string): ServerAccount | undefined => {
  const uid = askId('-u', name)
  const gid = askId('-g', name)
  if (!uid || !gid || uid === '0') return undefined
  return { name, uid: Number(uid), gid: Number(gid), switched: true }
}

const ownAccount = (): ServerAccount => {
  try {
    const { username, uid, gid } = os.userInfo()
    return { name: username, uid, gid, switched: false }
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded database needs an account with a name, and user id ${process.geteuid?.()} has none. ` +
        'Add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
}

/**
 * Chooses who runs the database. PostgreSQL refuses root, so root hands over to the owner of the existing
 * files, else to `postgres`, else to `nobody`. A plain user runs it as itself.
 */
export function chooseAccount(existingCluster?: string): ServerAccount {
  if (!runsAsRoot()) return ownAccount()
  const owner = existingCluster ? lstatSync(existingCluster) : undefined
  if (owner && owner.uid !== 0) {
    const name = askId('-un', String(owner.uid)) ?? String(owner.uid)
    return { name, uid: owner.uid, gid: owner.gid, switched: true }
  }
  const account = accountNamed('postgres') ?? accountNamed('nobody')
  if (account) return account
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root and neither account «postgres» nor «nobody» exists. ' +
      'Create one, start as a plain user, or set DATABASE_URL.',
  )
}

/** Options for `spawn` that run a program as the account, in a folder every account can enter. */
export const asAccount = (account: ServerAccount) => ({
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/', LC_ALL: 'C', TZ: 'UTC' },
  ...(account.switched ? { uid: account.uid, gid: account.gid } : {}),
})

/** Whether the account can enter a folder; asks the system, because mode bits are not the whole truth. */
export function canEnter(account: ServerAccount, folder: string): boolean {
  const run = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], asAccount(account))
  return run.status === 0
}
