import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isAlive } from './process-table.ts'

/** The message is for the operator. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

export interface ServerAccount {
  name: string
  uid: number
  gid: number
  /** True when root starts the programs under another account. */
  switched: boolean
  /** Accounts of the system whose programs may connect. */
  clients: readonly string[]
}

const askId = (...args: string[]): string | undefined => {
  const run = spawnSync('id', args, { encoding: 'utf8' })
  return run.status === 0 ? run.stdout.trim() : undefined
}

const accountNamed = (name: string): ServerAccount | undefined => {
  const uid = askId('-u', name)
  const gid = askId('-g', name)
  if (!uid || !gid || uid === '0') return undefined
  return { name, uid: Number(uid), gid: Number(gid), switched: true, clients: ['root'] }
}

/** An account that other services of the machine may have, too; PostgreSQL refuses to run as root. */
export function sharedAccount(): ServerAccount {
  const account = accountNamed('postgres') ?? accountNamed('nobody')
  if (account) return account
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root and neither account «postgres» nor «nobody» exists. ' +
      'Create one, start as a plain user, or set DATABASE_URL.',
  )
}

// Distributions and systemd give none of these to an account or a service (systemd's UIDS-GIDS.md).
const UNUSED_IDS = { first: 60_706, count: 478 }

const nameOf = (uid: number): string | undefined => askId('-un', String(uid))

/** A user id for the database of this folder alone, without a name; undefined where the system has no such ids. */
function privateAccount(dataDir: string): ServerAccount | undefined {
  const start = createHash('sha256').update(dataDir).digest().readUInt32BE()
  for (let tries = 0; tries < 10; tries += 1) {
    const uid = UNUSED_IDS.first + ((start + tries) % UNUSED_IDS.count)
    if (nameOf(uid) !== undefined) continue
    const account = { name: String(uid), uid, gid: uid, switched: true, clients: ['root'] }
    return canEnter(account, '/') ? account : undefined
  }
  return undefined
}

