/** Words and marks of the shop as pictures: the faces of the pages, the mark, number plates. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import subsetFont from 'subset-font'

export const PAPER = '#f5f3ee'
export const ASPHALT = '#0b0c0d'
const SIGNAL = '#93aaff'

const FILES = path.resolve(import.meta.dirname, '../node_modules/@fontsource-variable')

export interface Words {
  text: string
  /** Pango's description: family, weight, size. */
  font: string
  file: string
  width: number
  color?: string
  spacing?: number
}

/** The faces of the pages as files that the text renderer reads; `remove` takes them away. */
export async function faces(): Promise<{ wide: string; text: string; remove: () => void }> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'volant-faces-'))
  const face = async (name: string, from: string, axes: Record<string, number>): Promise<string> => {
    const every = Array.from({ length: 0x180 - 0x20 }, (_, index) => String.fromCodePoint(0x20 + index))
    const characters = `${every.join('')}’€\u202f`
    const source = readFileSync(path.join(FILES, from))
    const file = path.join(scratch, `${name}.ttf`)
    writeFileSync(
      file,
      await subsetFont(source, characters, { targetFormat: 'truetype', variationAxes: axes }),
    )
    return file
  }
  return {
    wide: await face('wide', 'archivo/files/archivo-latin-standard-normal.woff2', { wdth: 118, wght: 680 }),
    text: await face('text', 'instrument-sans/files/instrument-sans-latin-wght-normal.woff2', { wght: 500 }),
    remove: () => rmSync(scratch, { recursive: true }),
  }
}

/** Words as a picture of their own, broken at `width`. */
export const words = ({ text, font, file, width, color = PAPER, spacing = 0 }: Words): Promise<Buffer> =>
  sharp({
    text: {
      text: `<span foreground="${color}">${text}</span>`,
      font,
      fontfile: file,
      width,
      rgba: true,
      dpi: 72,
      spacing,
    },
  })
    .png()
    .toBuffer()

/** Pixels of a picture. */
export const sizeOf = async (image: Buffer): Promise<{ width: number; height: number }> => {
  const { width, height } = await sharp(image).metadata()
  return { width, height }
}

/** The mark of the pages (src/apps/site/frame), on a dark ground. */
export const mark = (size: number): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="${size}" height="${size}" fill="none">
  <circle cx="16" cy="16" r="13.25" stroke="${PAPER}" stroke-width="3.5"/>
  <path d="M5.2 12.2 16 24.5l10.8-12.3" stroke="${SIGNAL}" stroke-width="3.5" stroke-linejoin="round"/></svg>`)
