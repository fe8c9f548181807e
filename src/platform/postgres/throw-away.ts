import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from './embedded.ts'
import type { PlatformLog } from './log.ts'

/** When its input closes, however the parent ends, it stops the server and removes the folder. */
const WATCHDOG = `
cat > /dev/null
pid=$(head -n 1 "$1/postgres/cluster/postmaster.pid" 2> /dev/null)
[ -n "$pid" ] && kill -QUIT "$pid" 2> /dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" 2> /dev/null && exit 0
  sleep 0.2
done
`

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 * 2 ** 30

/** Where the files lie in memory, a database is cloned in a tenth of the time. */
function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize >= ENOUGH_BYTES) return MEMORY
  } catch {
    // Only Linux has it.
  }
  return os.tmpdir()
}

/** A private PostgreSQL in a temporary folder, removed by `stop` or at the end of this process. */
export async function startThrowAwayPostgres(options: {
  projectDir: string
  log: PlatformLog
  /** Where the folder is made; in memory when left out and there is enough. */
  parent?: string
}): Promise<EmbeddedPostgres & { folder: string }> {
  const folder = mkdtempSync(path.join(options.parent ?? temporaryFolder(), 'volant-scratch-'))
  // Root's server runs under another account, which must enter.
  chmodSync(folder, 0o711)
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  const cleaned = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()))
  const clean = () => {
    watchdog.ref()
    watchdog.stdin?.end()
    return cleaned
  }
  try {
    const server = await ensureEmbeddedPostgres({ ...options, dataDir: folder, durable: false })
    const stop = async () => {
      try {
        await server.stop()
      } finally {
        await clean()
      }
    }
    return { ...server, folder, stop }
  } catch (error) {
    await clean()
    throw error
  }
}
