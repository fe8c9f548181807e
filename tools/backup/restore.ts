import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar'
import { DumpError } from '../database/dump.ts'
import type { Backup } from './folder.ts'
import { readPart } from './streams.ts'
import { FILES } from './write.ts'

/** Unpacks the files of a backup into a data folder. @param replaces files that are there, which stay otherwise */
export async function restoreFiles(
  backup: Backup,
  { dataDir, identities, replaces }: { dataDir: string; identities: readonly string[]; replaces: boolean },
): Promise<string[]> {
  await mkdir(dataDir, { recursive: true })
  const input = await readPart(backup, FILES, identities)
  const files: string[] = []
  const unpacking = extract({
    cwd: dataDir,
    keep: !replaces,
    preserveOwner: false,
    strict: true,
    onReadEntry: ({ path: name, type }) => type === 'Directory' || files.push(name),
  })
  await pipeline(input, createGunzip(), unpacking).catch((error: Error & { tarCode?: string }) => {
    // The library takes an archive without files for none at all; by now its bytes are known to be those that were written.
    if (error.tarCode === 'TAR_BAD_ARCHIVE' && files.length === 0) return
    const folder = path.basename(backup.folder)
    throw new DumpError(`The files of ${folder} cannot be unpacked: ${error.message}`, { cause: error })
  })
  return files
}
