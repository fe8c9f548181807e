import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import type { Language } from '#shared/languages.ts'
import { type Options, type Scheme, WIDTHS, type Width } from './options.ts'

interface Screenshot {
  state: string
  language: Language
  width: Width
  scheme: Scheme
}

/** Where a picture lies: `<folder>/fr/cart-empty-360-light.jpg`. */
export const screenshotFile = (folder: string, { state, language, width, scheme }: Screenshot): string =>
  path.join(folder, language, `${state.replace('/', '-')}-${width}-${scheme}.jpg`)

/** Pixels of a column, and columns of a sheet, by the width of the window: what a person can read without a lens. */
const COLUMNS: Record<Width, { px: number; count: number }> = {
  360: { px: 300, count: 5 },
  768: { px: 384, count: 4 },
  1440: { px: 516, count: 3 },
  1920: { px: 640, count: 2 },
}
const HEIGHT = 1_560
const GAP = 8
const LABEL = 18
/** Less than this at the foot of a column stays empty. */
const LEAST = 120
/** Columns that one picture may fill; what is longer is cut, and to be seen in its own file. */
const LONGEST_COLUMNS = 3
const GROUND = '#8a8d92'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

interface Sheet {
  pieces: OverlayOptions[]
  column: number
  y: number
}

/** Lays out the pictures on contact sheets of one language, width and scheme. @returns the files */
export async function makeSheets(
  names: readonly string[],
  options: Options,
  folder: string,
): Promise<string[]> {
  const made: string[] = []
  for (const language of options.languages)
    for (const width of WIDTHS.filter((one) => options.widths.includes(one)))
      for (const scheme of options.schemes)
        made.push(...(await sheetsOf({ names, language, width, scheme, folder })))
  return made
}

interface Series {
  names: readonly string[]
  language: Language
  width: Width
  scheme: Scheme
  folder: string
}

async function sheetsOf({ names, language, width, scheme, folder }: Series): Promise<string[]> {
  const target = path.join(folder, 'sheets', `${language}-${width}-${scheme}`)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const files: string[] = []
  let sheet: Sheet = { pieces: [], column: 0, y: GAP }
  const turn = async (): Promise<void> => {
    if (sheet.pieces.length > 0) {
      const file = path.join(target, `${String(files.length + 1).padStart(2, '0')}.jpg`)
      await write(sheet, width, file)
      files.push(file)
    }
    sheet = { pieces: [], column: 0, y: GAP }
  }
  for (const name of names) {
    const file = screenshotFile(folder, { state: name, language, width, scheme })
    if (existsSync(file)) await place(name, file)
  }
  await turn()
  return files

  async function place(name: string, file: string): Promise<void> {
    const { px, count } = COLUMNS[width]
    const picture = await sharp(file).resize({ width: px }).jpeg({ quality: 90 }).toBuffer()
    const { height } = await sharp(picture).metadata()
    const end = Math.min(height, LONGEST_COLUMNS * (HEIGHT - LABEL))
    for (let from = 0; from < end;) {
      if (HEIGHT - sheet.y - LABEL < Math.min(LEAST, end)) {
        sheet.column += 1
        sheet.y = GAP
        if (sheet.column === count) await turn()
      }
      const long = Math.min(end - from, HEIGHT - sheet.y - LABEL)
      const left = GAP + sheet.column * (px + GAP)
      const input = await sharp(picture).extract({ left: 0, top: from, width: px, height: long }).toBuffer()
      const text = from === 0 ? name : `${name} …`
      sheet.pieces.push({ input: Buffer.from(label(text, px)), left, top: sheet.y })
      sheet.pieces.push({ input, left, top: sheet.y + LABEL })
      sheet.y += LABEL + long + GAP
      from += long
    }
  }
}

async function write({ pieces }: Sheet, width: Width, file: string): Promise<void> {
  const { px, count } = COLUMNS[width]
  const size = { width: GAP + count * (px + GAP), height: HEIGHT + GAP }
  await sharp({ create: { ...size, channels: 3, background: GROUND } })
    .composite(pieces)
    .jpeg({ quality: 84 })
    .toFile(file)
}

const label = (text: string, width: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${LABEL}">` +
  `<text x="0" y="14" font-family="sans-serif" font-size="13" font-weight="700" fill="#fff">${escaped(text)}</text></svg>`
