import { createHash, randomBytes } from 'node:crypto'
import { crc32, deflateRawSync, constants } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

/** A plain picture of a colour of its own, which is quick to make and to encode. */
export const plain = (width = 640, height = 400): Sharp =>
  sharp({
    create: { width, height, channels: 3, background: `#${randomBytes(3).toString('hex')}` },
  })

/** A picture that fills its file to the end, as photos do. */
export const grainy = (width = 640, height = 400): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 120, sigma: 30 },
    },
  })

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Compresses zeros by repeating a compressed piece of them: gigabytes in a moment. */
export function compressedZeros(count: number): Buffer {
  const piece = 1 << 20
  const zeros = Buffer.alloc(piece)
  const repeated = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH })
  const last = deflateRawSync(zeros.subarray(0, count % piece))
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE((((count % 65_521) << 16) | 1) >>> 0)
  const pieces = Array.from({ length: Math.floor(count / piece) }, () => repeated)
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...pieces, last, sum])
}

/** A black PNG of any size; `data` may say something else than the header. */
export function blackPng(
  width: number,
  height: number,
  data = compressedZeros((width + 1) * height),
  more: Buffer[] = [],
) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A compressed comment of a PNG. */
export const pngComment = (bytes: number): Buffer =>
  chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), compressedZeros(bytes)]))

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
