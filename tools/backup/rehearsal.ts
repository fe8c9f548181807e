import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { openDatabase } from '#platform/database.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startThrowAwayPostgres } from '#platform/postgres/throw-away.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { nowMs } from '#shared/clock.ts'
import { readCompressed } from '../database/backup-file.ts'
import { migrationsFolder, projectDir, withClient } from '../database/tool.ts'
import { reportLines } from '../invariants/ledger.ts'
import { respondsOk } from '../run/children.ts'
import { atEnd } from '../run/ending.ts'
import { type Backup, verifySums } from './folder.ts'
import { restoreFiles } from './restore.ts'
import { readBackupSettings } from './settings.ts'
import { readPart } from './streams.ts'
import { DATABASE } from './write.ts'

/** Compares with the provider, whom a rehearsal does not call. */
const LEDGER = 'I5'
const READY_MS = 120_000
const PAGE_MS = 30_000
const STOP_MS = 30_000
const PAGES = ['/', '/offers', '/draws', '/verify.html', '/admin/', '/api/offers/']
/** Of DATA_DIR, and in no backup. */
const KEYS = ['secret-key', 'log-key']

export interface Rehearsal {
  backup: Backup
  identities: readonly string[]
  port: number
  tell: (isGood: boolean, what: string, text: string) => void
}

const secondsSince = (begun: number): string => `${((performance.now() - begun) / 1_000).toFixed(1)} s`

/** @returns whether a shop of this backup works; each step is told */
export async function rehearse({ backup, identities, port, tell }: Rehearsal): Promise<boolean> {
  let isGood = true
  const step = async (what: string, work: () => Promise<string>): Promise<boolean> => {
    try {
      tell(true, what, await work())
      return true
    } catch (error) {
      tell(false, what, error instanceof Error ? error.message : String(error))
      return (isGood = false)
    }
  }
  const begun = performance.now()
  const count = Object.keys(backup.manifest.files).length
  const isWhole = await step('Checksums', async () => {
    await verifySums(backup)
    return `${backup.name}, made ${ageOf(backup.at)} ago: ${count} files, as they were written.`
  })
  if (!isWhole) return false

  const server = await startThrowAwayPostgres({ projectDir, log: silentLog, parent: os.tmpdir() })
  const stopped = atEnd(() => server.stop())
  const dataDir = path.join(server.folder, 'data')
  try {
    const isRestored =
      (await step('Database', async () => {
        const input = await readPart(backup, DATABASE, identities)
        const file = path.join(backup.folder, DATABASE)
        const counts = await withClient(server.url, 'rehearsal', (client) =>
          readCompressed(client, { file, input }, { migrations: migrationsFolder }),
        )
        const applied = await migrate({ url: server.url, folder: migrationsFolder, log: silentLog })
        const rows = Object.values(counts).reduce((sum, one) => sum + one, 0)
        const newer = applied.length > 0 ? `, brought up to date by ${applied.join(', ')}` : ''
        return `${rows} rows of ${Object.keys(counts).length} tables${newer}.`
      })) &&
      (await step('Files', async () => {
        const files = await restoreFiles(backup, { dataDir, identities, replaces: false })
        return `${files.length} files of DATA_DIR.`
      }))
    if (!isRestored) return false
    await askDatabase(server.url, step)
    await walk({ url: server.url, dataDir, port, begun, step })
  } finally {
    await server.stop()
    stopped()
  }
  return isGood
}

type Step = (what: string, work: () => Promise<string>) => Promise<boolean>

async function askDatabase(url: string, step: Step): Promise<void> {
  const database = openDatabase({
    url,
    max: 2,
    log: silentLog,
    applicationName: 'volant tool rehearsal',
  })
  try {
    await step('Audit log', async () => {
      const { entries, brokenAt } = await verifyAuditLog(database.db)
      if (brokenAt !== null) throw new Error(`entry ${brokenAt} does not follow from the one before it.`)
      return `${entries} entries, each follows from the one before it.`
    })
    await step('Invariants', async () => {
      const asked = (await shopInvariants()).filter(({ name }) => name !== LEDGER)
      const breaches = await checkInvariants(database.db, asked)
      if (breaches.length === 0)
        return `${asked.length} hold; ${LEDGER} needs the provider and was not asked.`
      const lines = reportLines(asked, breaches).filter((line) => !line.startsWith('holds'))
      throw new Error(`${breaches.length} of ${asked.length} are broken:\n${lines.join('\n')}`)
    })
  } finally {
    await database.close()
  }
}

interface Walk {
  url: string
  dataDir: string
  port: number
  begun: number
  step: Step
}

/** Starts the shop on what was restored, and opens some of its pages. */
async function walk({ url, dataDir, port, begun, step }: Walk): Promise<void> {
  const own = readBackupSettings(process.env).dataDir
  await mkdir(dataDir, { recursive: true })
  for (const key of KEYS.filter((name) => existsSync(path.join(own, name))))
    cpSync(path.join(own, key), path.join(dataDir, key))
  const shop = spawn(process.execPath, ['src/server/main.ts'], {
    cwd: projectDir,
    env: {
      ...process.env,
      DATABASE_URL: url,
      DATABASE_URL_FILE: '',
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'error',
      VOLANT_REHEARSAL: '1',
      VOLANT_DEV: '',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(shop, 'exit')
  const done = atEnd(() => shop.kill('SIGKILL'))
  let said = ''
  shop.stderr.on('data', (part) => (said += String(part)))
  const base = `http://127.0.0.1:${port}`
  try {
    const isReady = await step('Shop', async () => {
      await whenReady(shop, base).catch((error: unknown) => {
        throw new Error(`${(error as Error).message} ${said.trim()}`.trim())
      })
      return `sells nothing and calls nobody; ready ${secondsSince(begun)} after the beginning.`
    })
    if (isReady)
      await step('Pages', async () => {
        const opened = [...PAGES, ...(await pagesOfContests(base))]
        const refused: string[] = []
        for (const page of opened) {
          const { status } = await fetch(base + page, { signal: AbortSignal.timeout(PAGE_MS) })
          if (status !== 200) refused.push(`${page} ${status}`)
        }
        if (refused.length > 0) throw new Error(`${refused.join(', ')}.`)
        return `${opened.length} open.`
      })
  } finally {
    shop.kill('SIGTERM')
    const force = setTimeout(() => shop.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(force)
    done()
  }
}

async function whenReady(shop: ChildProcess, base: string): Promise<void> {
  const end = performance.now() + READY_MS
  for (;;) {
    if (shop.exitCode !== null || shop.signalCode !== null) throw new Error('it does not start.')
    if (await respondsOk(`${base}/api/health/ready`)) return
    if (performance.now() > end) throw new Error('it is not ready after two minutes.')
    await sleep(100)
  }
}

/** Of the first contests of the list, whose pages have what was sold and the pictures that staff have uploaded. */
async function pagesOfContests(base: string): Promise<string[]> {
  const response = await fetch(`${base}/api/offers/`, { signal: AbortSignal.timeout(PAGE_MS) })
  const offers = (await response.json()) as { slug: string }[]
  return offers.slice(0, 3).map(({ slug }) => `/draws/${slug}`)
}

const HOUR_MS = 3_600_000

/** "3 hours" */
function ageOf(at: Date): string {
  const hours = Math.max(0, Math.round((nowMs() - at.getTime()) / HOUR_MS))
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
