/**
 * Makes the fonts of the ticket document from the shop's own typefaces; run it after those were updated:
 * `node art/ticket-fonts.mjs`. The document needs static TrueType files, and the packages hold variable ones, Latin
 * and Latin Extended apart.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import subsetFont from 'subset-font'

const PACKAGES = path.resolve(import.meta.dirname, '../node_modules/@fontsource-variable')
const FONTS_FOLDER = path.resolve(import.meta.dirname, '../src/platform/documents/fonts')
const archivo = (script) => `archivo/files/archivo-${script}-wdth-normal.woff2`
const instrument = (script) => `instrument-sans/files/instrument-sans-${script}-wght-normal.woff2`

const DISPLAY = { wght: 680, wdth: 118 }
const PLATE = { wght: 640, wdth: 80 }
const TEXT = { wght: 440 }
const STRONG = { wght: 620 }

const FONTS = [
  { file: 'display-latin', source: archivo('latin'), axes: DISPLAY },
  { file: 'display-latin-ext', source: archivo('latin-ext'), axes: DISPLAY },
  {
    file: 'plate',
    source: archivo('latin'),
    axes: PLATE,
    characters: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  },
  { file: 'text-latin', source: instrument('latin'), axes: TEXT },
  { file: 'text-latin-ext', source: instrument('latin-ext'), axes: TEXT },
  { file: 'strong-latin', source: instrument('latin'), axes: STRONG },
  { file: 'strong-latin-ext', source: instrument('latin-ext'), axes: STRONG },
]

for (const { file, source, axes, characters } of FONTS) {
  const font = await subsetFont(await readFile(path.join(PACKAGES, source)), characters, {
    targetFormat: 'sfnt',
    variationAxes: axes,
    keepAllGlyphs: characters === undefined,
    keepFeatures: ['kern', 'mark', 'mkmk', 'ccmp', 'tnum'],
    noHinting: true,
  })
  await writeFile(path.join(FONTS_FOLDER, `${file}.ttf`), font)
}
for (const name of ['archivo', 'instrument-sans']) {
  await writeFile(
    path.join(FONTS_FOLDER, `${name}.license.txt`),
    await readFile(path.join(PACKAGES, name, 'LICENSE')),
  )
}
