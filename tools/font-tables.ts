/** Layout of an sfnt file: a header, one record for each table, the tables (OpenType, "Font file"). */
const HEADER_LENGTH = 12
const RECORD_LENGTH = 16

interface FoundTable {
  tag: string
  content: Buffer
}

/** The tables of a TrueType file in the order of its records. */
function tablesOf(font: Buffer): FoundTable[] {
  return Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const record = HEADER_LENGTH + index * RECORD_LENGTH
    const offset = font.readUInt32BE(record + 8)
    return {
      tag: font.toString('latin1', record, record + 4),
      content: font.subarray(offset, offset + font.readUInt32BE(record + 12)),
    }
  })
}

/**
 * The font with some of its tables as another font has them. Both must hold the same glyphs in the same order: they do
 * when they are cut for the same text from the same source. Checksums are left empty: whoever packs the font counts them.
 * @throws Error when a table is missing in either, or the glyphs differ
 */
export function withTablesOf(font: Buffer, other: Buffer, tags: readonly string[]): Buffer {
  const own = tablesOf(font)
  const others = new Map(tablesOf(other).map(({ tag, content }) => [tag, content]))
  const characters = own.find(({ tag }) => tag === 'cmap')?.content
  if (!characters || !others.get('cmap')?.equals(characters)) throw new Error('the fonts hold other glyphs')
  const tables = own.map(({ tag, content }) => {
    if (!tags.includes(tag)) return { tag, content }
    const replacement = others.get(tag)
    if (!replacement) throw new Error(`the other font has no ${tag}`)
    return { tag, content: replacement }
  })
  const missing = tags.filter((tag) => !own.some((table) => table.tag === tag))
  if (missing.length > 0) throw new Error(`the font has no ${missing.join(', ')}`)

  const head = Buffer.alloc(HEADER_LENGTH + tables.length * RECORD_LENGTH)
  font.copy(head, 0, 0, HEADER_LENGTH)
  let offset = head.length
  const parts = tables.map(({ tag, content }, index) => {
    const record = HEADER_LENGTH + index * RECORD_LENGTH
    head.write(tag, record, 'latin1')
    head.writeUInt32BE(offset, record + 8)
    head.writeUInt32BE(content.length, record + 12)
    const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3)])
    offset += padded.length
    return padded
  })
  return Buffer.concat([head, ...parts])
}
