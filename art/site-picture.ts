/**
 * Makes the pictures by which pages without one of their own are shared, one for each language:
 *
 *     node art/site-picture.ts
 *
 * The dark hero of db/demo/pictures with the mark, the name and the tagline, as db/demo/pictures/og-site-<language>.jpg.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { inscription } from '../db/demo/inscription.ts'
import { ASPHALT, faces, mark, sizeOf, words } from './words.ts'

/** Size that social networks ask for (spec section 2, Every page). */
const WIDTH = 1200
const HEIGHT = 630
const MARGIN = 64
const BRAND = 'Volant'
/** The car stands below and right of the words. */
const HERO_WIDTH = 1260
const HERO_TOP = 96

const ROOT = path.resolve(import.meta.dirname, '..')
const PICTURES = path.join(ROOT, 'db/demo/pictures')
const { wide: WIDE, text: TEXT, remove } = await faces()

const heightOf = async (image: Buffer): Promise<number> => (await sizeOf(image)).height

/** Runs the upper edge of the hero into the ground. */
const veil = (): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="120">
  <linearGradient id="v" x2="0" y2="1"><stop stop-color="${ASPHALT}"/><stop offset="1" stop-color="${ASPHALT}" stop-opacity="0"/></linearGradient>
  <rect width="100%" height="100%" fill="url(#v)"/></svg>`)

async function sitePicture(language: Language): Promise<Buffer> {
  const [headline = '', subtitle = ''] = inscription(language).split('\n')
  const name = await words({ text: BRAND, font: 'Archivo SemiBold, 42', file: WIDE, width: 500 })
  const title = await words({
    // The last two words stay together: "Dream" above a lone "Car" would be a poor headline.
    text: headline.replace(/ (\S+)$/, '\u00a0$1'),
    font: 'Archivo SemiBold, 62',
    file: WIDE,
    width: 620,
    spacing: -6,
  })
  const line = await words({
    text: subtitle,
    font: 'Instrument Sans 28',
    file: TEXT,
    width: 560,
    color: '#c9c7c1',
  })
  const titleTop = 158
  const lineTop = titleTop + (await heightOf(title)) + 24
  const hero = await sharp(path.join(PICTURES, 'hero-dark-2400.webp'))
    .resize({ width: HERO_WIDTH, kernel: 'lanczos3' })
    .extract({ left: HERO_WIDTH - WIDTH, top: 0, width: WIDTH, height: HEIGHT - HERO_TOP })
    .toBuffer()
  return (
    sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: ASPHALT } })
      .composite([
        { input: hero, left: 0, top: HERO_TOP },
        { input: veil(), left: 0, top: HERO_TOP },
        { input: mark(56), left: MARGIN, top: MARGIN },
        { input: name, left: MARGIN + 74, top: MARGIN + Math.round((56 - (await heightOf(name))) / 2) },
        { input: title, left: MARGIN, top: titleTop },
        { input: line, left: MARGIN, top: lineTop },
      ])
      .jpeg({ quality: 82, mozjpeg: true })
      // What the picture reads, for a test that compares it with the catalogues; EXIF takes ASCII only.
      .withExif({ IFD0: { ImageDescription: encodeURIComponent(inscription(language)) } })
      .toBuffer()
  )
}

for (const language of LANGUAGES) {
  const made = await sitePicture(language)
  writeFileSync(path.join(PICTURES, `og-site-${language}.jpg`), made)
  process.stdout.write(`og-site-${language}.jpg ${made.length} bytes\n`)
}
remove()
