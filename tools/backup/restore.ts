import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { DumpError } from '../database/dump.ts'
import type { Backup } from './folder.ts'
import { readPart } from './streams.ts'
import { FILES } from './write.ts'

/** When tar goes first: at the mark that ends the archive, before the zeros behind it, or with an exit code of its own. */
const LEFT = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/** Unpacks the files of a backup into a data folder. @param replaces files that are there, which stay otherwise */
export async function restoreFiles(
  backup: Backup,
  { dataDir, identities, replaces }: { dataDir: string; identities: readonly string[]; replaces: boolean },
): Promise<string[]> {
  await mkdir(dataDir, { recursive: true })
  const input = await readPart(backup, FILES, identities)
  const ways = ['--extract', '--verbose', '--no-same-owner', ...(replaces ? [] : ['--skip-old-files'])]
  const tar = spawn('tar', ways, { cwd: dataDir, stdio: ['pipe', 'pipe', 'pipe'] })
  let listed = ''
  let said = ''
  tar.stdout.on('data', (part) => (listed += String(part)))
  tar.stderr.on('data', (part) => (said += String(part)))
  const ended = once(tar, 'close') as Promise<[number | null]>
  const fed = pipeline(input, createGunzip(), tar.stdin)
  const [feeding, end] = await Promise.allSettled([fed, ended])
  const isUnpacked = end.status === 'fulfilled' && end.value[0] === 0
  const fault =
    feeding.status === 'rejected' && !LEFT.has(codeOf(feeding.reason))
      ? (feeding.reason as Error).message
      : isUnpacked
        ? undefined
        : said.trim()
  if (fault !== undefined)
    throw new DumpError(`The files of ${path.basename(backup.folder)} cannot be unpacked: ${fault}`)
  return listed.split('\n').filter((name) => name && !name.endsWith('/'))
}
