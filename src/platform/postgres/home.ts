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
