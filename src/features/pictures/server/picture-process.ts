import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import {
  type Crop,
  HEIGHT_MIN,
  PIXELS_MAX,
  SHARE,
  SIDE_MAX,
  type Size,
  WIDTH_MIN,
  fileTypeOf,
} from '../pictures.rules.ts'

// A process of its own: a file that makes a decoder crash, hang or take all memory harms no request. It has neither
// settings nor a connection to the database.

export interface CleanPicture extends Size {
  /** JPEG in sRGB, upright, without metadata. */
  bytes: Uint8Array
  /** A small WebP. */
  preview: Uint8Array
  /** Of the whole, a CSS colour. */
  color: string
}

export type PictureFault =
  | { fault: 'empty' | 'svg' | 'animated' | 'heic' | 'unsupported' | 'damaged' | 'tooSlow' }
  | { fault: 'tooManyPixels' | 'tooSmall'; width: number; height: number }

export interface EncodeTask {
  bytes: Uint8Array
  /** Pixels of the picture. */
  part: Crop
  size: Size
  formats: readonly ('avif' | 'webp' | 'jpeg')[]
}

export interface ShareTask {
  bytes: Uint8Array
  /** On a strip below the picture: the shop's name, then figures. */
  words?: { brand: string; figures: readonly string[] }
}

export interface PictureWorks {
  clean: (bytes: Uint8Array) => Promise<CleanPicture | PictureFault>
  /** @returns a file for each of the formats */
  encode: (task: EncodeTask) => Promise<Uint8Array[]>
  /** @returns a JPEG for links that are shared */
  share: (task: ShareTask) => Promise<Uint8Array>
}

const SECONDS_MAX = 20
const PREVIEW_SIDE = 1280
/** Pictures are opaque: what was transparent becomes white. */
const GROUND = '#ffffff'
/** Of pictures for sharing made of a file: the shop's dark one. */
const DARK = '#0b0c0d'

const OPTIONS = { failOn: 'error', sequentialRead: true } as const
/** For the picture as it is stored, from which all sizes are made. */
const STORED = { quality: 92, chromaSubsampling: '4:4:4' } as const

const AVIF = { quality: 54, effort: 4 }
const WEBP = { effort: 5, smartSubsample: true }
const WEBP_QUALITIES = [78, 70, 62, 54]
/** The weight of the smallest size decides how fast the list of contests stands. */
const CARD = { width: 480, bytes: 25_000 }
/** Many networks read neither AVIF nor WebP. */
const SHARED = { quality: 82, mozjpeg: true }

/** Checks a file by decoding all of it. */
async function clean(bytes: Uint8Array): Promise<CleanPicture | PictureFault> {
  if (bytes.length === 0) return { fault: 'empty' }
  const type = fileTypeOf(bytes)
  if (type === 'gif') return { fault: 'animated' }
  if (type === 'svg') return { fault: 'svg' }
  if (type === 'other') return { fault: 'unsupported' }
  try {
    // Reads the header alone, so that the response can name the size of a picture that is too large.
    const { pages = 1, autoOrient } = await sharp(bytes, { ...OPTIONS, limitInputPixels: false }).metadata()
    if (pages > 1) return { fault: 'animated' }
    const { width, height } = autoOrient
    if (width * height > PIXELS_MAX) return { fault: 'tooManyPixels', width, height }
    if (width < WIDTH_MIN || height < HEIGHT_MIN) return { fault: 'tooSmall', width, height }
    return await decoded(bytes)
  } catch (error) {
    if (/timeout/i.test(String(error))) return { fault: 'tooSlow' }
    return { fault: type === 'heic' ? 'heic' : 'damaged' }
  }
}

async function decoded(bytes: Uint8Array): Promise<CleanPicture> {
  const { data, info } = await sharp(bytes, { ...OPTIONS, limitInputPixels: PIXELS_MAX })
    .autoOrient()
    .resize({ width: SIDE_MAX, height: SIDE_MAX, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: GROUND })
    .toColourspace('srgb')
    .jpeg(STORED)
    .timeout({ seconds: SECONDS_MAX })
    .toBuffer({ resolveWithObject: true })
  const preview = await sharp(data)
    .resize({ width: PREVIEW_SIDE, height: PREVIEW_SIDE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 78 })
    .toBuffer()
  return { bytes: data, preview, width: info.width, height: info.height, color: await colorOf(preview) }
}

