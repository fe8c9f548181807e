import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** Longer than a page's compressed body: a body in pieces is copied once more. */
const CHUNK = 65_536

/**
 * For a page that is sent once, more work than this costs more than it saves; Brotli at 2 beats gzip at 6. A page is
 * known to fit a window of 256 kB: with room for the 4 MB that Brotli expects, making that room takes longer than the
 * page.
 */
const brotliFor = (size: number) => ({
  chunkSize: CHUNK,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 2,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
})
const GZIP = { level: 3, chunkSize: CHUNK }

const accepts = (acceptEncoding: string, encoding: RegExp): boolean => encoding.test(acceptEncoding)

/** Whether a client takes a body compressed by gzip. */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  accepts(acceptEncoding ?? '', /\bgzip\b/)

/**
 * The body of a page that is sent once, compressed beside the thread that makes pages.
 * @returns `encoding` is what Content-Encoding says, if anything
 */
export async function bodyOnce(
  html: Buffer,
  acceptEncoding: string = '',
): Promise<{ body: Buffer; encoding?: string }> {
  if (accepts(acceptEncoding, /\bbr\b/)) {
    return { body: await brotli(html, brotliFor(html.length)), encoding: 'br' }
  }
  if (acceptsGzip(acceptEncoding)) return { body: await gzipped(html, GZIP), encoding: 'gzip' }
  return { body: html }
}
