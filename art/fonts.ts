/**
 * Makes the web fonts under public/fonts from the installed font packages: only the characters that French, Dutch and
 * English use, only the axes the design uses. Run `npm run fonts` after changing the list below.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import subsetFont from 'subset-font'

const root = path.resolve(import.meta.dirname, '..')
const out = path.join(root, 'public/fonts')

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).join('')

/** ASCII, Latin-1, and the letters and signs of the three languages beyond them. */
const LATIN = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}ŒœŸĲĳ‘’“”«»–—…€†•→←↗×−\u202f\u2009\u2011`
const PLATE = `${range(0x30, 0x39)}${range(0x41, 0x5a)}-·. `

/** Layout of an sfnt file: a header, one record for each table, the tables (OpenType, "Font file"). */
const HEADER_LENGTH = 12
const RECORD_LENGTH = 16

interface Font {
  name: string
  from: string
  text: string
  axes: Record<string, number | { min: number; max: number; default?: number }>
  /**
   * At which place of the axes pairs of letters are spaced. A pair's space for every weight was half of the text face;
   * the regular weight's serves all of them, and nobody sees the difference.
   */
  pairsAt?: Record<string, number>
}

const FONTS: Font[] = [
  {
    name: 'volant-wide',
    from: '@fontsource-variable/archivo/files/archivo-latin-standard-normal.woff2',
    text: LATIN,
    axes: { wdth: 118, wght: 680 },
  },
  {
    name: 'volant-text',
    from: '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
    text: LATIN,
    axes: { wght: { min: 400, max: 700, default: 400 } },
    pairsAt: { wght: 400 },
  },
  {
    name: 'volant-plate',
    from: '@fontsource-variable/archivo/files/archivo-latin-standard-normal.woff2',
    text: PLATE,
    axes: { wdth: 80, wght: 640 },
  },
]

await mkdir(out, { recursive: true })
for (const font of FONTS) {
  const source = await readFile(path.join(root, 'node_modules', font.from))
  const made = await madeFont(font, source)
  await writeFile(path.join(out, `${font.name}.woff2`), made)
  process.stdout.write(`${font.name}.woff2 ${made.length} bytes\n`)
}
await copyFile(
  path.join(root, 'node_modules/@fontsource-variable/archivo/LICENSE'),
  path.join(out, 'LICENSE-archivo.txt'),
)
await copyFile(
  path.join(root, 'node_modules/@fontsource-variable/instrument-sans/LICENSE'),
  path.join(out, 'LICENSE-instrument-sans.txt'),
)

async function madeFont({ text, axes, pairsAt }: Font, source: Buffer): Promise<Buffer> {
  if (!pairsAt) return await subsetFont(source, text, { targetFormat: 'woff2', variationAxes: axes })
  const cut = async (variationAxes: Font['axes']): Promise<Buffer> =>
    await subsetFont(source, text, { targetFormat: 'truetype', variationAxes })
  const spaced = withTablesOf(await cut(axes), await cut(pairsAt), ['GPOS', 'GDEF'])
  return await subsetFont(spaced, undefined, { targetFormat: 'woff2', keepAllGlyphs: true })
}

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
function withTablesOf(font: Buffer, other: Buffer, tags: readonly string[]): Buffer {
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
