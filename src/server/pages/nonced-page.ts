import { constants, crc32, deflateRawSync } from 'node:zlib'
import { pastBytes, product } from './crc.ts'

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff])
const LAST_EMPTY_BLOCK = Buffer.from([3, 0])
/** Checksum and length, four bytes each (RFC 1952, 2.3.1). */
const TRAILER_LENGTH = 8

/** How far back deflate copies from (RFC 1951, 2). */
const WINDOW = 32_768

/** As hard as it can be: it is done once, and sent again and again. */
const LEVEL = 9

/** A body, and the places where the nonce goes. */
interface Template {
  bytes: Buffer
  holes: readonly number[]
  /** Length of a nonce. */
  size: number
}

interface GzipTemplate extends Template {
  /** The body's checksum with nothing where the nonces go. */
  checksum: number
  /** What moves a nonce's own checksum to all its places at once. */
  moves: number
}

/**
 * A rendered page that can be sent again and again, each time with another nonce. It is compressed once, with the nonces
 * as uncompressed blocks, so that sending it costs no more than copying its compressed bytes: the checksum at their end
 * follows from the nonce's own.
 */
export class NoncedPage {
  readonly status: number
  readonly #pieces: readonly Buffer[]
  readonly #size: number
  #plain: Template | undefined
  #gzip: GzipTemplate | undefined

  /**
   * @param html the page as rendered with `placeholder` for a nonce
   * @param placeholder random ASCII text that nothing else in the page contains; every nonce is as long
   */
  constructor(status: number, html: string, placeholder: string) {
    this.status = status
    this.#pieces = html.split(placeholder).map((piece) => Buffer.from(piece))
    this.#size = placeholder.length
  }

  /** The body as it is. */
  plain(nonce: string): Buffer {
    this.#plain ??= template(this.#pieces, Buffer.alloc(0), this.#size)
    return filled(this.#plain, nonce)
  }

  /** The body with `Content-Encoding: gzip`. */
  gzip(nonce: string): Buffer {
    this.#gzip ??= gzipTemplate(this.#pieces, this.#size)
    const { checksum, moves } = this.#gzip
    const body = filled(this.#gzip, nonce)
    body.writeUInt32LE((checksum ^ product(moves, crc32(nonce))) >>> 0, body.length - TRAILER_LENGTH)
    return body
  }
}

/** The pieces with a hole between each two, and something fixed in front of each hole. */
function template(pieces: readonly Buffer[], beforeHole: Buffer, size: number): Template {
  const between = Buffer.concat([beforeHole, Buffer.alloc(size)])
  const holes: number[] = []
  let length = 0
  const parts = pieces.flatMap((piece, index) => {
    if (index === 0) {
      length = piece.length
      return [piece]
    }
    holes.push(length + beforeHole.length)
    length += between.length + piece.length
    return [between, piece]
  })
  return { bytes: Buffer.concat(parts), holes, size }
}

function filled({ bytes, holes, size }: Template, nonce: string): Buffer {
  if (nonce.length !== size) throw new RangeError(`a nonce of ${size} characters was expected`)
  const body = Buffer.from(bytes)
  for (const hole of holes) body.write(nonce, hole, 'latin1')
  return body
}

function gzipTemplate(pieces: readonly Buffer[], size: number): GzipTemplate {
  const blocks = deflated(pieces, size)
  const { bytes, holes } = template(blocks, storedBlockHead(size), size)
  const { checksum, moves, length } = checksums(pieces, size)
  const trailer = Buffer.alloc(TRAILER_LENGTH)
  trailer.writeUInt32LE(length >>> 0, TRAILER_LENGTH / 2)
  return {
    bytes: Buffer.concat([GZIP_HEADER, bytes, LAST_EMPTY_BLOCK, trailer]),
    holes: holes.map((hole) => GZIP_HEADER.length + hole),
    checksum,
    size,
    moves,
  }
}

/**
 * The pieces compressed, each with a look back at what a browser has read by then. Zeros stand for the nonces there: as no
 * page contains any, nothing is ever copied out of a nonce.
 */
function deflated(pieces: readonly Buffer[], size: number): Buffer[] {
  let before = Buffer.alloc(0)
  return pieces.map((piece) => {
    const block = deflateRawSync(piece, {
      level: LEVEL,
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(before.length > 0 && { dictionary: before }),
    })
    before = Buffer.concat([before, piece, Buffer.alloc(size)]).subarray(-WINDOW)
    return block
  })
}

/** A checksum is the sum of those of the parts, each moved past what follows it: so the nonces can be added later. */
function checksums(
  pieces: readonly Buffer[],
  size: number,
): { checksum: number; moves: number; length: number } {
  let [checksum, moves, length] = [0, 0, 0]
  for (const [index, piece] of pieces.toReversed().entries()) {
    if (index > 0) {
      moves ^= pastBytes(length)
      length += size
    }
    checksum ^= product(pastBytes(length), crc32(piece))
    length += piece.length
  }
  return { checksum, moves, length }
}

/** Begins a deflate block that holds its bytes as they are (RFC 1951, 3.2.4); it starts at a byte boundary. */
function storedBlockHead(size: number): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(size, 1)
  head.writeUInt16LE(~size & 0xffff, 3)
  return head
}
