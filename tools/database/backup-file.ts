import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Client } from 'pg'
import { DumpError } from './dump.ts'
import { load, type LoadOptions } from './load.ts'

/** Fills a database from a compressed dump, such as an older release wrote; see {@link load}. */
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
