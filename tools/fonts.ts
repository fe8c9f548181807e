/**
 * Makes the web fonts under public/fonts from the installed font packages: only the characters that French, Dutch and
 * English use, only the axes the design uses. Run `npm run fonts` after changing the list below.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import subsetFont from 'subset-font'
import { withTablesOf } from './font-tables.ts'

const root = path.resolve(import.meta.dirname, '..')
const out = path.join(root, 'public/fonts')

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).join('')

/** ASCII, Latin-1, and the letters and signs of the three languages beyond them. */
const LATIN = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}ŒœŸĲĳ‘’“”«»–—…€†•→←↗×−\u202f\u2009\u2011`
const PLATE = `${range(0x30, 0x39)}${range(0x41, 0x5a)}-·. `

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
