import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable, type TransformCallback, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { DumpError } from '../database/dump.ts'
import { type Backup, ENCRYPTED, type PartOfBackup, sync } from './folder.ts'

type Bytes = ReadableStream<Uint8Array>
const toWeb = (source: Readable): Bytes => Readable.toWeb(source) as Bytes

/** Compresses a source into a new file, encrypted where there is a key. @returns what the file has */
export async function writePart(
  file: string,
  source: Readable,
  publicKeys: readonly string[],
): Promise<PartOfBackup> {
  const hash = createHash('sha256')
  let bytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  const gzip = createGzip()
  if (publicKeys.length === 0) await pipeline(source, gzip, count, target)
  else {
    const encrypter = new Encrypter()
    for (const key of publicKeys) encrypter.addRecipient(key)
    const encrypted = async function* (compressed: AsyncIterable<Uint8Array>) {
      yield* await encrypter.encrypt(toWeb(Readable.from(compressed)))
    }
    await pipeline(source, gzip, encrypted, count, target)
  }
  await sync(file)
  return { bytes, sha256: hash.digest('hex') }
}

/** The secret keys in a file as `age-keygen` writes it. */
export async function readIdentities(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new DumpError(`${file} cannot be read.`)
  })
  const keys = text.split('\n').map((line) => line.trim())
  const secret = keys.filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (secret.length === 0) throw new DumpError(`${file} has no secret key of age.`)
  return secret
}

/** The compressed bytes of a part of a backup. @param name without the end that encryption adds */
export async function readPart(
  { folder, manifest }: Backup,
  name: string,
  identities: readonly string[],
): Promise<Readable> {
  const file = path.join(folder, manifest.isEncrypted ? name + ENCRYPTED : name)
  const source = createReadStream(file)
  if (!manifest.isEncrypted) return source
  if (identities.length === 0)
    throw new DumpError(`${folder} is encrypted: name the file of a secret key with --identity.`)
  const decrypter = new Decrypter()
  for (const one of identities) decrypter.addIdentity(one)
  const bytes = await decrypter.decrypt(toWeb(source)).catch((error: unknown) => {
    source.destroy()
    throw new DumpError(`${file} cannot be decrypted: ${(error as Error).message}.`, { cause: error })
  })
  return Readable.fromWeb(bytes as never)
}