const ownAccount = (): ServerAccount => {
  try {
    const { username, uid, gid } = os.userInfo()
    return { name: username, uid, gid, switched: false, clients: ['root', username] }
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded database needs an account with a name, and user id ${process.geteuid?.()} has none. ` +
        'Add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
}

/** For root the owner of the files, or an account for this database alone; else the own account. */
function chooseAccount(dataDir: string, folder?: string): ServerAccount {
  if (process.geteuid?.() !== 0) return ownAccount()
  const owner = folder ? ownerOf(folder) : undefined
  if (!folder || !owner) return privateAccount(dataDir) ?? sharedAccount()
  if (nameOf(owner.uid) === undefined) return { ...owner, clients: ['root'] }
  // Whoever owns the data folder runs a shop of their own in it; of root's shop they only lent the account.
  if (fs.statSync(dataDir).uid !== 0 || !['postgres', 'nobody'].includes(owner.name)) return owner
  const own = privateAccount(dataDir)
  if (!own || isServerRunning(folder)) return { ...owner, clients: ['root'] }
  giveAway(folder, own)
  return own
}

function ownerOf(folder: string): ServerAccount | undefined {
  const { uid, gid } =
    fs.lstatSync(path.join(folder, 'cluster'), { throwIfNoEntry: false }) ?? fs.lstatSync(folder)
  const name = nameOf(uid) ?? String(uid)
  return uid === 0 ? undefined : { name, uid, gid, switched: true, clients: ['root', name] }
}

function isServerRunning(folder: string): boolean {
  const file = path.join(folder, 'cluster/postmaster.pid')
  return fs.existsSync(file) && isAlive(Number.parseInt(fs.readFileSync(file, 'utf8'), 10))
}

/** The cluster comes last: its owner tells whether this is done. */
function giveAway(folder: string, { uid, gid }: ServerAccount): void {
  const others = fs.readdirSync(folder).filter((name) => name !== 'cluster')
  for (const name of [...others, '.', 'cluster']) {
    const depth = name === '.' ? '-h' : '-hR'
    const place = path.join(folder, name)
    mustRun(`The files in ${folder} keep their owner`, 'chown', [depth, `${uid}:${gid}`, '--', place])
  }
}

/** @param fault what its failure means @throws EmbeddedPostgresError */
export function mustRun(
  fault: string,
  program: string,
  args: string[],
  options: SpawnSyncOptions = {},
): void {
  const run = spawnSync(program, args, { ...options, encoding: 'utf8' })
  if (run.status !== 0)
    throw new EmbeddedPostgresError(`${fault}: ${run.error?.message ?? reasonIn(run.stderr.trim())}`)
}

/** PostgreSQL's own line about a failure, or all that a program said. */
const reasonIn = (output: string): string => /(?:FATAL|error): +(.*)/.exec(output)?.[1] ?? output

/** Options for `spawn` as the account, in a folder that it can enter. */
export const asAccount = (account: ServerAccount) => ({
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/', LC_ALL: 'C', TZ: 'UTC' },
  ...(account.switched ? { uid: account.uid, gid: account.gid } : {}),
})

/** Asks the system, since mode bits do not decide alone. */
function canEnter(account: ServerAccount, folder: string): boolean {
  const run = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], asAccount(account))
  return run.status === 0
}

/** A new folder that only the account can enter. */
export function temporaryFolderOf(account: ServerAccount): string {
  const parent = [os.tmpdir(), '/tmp'].find((folder) => canEnter(account, folder))
  if (!parent)
    throw new EmbeddedPostgresError(
      `«${account.name}» cannot enter ${os.tmpdir()}; set TMPDIR to a folder it can.`,
    )
  const folder = fs.mkdtempSync(path.join(parent, 'volant-'))
  fs.chownSync(folder, account.uid, account.gid)
  return folder
}

/** For root's databases whose folder the server's account cannot enter. */
export const SYSTEM_FOLDER = '/var/lib/volant'

/** Every account may enter it, whatever the umask. */
export function openSystemFolder(): void {
  fs.mkdirSync(SYSTEM_FOLDER, { recursive: true })
  fs.chmodSync(SYSTEM_FOLDER, 0o755)
}

export interface DatabaseHome {
  /** Mode 0700; has the cluster, the log and the socket. */
  folder: string
  cluster: string
  account: ServerAccount
  /** True when the account cannot enter the data folder. */
  elsewhere: boolean
  /** The data folder that keeps the database, when this one is a copy of it and begins with an empty one. */
  copyOf?: string
}

/** Only a part of the socket's name. */
export const SOCKET_PORT = 5432

// sun_path holds 108 bytes with its final zero, on macOS 104.
const PATH_LIMIT = 103
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`
const fits = (folder: string) =>
  Buffer.byteLength(path.join(folder, SOCKET_NAME)) <= PATH_LIMIT && /^[\w/.@+ -]+$/.test(folder)

const pointerFile = (dataDir: string) => path.join(dataDir, 'postgres-location.json')
const ownerFile = (folder: string) => `${folder}.owner.json`

const readJson = <T>(file: string): T | undefined =>
  fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as T) : undefined

const at = (folder: string, account: ServerAccount, elsewhere: boolean): DatabaseHome => ({
  folder,
  cluster: path.join(folder, 'cluster'),
  account,
  elsewhere,
})

/**
 * `<dataDir>/postgres`, or a folder in /var/lib/volant with a pointer to it where the account cannot enter. A copy of such
 * a data folder has no database: it is refused, or with `emptyCopy` gets an empty one.
 */
export function resolveHome(dataDir: string, { emptyCopy = false } = {}): DatabaseHome {
  fs.mkdirSync(dataDir, { recursive: true })
  const local = path.join(dataDir, 'postgres')
  if (fs.existsSync(path.join(local, 'cluster'))) return reopenLocal(dataDir, local)
  const pointed = pointedHome(dataDir)
  if (pointed && !('original' in pointed)) return pointed
  if (pointed && !emptyCopy) throw new EmbeddedPostgresError(adviseCopy(dataDir, pointed))
  const account = chooseAccount(dataDir)
  const home = tryLocal(local, account) ? at(local, account, false) : createElsewhere(dataDir, account)
  return { ...home, copyOf: pointed?.original }
}

interface Copy {
  original: string
  folder: string
}

const adviseCopy = (dataDir: string, { original, folder }: Copy): string =>
  `DATA_DIR: ${dataDir} is a copy of ${original}, and the database in ${folder} belongs to ${original} alone. To give it to ` +
  `the copy, remove ${pointerFile(original)}; to begin with an empty database, remove ${pointerFile(dataDir)}.`

function reopenLocal(dataDir: string, local: string): DatabaseHome {
  const cluster = path.join(local, 'cluster')
  const account = chooseAccount(dataDir, local)
  requireOwner(cluster, account)
  if (!canEnter(account, cluster)) {
    throw new EmbeddedPostgresError(
      `The database in ${local} belongs to «${account.name}», who cannot enter that folder any more. ` +
        'Open the folders above it with chmod a+x, or choose another folder with DATA_DIR.',
    )
  }
  return at(local, account, false)
}

function requireOwner(folder: string, account: ServerAccount): void {
  const owner = fs.lstatSync(folder).uid
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
  fs.rmdirSync(local)
  return false
}

function makePrivate(folder: string, account: ServerAccount): void {
  fs.mkdirSync(folder, { recursive: true })
  fs.chmodSync(folder, 0o700)
  if (account.switched) fs.chownSync(folder, account.uid, account.gid)
}

/** Undefined without a pointer. */
function pointedHome(dataDir: string): DatabaseHome | Copy | undefined {
  const folder = readJson<{ folder: string }>(pointerFile(dataDir))?.folder
  if (!folder) return undefined
  if (!fs.existsSync(folder)) {
    throw new EmbeddedPostgresError(
      `${pointerFile(dataDir)} says that the database is in ${folder}, and that folder is gone or closed to ` +
        'this user. Start as root, bring the folder back, or remove the note to begin with an empty database.',
    )
  }
  const owner = readJson<{ dataDir: string }>(ownerFile(folder))?.dataDir
  if (owner && owner !== dataDir) {
    const noted = readJson<{ folder: string }>(pointerFile(owner))
    if (noted?.folder === folder) return { original: owner, folder }
  }
  const account = chooseAccount(dataDir, folder)
  requireOwner(folder, account)
  if (owner !== dataDir) writeJson(ownerFile(folder), { dataDir })
  return at(folder, account, true)
}

function createElsewhere(dataDir: string, account: ServerAccount): DatabaseHome {
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  const name = path.basename(path.dirname(dataDir)).replace(/[^\w.-]/g, '_')
  const unique = `${name.slice(0, 32)}-${key}-${randomBytes(3).toString('hex')}`
  const folder = path.join(SYSTEM_FOLDER, unique)
  openSystemFolder()
  makePrivate(folder, account)
  writeJson(ownerFile(folder), { dataDir })
  writeJson(pointerFile(dataDir), { folder })
  return at(folder, account, true)
}

function writeJson(file: string, value: object): void {
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, `${JSON.stringify(value)}\n`)
  fs.renameSync(draft, file)
}

