import { constants, crc32, deflateRawSync } from 'node:zlib'

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff])
const LAST_EMPTY_BLOCK = Buffer.from([3, 0])

/**
 * A rendered page that can be sent again and again, each time with another nonce. It is compressed once: a gzip body
 * is put together from the compressed pieces between the nonces and the nonce itself as an uncompressed block.
 */
export class NoncedPage {
  readonly status: number
  readonly #pieces: Buffer[]
  #compressed: Buffer[] | undefined

  /**
   * @param html the page as rendered with `placeholder` for a nonce
   * @param placeholder random text that nothing else in the page contains
   */
  constructor(status: number, html: string, placeholder: string) {
    this.status = status
    this.#pieces = html.split(placeholder).map((piece) => Buffer.from(piece))
  }

  /** The body as it is. */
  plain(nonce: string): Buffer {
    return interleave(this.#pieces, Buffer.from(nonce))
  }

  /** The body with `Content-Encoding: gzip`. */
  gzip(nonce: string): Buffer {
    this.#compressed ??= this.#pieces.map((piece) =>
      deflateRawSync(piece, { level: 9, finishFlush: constants.Z_SYNC_FLUSH }),
    )
    const whole = this.plain(nonce)
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(crc32(whole), 0)
    trailer.writeUInt32LE(whole.length, 4)
    const blocks = interleave(this.#compressed, storedBlock(Buffer.from(nonce)))
    return Buffer.concat([GZIP_HEADER, blocks, LAST_EMPTY_BLOCK, trailer])
  }
}

function interleave(pieces: readonly Buffer[], between: Buffer): Buffer {
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece])))
}

/** A deflate block that holds its bytes as they are (RFC 1951, 3.2.4); it starts at a byte boundary. */
function storedBlock(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(bytes.length, 1)
  head.writeUInt16LE(~bytes.length & 0xffff, 3)
  return Buffer.concat([head, bytes])
}
