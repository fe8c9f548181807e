/** What a picture of an offer must be, and how it is cut. Coordinates are pixels of the picture as it is stored. */
import { byLanguage } from '#shared/text-fields.ts'
import type { Language } from '#shared/languages.ts'

export interface Size {
  width: number
  height: number
}

export interface Point {
  x: number
  y: number
}

export type Crop = Point & Size

/** Cards, the carousel and the cart show pictures in this shape. */
export const SHAPE = { width: 8, height: 5 } as const

/** Pixels of the files that browsers choose from; the first is for the small ones beside a large picture. */
export const WIDTHS = [240, 480, 696, 828, 1280, 1600] as const

/** For links shared on social networks (spec section 2, "Every page"). */
export const SHARE = { width: 1200, height: 630 } as const

export const UPLOAD_MAX_BYTES = 25 * 1024 * 1024
/** Of an offer. */
export const PICTURES_MAX = 20
/** Characters of a description. */
export const ALT_MAX = 300
export const PIXELS_MAX = 50_000_000
export const WIDTH_MIN = 600
export const HEIGHT_MIN = heightOf(WIDTH_MIN)

/** Longest side of a picture as it is stored. */
export const SIDE_MAX = 4096

/** The height that belongs to a width. */
export function heightOf(width: number): number {
  return toWhole((width * SHAPE.height) / SHAPE.width)
}

function toWhole(pixels: number): number {
  return Math.floor(pixels + 0.5)
}

/** The file types that a picture can be, by its first bytes; the last ones are refused. */
export type FileType = 'jpeg' | 'png' | 'webp' | 'avif' | 'heic' | 'gif' | 'svg' | 'other'

const HEAD = 4_096
const AVIF_BRANDS = ['avif', 'avis']
const HEIC_BRANDS = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']

/** Names the type of a file, for a clear response. Whether it is a picture is decided by decoding it. */
export function fileTypeOf(bytes: Uint8Array): FileType {
  const text = Array.from(bytes.subarray(0, HEAD), (byte) => String.fromCharCode(byte)).join('')
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp'
  if (text.startsWith('GIF8')) return 'gif'
  if (text.startsWith('ftyp', 4)) {
    const brands = brandsOf(text)
    if (brands.some((one) => AVIF_BRANDS.includes(one))) return 'avif'
    if (brands.some((one) => HEIC_BRANDS.includes(one))) return 'heic'
  }
  return /<svg[\s>]/i.test(text) ? 'svg' : 'other'
}

/** The major and the compatible brands of an ISO media file; those other than the major one begin at byte 16. */
function brandsOf(text: string): string[] {
  const length = [0, 1, 2, 3].reduce((sum, index) => sum * 256 + text.charCodeAt(index), 0)
  const end = Math.min(length, text.length)
  const brands = [text.slice(8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(text.slice(at, at + 4))
  return brands
}

/** The largest part of a picture in the shape of the shop, as near to a point as it can be. */
export function defaultCrop({ width, height }: Size, focal?: Point): Crop {
  const isWide = width * SHAPE.height > height * SHAPE.width
  const cut = isWide
    ? { width: Math.floor((height * SHAPE.width) / SHAPE.height), height }
    : { width, height: heightOf(width) }
  const { x, y } = focal ?? { x: width / 2, y: height / 2 }
  return {
    x: between(0, toWhole(x - cut.width / 2), width - cut.width),
    y: between(0, toWhole(y - cut.height / 2), height - cut.height),
    ...cut,
  }
}

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most))

/** Width and height are whole pixels, so that the shape is met to the pixel. */
const SHAPE_TOLERANCE = SHAPE.width

export type CropFault = 'outside' | 'tooSmall' | 'wrongShape'

export function cropFault(crop: Crop, { width, height }: Size): CropFault | undefined {
  if (crop.x < 0 || crop.y < 0 || crop.x + crop.width > width || crop.y + crop.height > height)
    return 'outside'
  if (crop.width < WIDTH_MIN || crop.height < HEIGHT_MIN) return 'tooSmall'
  const off = Math.abs(crop.width * SHAPE.height - crop.height * SHAPE.width)
  return off > SHAPE_TOLERANCE ? 'wrongShape' : undefined
}

/** The crop that begins at a point and is so wide, moved and made smaller as far as the picture needs it. */
export function cropAt({ x, y }: Point, wide: number, { width, height }: Size): Crop {
  const most = defaultCrop({ width, height }).width
  const cut = between(Math.min(WIDTH_MIN, most), toWhole(wide), most)
  const down = Math.min(height, heightOf(cut))
  return {
    x: between(0, toWhole(x), width - cut),
    y: between(0, toWhole(y), height - down),
    width: cut,
    height: down,
  }
}

export const centreOf = ({ x, y, width, height }: Crop): Point => ({
  x: toWhole(x + width / 2),
  y: toWhole(y + height / 2),
})

/** The point of the crop that is nearest to a point. */
export const keepInside = ({ x, y }: Point, crop: Crop): Point => ({
  x: between(crop.x, toWhole(x), crop.x + crop.width),
  y: between(crop.y, toWhole(y), crop.y + crop.height),
})

/** Of two sizes that are nearly equal, the larger one is enough. */
const NEARLY = 0.9

/** The widths of the files of a crop, ascending, none above its own. */
export function widthsOf({ width }: Pick<Crop, 'width'>): number[] {
  const largest = Math.min(width, Math.max(...WIDTHS))
  return [...WIDTHS.filter((one) => one < largest * NEARLY), largest]
}

const PREVIEW_WIDTH = 480

/** The width of the file that staff see of a picture of the media folder. */
export const previewWidth = (widths: readonly number[]): number =>
  widths.find((width) => width >= PREVIEW_WIDTH) ?? widths.at(-1) ?? 0

/** The part of a crop for social networks: its whole width, as near to the focal point as it can be. */
export function sharedPart(crop: Crop, focal: Point): Crop {
  const height = Math.min(crop.height, toWhole((crop.width * SHARE.height) / SHARE.width))
  const y = between(crop.y, toWhole(focal.y - height / 2), crop.y + crop.height - height)
  return { x: crop.x, y, width: crop.width, height }
}

/** How many files a rendition has: AVIF and WebP in each width, and the one for social networks. */
export const filesOf = (widths: readonly number[]): number => widths.length * 2 + 1

/** Languages in which the description of a picture is missing. */
export const missingAlts = <Language extends string>(alt: Record<Language, string>): Language[] =>
  (Object.keys(alt) as Language[]).filter((language) => alt[language].trim() === '')

/** The words of a picture in the record of a change. */
export const altOf = (picture: Record<`alt_${Language}`, string>): Record<Language, string> =>
  byLanguage((language) => picture[`alt_${language}`] ?? '')