async function colorOf(picture: Uint8Array): Promise<string> {
  const pixel = await sharp(picture).resize(1, 1, { fit: 'fill' }).removeAlpha().raw().toBuffer()
  return `#${pixel.subarray(0, 3).toString('hex')}`
}

async function encode({ bytes, part, size, formats }: EncodeTask): Promise<Uint8Array[]> {
  const { x: left, y: top, width, height } = part
  const pixels = await sharp(bytes, { failOn: 'error', limitInputPixels: PIXELS_MAX })
    .extract({ left, top, width, height })
    .resize({ ...size, fit: 'cover', kernel: 'lanczos3' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width: across, height: down, channels } = pixels.info
  const sized = (): Sharp => sharp(pixels.data, { raw: { width: across, height: down, channels } })
  const files: Uint8Array[] = []
  for (const format of formats) {
    if (format === 'avif') files.push(await sized().avif(AVIF).toBuffer())
    else if (format === 'jpeg') files.push(await sized().jpeg(SHARED).toBuffer())
    else files.push(await webpOf(sized, size.width <= CARD.width ? CARD.bytes : Infinity))
  }
  return files
}

const STRIP = { height: 104, margin: 48, brand: 420 } as const
const FONT_FILE = fileURLToPath(
  new URL('../../../platform/documents/fonts/display-latin.ttf', import.meta.url),
)

/** A picture without words is 1200 pixels wide and 630 high, with words their strip is a part of that. */
async function share({ bytes, words }: ShareTask): Promise<Uint8Array> {
  const { width } = SHARE
  const height = SHARE.height - (words ? STRIP.height : 0)
  const picture = sharp(bytes, { limitInputPixels: PIXELS_MAX })
    .rotate()
    .resize({ width, height, fit: 'cover', kernel: 'lanczos3' })
    .flatten({ background: DARK })
  if (words)
    picture.extend({ bottom: STRIP.height, background: DARK }).composite(await onStrip(words, height))
  return picture.jpeg(SHARED).timeout({ seconds: SECONDS_MAX }).toBuffer()
}

/** The words with their places. @param top of the strip */
async function onStrip({ brand, figures }: NonNullable<ShareTask['words']>, top: number) {
  const between = '<span foreground="#5b5c5e">   |   </span>'
  const [left, right] = await Promise.all([
    lineOf(escaped(brand), 40, STRIP.brand),
    lineOf(figures.map(escaped).join(between), 33, SHARE.width - STRIP.brand - 3 * STRIP.margin),
  ])
  const middle = ({ height }: Size): number => top + Math.round((STRIP.height - height) / 2)
  return [
    { input: left.data, left: STRIP.margin, top: middle(left.info) },
    { input: right.data, left: SHARE.width - STRIP.margin - right.info.width, top: middle(right.info) },
  ]
}

/** A line of text as a picture, smaller where it would be wider than `most`. @param markup of Pango */
async function lineOf(markup: string, size: number, most: number) {
  const text = { text: `<span foreground="#f5f3ee">${markup}</span>`, rgba: true, dpi: 72 }
  // After the comma "SemiBold" is a part of the name, not a weight.
  const line = sharp({ text: { ...text, font: `Archivo SemiBold, ${size}`, fontfile: FONT_FILE } })
  const png = await line.png().toBuffer()
  const fitting = sharp(png).resize({ width: most, withoutEnlargement: true })
  return fitting.png().toBuffer({ resolveWithObject: true })
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The best quality that fits into `most` bytes, else the smallest there is. */
async function webpOf(sized: () => Sharp, most: number): Promise<Uint8Array> {
  let webp = Buffer.alloc(0)
  for (const quality of WEBP_QUALITIES) {
    webp = await sized()
      .webp({ ...WEBP, quality })
      .toBuffer()
    if (webp.length <= most) break
  }
  return webp
}

/** No decoder but these is ever run, not even to find out what a file is. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}`)

/** Requests come first, and when memory is short this process ends before the shop does. */
function standBack(): void {
  setPriority(10)
  if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
}

const WORKS: PictureWorks = { clean, encode, share }

function listen(): void {
  try {
    standBack()
  } catch {
    // A system that forbids it loses a courtesy.
  }
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  sharp.concurrency(1)
  sharp.cache(false)
  // The shop has ended.
  process.on('disconnect', () => process.exit())
  process.on('message', ({ work, input }: { work: keyof PictureWorks; input: never }) => {
    WORKS[work](input).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
}

if (import.meta.main) listen()
