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
  /** On a panel beside the picture: the shop's name, and figures, the first one larger. */
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

/** Beside the picture, which keeps its whole width there. */
const PANEL = { width: 300, margin: 36 } as const
/** With a comma, because "SemiBold" is a part of its name, not a weight. */
const FONT = ['Archivo', 'SemiBold,'].join(' ')
const FONT_FILE = fileURLToPath(
  new URL('../../../platform/documents/fonts/display-latin.ttf', import.meta.url),
)

/** A JPEG of 1200 x 630 pixels. */
async function share({ bytes, words }: ShareTask): Promise<Uint8Array> {
  const picture = sharp(bytes, { limitInputPixels: PIXELS_MAX }).rotate().timeout({ seconds: SECONDS_MAX })
  if (!words)
    return picture
      .resize({ ...SHARE, fit: 'cover', kernel: 'lanczos3' })
      .flatten({ background: DARK })
      .jpeg(SHARED)
      .toBuffer()
  const width = SHARE.width - PANEL.width
  const { data, info } = await picture
    .resize({ width, height: SHARE.height, fit: 'inside', kernel: 'lanczos3' })
    .flatten({ background: DARK })
    .png()
    .toBuffer({ resolveWithObject: true })
  const top = Math.floor((SHARE.height - info.height) / 2)
  // What is missing goes on as the picture ends.
  const whole = sharp(data).extend({
    top,
    bottom: SHARE.height - info.height - top,
    extendWith: 'copy',
  })
  const left = PANEL.width + Math.floor((width - info.width) / 2)
  return sharp({ create: { ...SHARE, channels: 3, background: DARK } })
    .composite([{ input: await whole.png().toBuffer(), left, top: 0 }, ...(await onPanel(words))])
    .jpeg(SHARED)
    .toBuffer()
}

/** The words with their places: the name above, the figures below. */
async function onPanel({ brand, figures }: NonNullable<ShareTask['words']>) {
  const [name, ...lines] = await Promise.all([
    lineOf(brand, 44),
    ...figures.map((figure, at) => lineOf(figure, at === 0 ? 54 : 36)),
  ])
  const left: number = PANEL.margin
  const placed = [{ input: name.data, left, top: left }]
  let bottom = SHARE.height - PANEL.margin
  for (const { data, info } of lines.toReversed()) {
    bottom -= info.height
    placed.push({ input: data, left, top: bottom })
    bottom -= PANEL.margin
  }
  return placed
}

/** A line of text as a picture, smaller where the panel is too narrow for it. */
async function lineOf(text: string, size: number) {
  const markup = `<span foreground="#f5f3ee">${escaped(text)}</span>`
  const font = `${FONT} ${size}`
  const line = sharp({ text: { text: markup, font, fontfile: FONT_FILE, rgba: true, dpi: 72 } })
  const png = await line.png().toBuffer()
  const fitting = sharp(png).resize({ width: PANEL.width - 2 * PANEL.margin, withoutEnlargement: true })
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
