import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { canEnter, chooseAccount, type ServerAccount } from './account.ts'
import { openSystemFolder, SYSTEM_FOLDER } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'

/** Where one embedded database keeps its files, and who runs it. */
export interface DatabaseHome {
  /** Private folder (mode 0700) of the account: cluster, log, socket. */
  folder: string
  cluster: string
  account: ServerAccount
  /** True when the files had to leave the data folder because the account cannot enter it. */
  elsewhere: boolean
}

/** PostgreSQL's name of the socket; the port is only a part of that name here. */
export const SOCKET_PORT = 5432

// sun_path holds 108 bytes with its closing zero, and macOS only 104.
const PATH_LIMIT = 103
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`
const fits = (folder: string) =>
  Buffer.byteLength(path.join(folder, SOCKET_NAME)) <= PATH_LIMIT && /^[\w/.@+ -]+$/.test(folder)

const pointerFile = (dataDir: string) => path.join(dataDir, 'postgres-location.json')
const ownerFile = (folder: string) => `${folder}.owner.json`

const readJson = <T>(file: string): T | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined

const at = (folder: string, account: ServerAccount, elsewhere: boolean): DatabaseHome => ({
  folder,
  cluster: path.join(folder, 'cluster'),
  account,
  elsewhere,
})

/**
 * Finds or creates the folder of the embedded database of `dataDir`: `<dataDir>/postgres`, or a folder in
 * /var/lib/volant when root's unprivileged account cannot enter the data folder. A note in the data folder
 * says where, so that the database follows a project that is moved.
 */
export function resolveHome(dataDir: string): DatabaseHome {
  mkdirSync(dataDir, { recursive: true })
  const local = path.join(dataDir, 'postgres')
  if (existsSync(path.join(local, 'cluster'))) return reopenLocal(local)
  const noted = notedHome(dataDir)
  if (noted) return noted
  const account = chooseAccount()
  if (tryLocal(local, account)) return at(local, account, false)
  return createElsewhere(dataDir, account)
}

function reopenLocal(local: string): DatabaseHome {
  const cluster = path.join(local, 'cluster')
  const account = chooseAccount(cluster)
  requireOwner(cluster, account)
  if (!canEnter(account, cluster)) {
    throw new EmbeddedPostgresError(
      `The database in ${local} belongs to «${account.name}», who cannot enter that folder any more. ` +
        'Open the folders above it with chmod a+x, or choose another folder with DATA_DIR.',
    )
  }
  return at(local, account, false)
}

/** A plain user cannot run somebody else's database. */
function requireOwner(folder: string, account: ServerAccount): void {
  const owner = lstatSync(folder).uid
  if (account.switched || owner === account.uid) return
  throw new EmbeddedPostgresError(
    `The database in ${folder} belongs to user id ${owner} and this is «${account.name}». ` +
      'Start as root or as its owner, or choose another folder with DATA_DIR.',
  )
}

function tryLocal(local: string, account: ServerAccount): boolean {
  makePrivate(local, account)
  if (canEnter(account, local)) return true
  if (!account.switched) throw new EmbeddedPostgresError(`«${account.name}» cannot enter ${local}.`)
  rmdirSync(local)
  return false
}

function makePrivate(folder: string, account: ServerAccount): void {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  if (account.switched) chownSync(folder, account.uid, account.gid)
}

/** The home noted in the data folder, unless that note came along in a copy of somebody else's folder. */
function notedHome(dataDir: string): DatabaseHome | undefined {
  const folder = readJson<{ folder: string }>(pointerFile(dataDir))?.folder
  if (!folder) return undefined
  if (!existsSync(folder)) {
    throw new EmbeddedPostgresError(
      `${pointerFile(dataDir)} says that the database is in ${folder}, and that folder is gone or closed to ` +
        'this user. Start as root, bring the folder back, or remove the note to begin with an empty database.',
    )
  }
  const owner = readJson<{ dataDir: string }>(ownerFile(folder))?.dataDir
  if (owner && owner !== dataDir) {
    const original = readJson<{ folder: string }>(pointerFile(owner))
    if (original?.folder === folder) return undefined
  }
  const account = chooseAccount(folder)
  requireOwner(folder, account)
  if (owner !== dataDir) writeJson(ownerFile(folder), { dataDir })
  return at(folder, account, true)
}

function createElsewhere(dataDir: string, account: ServerAccount): DatabaseHome {
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  const name = path
    .basename(path.dirname(dataDir))
    .replace(/[^\w.-]/g, '_')
    .slice(0, 32)
  const folder = path.join(SYSTEM_FOLDER, `${name}-${key}-${randomBytes(3).toString('hex')}`)
  openSystemFolder()
  makePrivate(folder, account)
  writeJson(ownerFile(folder), { dataDir })
  writeJson(pointerFile(dataDir), { folder })
  return at(folder, account, true)
}

function writeJson(file: string, value: object): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(value)}\n`)
  renameSync(draft, file)
}

/**
 * The private folder (mode 0700) of the database's socket: beside the cluster, or below the folder for
 * temporary files when that path is too long for a socket.
 */
export function socketFolder(home: DatabaseHome): string {
  const beside = path.join(home.folder, 'run')
  if (fits(beside)) return makePrivateSocketFolder(beside, home)
  const key = createHash('sha256').update(home.folder).digest('hex').slice(0, 16)
  const temporary = [os.tmpdir(), '/tmp'].find((folder) => fits(path.join(folder, 'volant-0123456789abcdef')))
  if (!temporary)
    throw new EmbeddedPostgresError(
      `${os.tmpdir()} is too long for a socket; set TMPDIR to a shorter folder.`,
    )
  return makePrivateSocketFolder(path.join(temporary, `volant-${key}`), home)
}

function makePrivateSocketFolder(folder: string, { account }: DatabaseHome): string {
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
