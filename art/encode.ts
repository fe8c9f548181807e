/**
 * Makes the finished pictures of the demonstration from the masters:
 *
 *     node art/encode.ts MASTERS_DIR [NAME ...]
 *
 * Writes sizes in AVIF and WebP, the share pictures and index.json into db/demo/pictures. With names, only those
 * pictures are made again that begin with one of them.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { demoContests } from '../db/demo/contests.ts'
import { composed, groundColor } from './compose.ts'
import { type PlannedPicture, PICTURES } from './plan.ts'
import { sharePicture } from './share-picture.ts'

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
}

const OUT = fileURLToPath(new URL('../db/demo/pictures/', import.meta.url))
const INDEX = path.join(OUT, 'index.json')
/** A card shows the smallest size; its weight decides how fast the list of contests stands. */
const CARD_WIDTH = 480
const CARD_BYTES = 25_000
const AVIF = { quality: 54, effort: 4 }
const WEBP_QUALITIES = [78, 70, 62, 54]

const [mastersDir, ...names] = process.argv.slice(2)
if (mastersDir === undefined) throw new Error('Usage: node art/encode.ts MASTERS_DIR [NAME ...]')
const masterFile = (name: string): string => path.join(mastersDir, `${name}.webp`)
const isChosen = (name: string): boolean =>
  names.length === 0 || names.some((start) => name.startsWith(start))

/** Writes one picture in all its sizes and tells what the index says of it. */
async function encode(picture: PlannedPicture): Promise<IndexEntry> {
  const image = await composed(picture, masterFile(picture.master))
  for (const width of picture.widths) {
    const file = path.join(OUT, `${picture.stem}-${width}`)
    const sized = await sharp(image).resize({ width }).png({ compressionLevel: 1 }).toBuffer()
    await sharp(sized).avif(AVIF).toFile(`${file}.avif`)
    writeFileSync(`${file}.webp`, await webpOf(sized, width === CARD_WIDTH ? CARD_BYTES : Infinity))
  }
  const { width, height } = await sharp(image).metadata()
  const largest = Math.max(...picture.widths)
  const size = { width: largest, height: Math.round((height * largest) / width) }
  return { widths: picture.widths, ...size, color: await groundColor(image), ground: picture.ground }
}

/** The best quality that fits into `bytes`, else the smallest there is. */
async function webpOf(image: Buffer, bytes: number): Promise<Buffer> {
  let webp = Buffer.alloc(0)
  for (const quality of WEBP_QUALITIES) {
    webp = await sharp(image).webp({ quality, effort: 5, smartSubsample: true }).toBuffer()
    if (webp.length <= bytes) break
  }
  return webp
}

/** Adds one entry; written after each picture, so that an interrupted run leaves an index that is true. */
function writeEntry(stem: string, entry: IndexEntry): void {
  const before = existsSync(INDEX)
    ? (JSON.parse(readFileSync(INDEX, 'utf8')) as Record<string, IndexEntry>)
    : {}
  const entries = Object.entries({ ...before, [stem]: entry }).toSorted(([a], [b]) => a.localeCompare(b))
  writeFileSync(INDEX, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
}

sharp.concurrency(1)
mkdirSync(OUT, { recursive: true })
for (const picture of PICTURES.filter(({ stem }) => isChosen(stem))) {
  if (existsSync(masterFile(picture.master))) {
    writeEntry(picture.stem, await encode(picture))
    console.log(picture.stem)
  } else {
    console.log(`${picture.stem}: skipped, ${picture.master}.webp is not among the masters`)
  }
}

const shares = demoContests(new Date()).map(({ slug, plate, pictures }) => ({
  slug,
  plate,
  stem: pictures[0]?.stem,
}))
for (const { slug, plate, stem } of shares) {
  if (stem === undefined) throw new Error(`The contest "${slug}" has no picture`)
  if (isChosen(`og-${slug}`)) await sharePicture(masterFile(stem), plate, path.join(OUT, `og-${slug}.jpg`))
}

const files = readdirSync(OUT).map((file) => statSync(path.join(OUT, file)).size)
console.log(`${files.length} files, ${(files.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1)} MB`)
