/** Reads an evidence pack (docs/draw-v1.md, section 12) from a ZIP archive, some bytes at a time. */
import { toText } from './bytes.ts'
import { DrawFault, type FaultCode, type FaultValues } from './faults.ts'
import type { FileInParts } from './verify.ts'

/** A fault of an archive, or of a member of it, by the name of the file. */
export class ArchiveFault extends Error {
  readonly file: string
  readonly fault: DrawFault

  constructor(file: string, code: FaultCode, values: FaultValues = {}) {
    super(`${file}: ${code}`)
    this.name = 'ArchiveFault'
    this.file = file
    this.fault = new DrawFault(code, 0, values)
  }
}

export interface Archive {
  /** The one folder in which the files are. */
  folder: string
  files: Map<string, FileInParts>
}

const END = 0x06054b50
const END_BYTES = 22
const LONGEST_COMMENT = 0xffff
const MEMBER = 0x02014b50
const MEMBER_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1
const MOST_MEMBERS = 5000
/** Twice what a pack of the greatest contest has. */
const MOST_BYTES = 3 * 2 ** 30

const viewOf = async (blob: Blob, start: number, end: number): Promise<DataView> =>
  new DataView(await blob.slice(start, end).arrayBuffer())

const textOf = (view: DataView, start: number, length: number): string =>
  toText(new Uint8Array(view.buffer, view.byteOffset + start, length))

/** Reads the names of an archive; its files are unpacked when they are read. Throws an ArchiveFault. */
export async function openArchive(archive: Blob, name: string): Promise<Archive> {
  const members = await readMembers(archive, name)
  const files = new Map<string, FileInParts>()
  let folder: string | undefined
  for (const member of members) {
    const [, own, file = ''] = /^([^/\\]+)\/([^/\\]*)$/.exec(member.path) ?? []
    if (own === undefined || own === '.' || own === '..' || own !== (folder ?? own))
      throw new ArchiveFault(name, 'archive-path', { found: member.path })
    folder = own
    if (file === '') continue
    if (files.has(file)) throw new ArchiveFault(file, 'file-twice')
    if ((member.flags & ENCRYPTED) !== 0 || (member.method !== STORED && member.method !== DEFLATED))
      throw new ArchiveFault(file, 'archive-method')
    if (member.size > MOST_BYTES) throw new ArchiveFault(file, 'file-large', { most: MOST_BYTES })
    files.set(file, { size: member.size, parts: () => unpacked(archive, member) })
  }
  if (folder === undefined) throw new ArchiveFault(name, 'archive')
  return { folder, files }
}

interface Member {
  path: string
  flags: number
  method: number
  checksum: number
  packed: number
  size: number
  offset: number
}

async function readMembers(archive: Blob, name: string): Promise<Member[]> {
  const broken = (): never => {
    throw new ArchiveFault(name, 'archive')
  }
  const from = Math.max(0, archive.size - END_BYTES - LONGEST_COMMENT)
  const tail = await viewOf(archive, from, archive.size)
  let end = tail.byteLength - END_BYTES
  while (
    end >= 0 &&
    (tail.getUint32(end, true) !== END ||
      end + END_BYTES + tail.getUint16(end + 20, true) !== tail.byteLength)
  )
    end -= 1
  if (end < 0) return broken()
  const count = tail.getUint16(end + 10, true)
  const length = tail.getUint32(end + 12, true)
  const start = tail.getUint32(end + 16, true)
  if (count > MOST_MEMBERS || start + length > from + end) return broken()
  const directory = await viewOf(archive, start, start + length)
  const members: Member[] = []
  let at = 0
  while (members.length < count) {
    if (at + MEMBER_BYTES > length || directory.getUint32(at, true) !== MEMBER) return broken()
    const pathBytes = directory.getUint16(at + 28, true)
    const next =
      at + MEMBER_BYTES + pathBytes + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
    if (next > length) return broken()
    members.push({
      path: textOf(directory, at + MEMBER_BYTES, pathBytes),
      flags: directory.getUint16(at + 8, true),
      method: directory.getUint16(at + 10, true),
      checksum: directory.getUint32(at + 16, true),
      packed: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      offset: directory.getUint32(at + 42, true),
    })
    at = next
  }
  return members
}

/** The bytes of a member, which have the size and the checksum that the archive names; otherwise throws a DrawFault. */
async function* unpacked(archive: Blob, member: Member): AsyncIterable<Uint8Array> {
  const { offset } = member
  const local = await viewOf(archive, offset, offset + LOCAL_BYTES)
  if (local.byteLength < LOCAL_BYTES || local.getUint32(0, true) !== LOCAL) throw new DrawFault('archive', 0)
  const pathBytes = local.getUint16(26, true)
  const pathStart = offset + LOCAL_BYTES
  const path = await viewOf(archive, pathStart, pathStart + pathBytes)
  // Another reader may go by this name.
  if (textOf(path, 0, path.byteLength) !== member.path) throw new DrawFault('archive', 0)
  const start = pathStart + pathBytes + local.getUint16(28, true)
  const packed = archive.slice(start, start + member.packed).stream() as ReadableStream<BufferSource>
  const bytes: ReadableStream<BufferSource> =
    member.method === DEFLATED ? packed.pipeThrough(new DecompressionStream('deflate-raw')) : packed
  const reader = bytes.getReader() as ReadableStreamDefaultReader<Uint8Array>
  let [size, checksum] = [0, 0xffffffff]
  try {
    for (;;) {
      const { done, value } = await nextOf(reader)
      if (done) break
      size += value.length
      if (size > member.size) throw new DrawFault('archive', 0)
      checksum = crc32(checksum, value)
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  if (size !== member.size || (checksum ^ 0xffffffff) >>> 0 !== member.checksum)
    throw new DrawFault('archive', 0)
}

/** What cannot be unpacked is a fault of the archive. */
async function nextOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch {
    throw new DrawFault('archive', 0)
  }
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(before: number, bytes: Uint8Array): number {
  let value = before
  for (let at = 0; at < bytes.length; at += 1) value = CRC[(value ^ bytes[at]!) & 0xff]! ^ (value >>> 8)
  return value
}
