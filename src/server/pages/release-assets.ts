import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Database } from '#platform/database.ts'
import { keptFiles } from '#platform/kept-files.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  type Asset,
  type AssetDigest,
  type AssetEncoding,
  assetCopy,
  digestOf,
  storeAsset,
  touchAssets,
} from '../assets.repository.ts'
import { type BuiltFolder, builtFolders, fileHeaders } from './built-folders.ts'
import { acceptedEncoding } from './compression.ts'

/** Of all files of other releases that a process keeps in memory: about one release. */
const CACHE_BYTES = 8 * 1024 * 1024

const NAME = /^[\w-][\w.-]{0,127}$/

/** Of every ending that a build makes. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

const COMPRESSED = /\.(?:br|gz)$/

/**
 * Stores the built files of this release for the processes of other ones, and notes that they are in use. Stores nothing
 * twice, so that any number of processes may do it at any time.
 * @returns how many files were new
 */
export async function storeAssets(db: Database, folders: BuiltFolder[] = builtFolders()): Promise<number> {
  const files = (await Promise.all(folders.map(filesOf))).flat()
  const digests: AssetDigest[] = []
  for (const file of files) digests.push(digestOf(await readAsset(file)))
  const stored = await touchAssets(db, digests)
  const missing = files.filter((file) => !stored.has(file.path))
  for (const file of missing) await storeAsset(db, await readAsset(file))
  return missing.length
}

interface BuiltFile {
  path: string
  file: string
  /** Of all files in its folder. */
  names: ReadonlySet<string>
}

async function filesOf({ folder, address }: BuiltFolder): Promise<BuiltFile[]> {
  const names = new Set(await readdir(folder))
  return [...names]
    .filter((name) => !COMPRESSED.test(name))
    .map((name) => ({ path: address + name, file: path.join(folder, name), names }))
}

async function readAsset({ path: address, file, names }: BuiltFile): Promise<Asset> {
  const copy = async (ending: string): Promise<Buffer | null> =>
    names.has(path.basename(file) + ending) ? await readFile(file + ending) : null
  const [content, brotli, gzip] = [await readFile(file), await copy('.br'), await copy('.gz')]
  return { path: address, type: typeOf(file), content, brotli, gzip }
}

function typeOf(file: string): string {
  const type = TYPES[path.extname(file)]
  if (type === undefined) throw new Error(`${file}: add the type of such files to release-assets.ts`)
  return type
}

const COPIES: Readonly<Partial<Record<string, AssetEncoding>>> = { br: 'brotli', gzip: 'gzip' }

/** Responds for files that this process has not on its disk: those of other releases, from the database. */
export function serveReleaseAssets(app: FastifyInstance, db: Database): void {
  const find = keptFiles(async (name) => {
    const [encoding = '', address = ''] = name.split(' ')
    return await assetCopy(db, address, COPIES[encoding])
  }, CACHE_BYTES)
  for (const { address, caching } of builtFolders()) {
    app.get<{ Params: { '*': string } }>(
      `${address}*`,
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async (request, reply) => {
        const name = request.params['*']
        const encoding = acceptedEncoding(request.headers['accept-encoding'])
        const found = NAME.test(name) ? await find(`${encoding ?? ''} ${address}${name}`) : undefined
        // Nothing keeps that: the release that has it may start the next moment.
        if (!found) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        if (encoding && found.isEncoded) reply.header('content-encoding', encoding)
        return reply
          .headers({ ...fileHeaders(name, caching), vary: 'accept-encoding' })
          .type(found.type)
          .send(found.bytes)
      },
    )
  }
}
