import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { canEnter } from './account.ts'
import { EmbeddedPostgresError } from './error.ts'
import type { DatabaseHome } from './home.ts'

/** PostgreSQL's name of the socket; the port is only a part of that name here. */
export const SOCKET_PORT = 5432

// sun_path holds 108 bytes with its closing zero, and macOS only 104.
const PATH_LIMIT = 103
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`
const fits = (folder: string) =>
  Buffer.byteLength(path.join(folder, SOCKET_NAME)) <= PATH_LIMIT && /^[\w/.@+ -]+$/.test(folder)

/**
 * The private folder (mode 0700) of the database's socket: beside the cluster, or below the folder for
 * temporary files when that path is too long for a socket.
 */
export function socketFolder(home: DatabaseHome): string {
  const beside = path.join(home.folder, 'run')
  if (fits(beside)) return makePrivate(beside, home)
  const key = createHash('sha256').update(home.folder).digest('hex').slice(0, 16)
  const temporary = [os.tmpdir(), '/tmp'].find((folder) => fits(path.join(folder, 'volant-0123456789abcdef')))
  if (!temporary)
    throw new EmbeddedPostgresError(
      `${os.tmpdir()} is too long for a socket; set TMPDIR to a shorter folder.`,
    )
  return makePrivate(path.join(temporary, `volant-${key}`), home)
}

function makePrivate(folder: string, { account }: DatabaseHome): string {
  try {
    mkdirSync(folder, { mode: 0o700 })
    chmodSync(folder, 0o700)
    if (account.switched) chownSync(folder, account.uid, account.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    waitForOwner(folder, account.uid)
  }
  // Somebody else could have made the folder first, to listen in our place.
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== account.uid || (found.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      `${folder} should be a folder of «${account.name}» with mode 0700, and is not. Remove it and start again.`,
    )
  }
  if (!canEnter(account, folder)) {
    throw new EmbeddedPostgresError(
      `«${account.name}» cannot enter ${folder}; set TMPDIR to a folder it can.`,
    )
  }
  return folder
}

/** Another root process may be between making the folder and handing it over. */
function waitForOwner(folder: string, uid: number): void {
  for (let tries = 0; tries < 20 && lstatSync(folder).uid !== uid; tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
}
