import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  /** ASCII, without folders. */
  name: string
  content: Buffer
}

/** APPNOTE.TXT 6.3: version 2.0, method 8. */
const VERSION = 20
const DEFLATE = 8
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** In UTC, to two seconds. */
const dosTime = (at: Date): Buffer =>
  Buffer.concat([
    u16((at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)),
    u16(((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()),
  ])

/** A ZIP archive of a few files below 4 GB. */
export function zip(entries: readonly ZipEntry[], at: Date): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content } of entries) {
    const packed = deflateRawSync(content)
    const label = Buffer.from(name, 'ascii')
    const common = Buffer.concat([
      u16(VERSION),
      u16(0),
      u16(DEFLATE),
      dosTime(at),
      u32(crc32(content)),
      u32(packed.length),
      u32(content.length),
      u16(label.length),
      u16(0),
    ])
    const file = Buffer.concat([u32(LOCAL), common, label, packed])
    // Comment, disk, attributes: none.
    const rest = Buffer.concat([u16(0), u16(0), u16(0), u32(0), u32(offset)])
    directory.push(Buffer.concat([u32(CENTRAL), u16(VERSION), common, rest, label]))
    files.push(file)
    offset += file.length
  }
  const listed = Buffer.concat(directory)
  const count = u16(entries.length)
  const end = Buffer.concat([u32(END), u16(0), u16(0), count, count, u32(listed.length), u32(offset), u16(0)])
  return Buffer.concat([...files, listed, end])
}