/** Mode 0700; beside the cluster, or a temporary folder where that path is too long. */
export function socketFolder(home: DatabaseHome): string {
  const beside = path.join(home.folder, 'run')
  if (fits(beside)) return makePrivateSocketFolder(beside, home)
  const key = createHash('sha256').update(`${home.account.uid} ${home.folder}`).digest('hex').slice(0, 16)
  const temporary = [os.tmpdir(), '/tmp'].find((folder) => fits(path.join(folder, 'volant-0123456789abcdef')))
  if (!temporary)
    throw new EmbeddedPostgresError(
      `${os.tmpdir()} is too long for a socket; set TMPDIR to a shorter folder.`,
    )
  return makePrivateSocketFolder(path.join(temporary, `volant-${key}`), home)
}

function makePrivateSocketFolder(folder: string, { account }: DatabaseHome): string {
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
    fs.chmodSync(folder, 0o700)
    if (account.switched) fs.chownSync(folder, account.uid, account.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    waitForOwner(folder, account.uid)
  }
  // Another account could have made the folder first, to listen in our place.
  const found = fs.lstatSync(folder)
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

/** Another root process may have made the folder and not yet changed its owner. */
function waitForOwner(folder: string, uid: number): void {
  for (let tries = 0; tries < 20 && fs.lstatSync(folder).uid !== uid; tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
}
