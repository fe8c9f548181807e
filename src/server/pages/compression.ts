import { readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

const COMPRESSIBLE = /\.(?:js|css|svg|json|txt|webmanifest|xml)$/

/** Writes `.br` and `.gz` files, as small as possible. */
export async function precompress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name) && !entry.parentPath.includes('.vite'))
    .map((entry) => path.join(entry.parentPath, entry.name))
  await Promise.all(
    files.map(async (file) => {
      const content = await readFile(file)
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
      await writeFile(`${file}.br`, await brotli(content, { params }))
      await writeFile(`${file}.gz`, await gzipped(content, { level: 9 }))
    }),
  )
}

/** Longer than a compressed page, which is then one chunk. */
const CHUNK = 65_536

/** Fast rather than small: pages are cached for half a second. The default window of 4 MB is slow. */
const COMPRESS = {
  br: (html: Buffer) =>
    brotli(html, {
      chunkSize: CHUNK,
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: 18,
        [constants.BROTLI_PARAM_SIZE_HINT]: html.length,
      },
    }),
  gzip: (html: Buffer) => gzipped(html, { level: 6, chunkSize: CHUNK }),
} as const

export type Encoding = keyof typeof COMPRESS

/** The encoding to respond with, by what a browser accepts; undefined for none. */
export function acceptedEncoding(accepted = ''): Encoding | undefined {
  const isAccepted = (encoding: Encoding): boolean =>
    new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted)
  return (['br', 'gzip'] as const).find(isAccepted)
}

/** Encodes the body once for each encoding. */
export class Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly #html: Buffer
  readonly #bodies = new Map<Encoding, Promise<Buffer>>()

  constructor(status: number, headers: Readonly<Record<string, string>>, html: string) {
    this.status = status
    this.headers = headers
    this.#html = Buffer.from(html)
  }

  async body(accepted?: string): Promise<{ body: Buffer; encoding?: Encoding }> {
    const encoding = acceptedEncoding(accepted)
    if (encoding === undefined) return { body: this.#html }
    const making = this.#bodies.get(encoding) ?? COMPRESS[encoding](this.#html)
    this.#bodies.set(encoding, making)
    return { body: await making, encoding }
  }
}
