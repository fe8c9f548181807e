/**
 * Makes the finished pictures of the demonstration from the masters:
 *
 *     node art/encode.ts MASTERS_DIR [NAME ...]
 *
 * Writes sizes in AVIF and WebP and index.json into db/demo/pictures. With names, only those
 * pictures are made again that begin with one of them.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import type { PrizePart } from '../db/demo/demo-contest.ts'
import { composed, groundColor } from './compose.ts'
import { type PlannedPicture, PICTURES } from './plan.ts'

/** One entry of index.json; files are `<stem>-<width>.avif` and `.webp`. */
interface IndexEntry {
  /** Pixels, ascending. */
  widths: readonly number[]
  /** Size in pixels of the largest file. */
  width: number
  height: number
  /** CSS colour to show until the picture is there. */
  color: string
  ground: 'light' | 'dark'
  shows?: readonly PrizePart[]
  /** Name of the same picture for the dark scheme. */
  dark?: string
}

const OUT = fileURLToPath(new URL('../db/demo/pictures/', import.meta.url))
const INDEX = path.join(OUT, 'index.json')
const AVIF_QUALITIES = [56, 50, 44, 38, 33, 28, 24]
const WEBP_QUALITIES = [78, 70, 62, 54, 46, 38, 30]

const [mastersDir, ...names] = process.argv.slice(2)
if (mastersDir === undefined) throw new Error('Usage: node art/encode.ts MASTERS_DIR [NAME ...]')
const masterFile = (name: string): string => path.join(mastersDir, `${name}.webp`)
const isChosen = (name: string): boolean =>
  names.length === 0 || names.some((start) => name.startsWith(start))

/** Writes one picture in all the sizes that its master has, and tells what the index says of its files. */
async function encode(picture: PlannedPicture): Promise<IndexEntry> {
  const image = await composed(picture, masterFile(picture.master))
  const { width, height } = await sharp(image).metadata()
  const widths = picture.widths.filter((wanted) => wanted <= width)
  for (const wanted of widths) {
    const file = path.join(OUT, `${picture.stem}-${wanted}`)
    const sized = await sharp(image).resize({ width: wanted }).png({ compressionLevel: 1 }).toBuffer()
    const [avifBytes, webpBytes] = picture.bytes[wanted] ?? [Infinity, Infinity]
    const avif = await fitting(AVIF_QUALITIES, avifBytes, (quality) =>
      sharp(sized).avif({ quality, effort: 4, chromaSubsampling: '4:2:0' }),
    )
    const webp = await fitting(WEBP_QUALITIES, webpBytes, (quality) =>
      sharp(sized).webp({ quality, effort: 5, smartSubsample: true }),
    )
    writeFileSync(`${file}.avif`, avif)
    writeFileSync(`${file}.webp`, webp)
  }
  const largest = Math.max(...widths)
  const size = { width: largest, height: Math.round((height * largest) / width) }
  return { widths, ...size, color: await groundColor(image), ground: picture.ground }
}

/** The best quality that fits into `bytes`, else the smallest there is. */
async function fitting(
  qualities: readonly number[],
  bytes: number,
  encodedAt: (quality: number) => Sharp,
): Promise<Buffer> {
  let made = Buffer.alloc(0)
  for (const quality of qualities) {
    made = await encodedAt(quality).toBuffer()
    if (made.length <= bytes) break
  }
  return made
}

type Index = Record<string, IndexEntry>

const indexNow = (): Index => (existsSync(INDEX) ? (JSON.parse(readFileSync(INDEX, 'utf8')) as Index) : {})

/** Written after each picture, so that an interrupted run leaves an index that is true. */
function writeIndex(index: Index): void {
  const sorted = Object.entries(index).toSorted(([a], [b]) => a.localeCompare(b))
  writeFileSync(INDEX, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

/** What the plan says of the pictures that are there, whether or not this run has made them. */
function describePictures(): void {
  const index = indexNow()
  for (const { stem, shows, darkTwin } of PICTURES) {
    const entry = index[stem]
    if (!entry) continue
    const { shows: _, dark: __, ...made } = entry
    const dark = darkTwin !== undefined && index[darkTwin] && darkTwin
    index[stem] = { ...made, ...(shows && { shows }), ...(dark && { dark }) }
  }
  writeIndex(index)
}

sharp.concurrency(1)
mkdirSync(OUT, { recursive: true })
for (const picture of PICTURES.filter(({ stem }) => isChosen(stem))) {
  if (existsSync(masterFile(picture.master))) {
    const entry = await encode(picture)
    writeIndex({ ...indexNow(), [picture.stem]: entry })
    console.log(picture.stem)
  } else {
    console.log(`${picture.stem}: skipped, ${picture.master}.webp is not among the masters`)
  }
}

describePictures()

const files = readdirSync(OUT).map((file) => statSync(path.join(OUT, file)).size)
console.log(`${files.length} files, ${(files.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1)} MB`)
