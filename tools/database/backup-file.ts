import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { dump, DumpError } from './dump.ts'
import { load, type LoadOptions } from './load.ts'

/** Writes a compressed dump, readable only by this account; a failed one leaves no file. */
export async function writeBackup(client: Client, file: string): Promise<Record<string, number>> {
  if (existsSync(file)) throw new DumpError(`${file} exists already; choose another name.`)
  const draft = `${file}.part-${process.pid}`
  const gzip = createGzip()
  const output = gzip.pipe(createWriteStream(draft, { flags: 'wx', mode: 0o600 }))
  const written = finished(output)
  // Awaited below; a disk that is full may fail it earlier.
  written.catch((error: unknown) => gzip.destroy(error as Error))
  try {
    const counts = await dump(client, async (chunk) => {
      if (!gzip.write(chunk)) await Promise.race([once(gzip, 'drain'), written])
    })
    gzip.end()
    await written
    const handle = await open(draft, 'r')
    await handle.sync()
    await handle.close()
    await rename(draft, file)
    return counts
  } catch (error) {
    gzip.destroy()
    await written.catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

/** Fills a database from a backup file; see {@link load}. */
export async function readBackup(
  client: Client,
  file: string,
  options: LoadOptions,
): Promise<Record<string, number>> {
  await access(file).catch(() => {
    throw new DumpError(`${file} cannot be read.`)
  })
  return readCompressed(client, { file, input: createReadStream(file) }, options)
}

/** The same from the compressed bytes of a file. */
export async function readCompressed(
  client: Client,
  { file, input }: { file: string; input: Readable },
  options: LoadOptions,
): Promise<Record<string, number>> {
  const gunzip = createGunzip()
  input.on('error', (error) => gunzip.destroy(error))
  // The reader of the stream reports it, unless the reader has not begun yet.
  gunzip.on('error', () => {})
  try {
    return await load(client, input.pipe(gunzip), options)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'Z_BUF_ERROR') throw new DumpError(`${file} is cut off.`, { cause: error })
    if (code?.startsWith('Z_'))
      throw new DumpError(`${file} is no backup, or it is damaged.`, { cause: error })
    throw error
  } finally {
    input.destroy()
    gunzip.destroy()
  }
}

/**
 * Lets the doctor know how old the last backup is. A database of an older release has no place for that, and a standby
 * takes no writes.
 */
export async function noteBackup(client: Client): Promise<void> {
  const { rows } = await client.query<{ has: boolean }>(
    `SELECT to_regclass('public.backups') IS NOT NULL AND current_setting('transaction_read_only') = 'off' AS has`,
  )
  if (rows[0]?.has) await client.query('INSERT INTO backups DEFAULT VALUES')
}
