import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipMember {
  name: string
  content: Uint8Array
  /** By default the member is deflated. */
  method?: number
  flags?: number
  /** Other than what is true. */
  checksum?: number
  size?: number
  /** In the header before the content, where it may differ from the directory's. */
  localName?: string
}

/** A ZIP archive, as it should be or broken in a chosen way. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, method = 8, flags = 0, ...given } of members) {
    const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content)
    const { checksum = crc32(content), size = content.length, localName = name } = given
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(checksum, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(Buffer.byteLength(localName), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(localName), packed])
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, tail, Buffer.from(name)]),
    )
    parts.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 0, 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, entries, end])
}

/** The evidence pack of a draw as an archive. */
export const evidenceZip = (files: ReadonlyMap<string, Uint8Array>, folder: string): Buffer =>
  zipOf([...files].map(([name, content]) => ({ name: `${folder}/${name}`, content })))
