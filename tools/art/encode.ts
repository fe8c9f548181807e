/**
 * Masters -> the finished, compressed pictures of the demo contests and their index:
 *
 *     node tools/art/encode.ts MASTERS_DIR [NAME...]     only masters whose name begins with NAME
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { type PictureJob, pictureJobs } from './pictures.ts'

interface IndexEntry {
  widths: readonly number[]
  width: number
  height: number
  color: string
  ground: 'light' | 'dark'
}

const OUT = fileURLToPath(new URL('../../db/demo/pictures', import.meta.url))
const INDEX = path.join(OUT, 'index.json')
const AVIF = { quality: 50, effort: 4 }
const WEBP = { quality: 72, effort: 5 }

/** Encodes one picture in all its widths and both formats, and tells what the index says of it. */
async function encode(folder: string, job: PictureJob): Promise<IndexEntry> {
  const cut = await job.cut(sharp(path.join(folder, `${job.master}.webp`)))
  const full = await cut.png({ compressionLevel: 1 }).toBuffer()
  for (const width of job.widths) {
    const scaled = await sharp(full).resize({ width }).png({ compressionLevel: 1 }).toBuffer()
    const target = path.join(OUT, `${job.stem}-${width}`)
    await sharp(scaled).avif(AVIF).toFile(`${target}.avif`)
    await sharp(scaled).webp(WEBP).toFile(`${target}.webp`)
  }
  const { width = 1, height = 1 } = await sharp(full).metadata()
  const largest = Math.max(...job.widths)
  const ground = await groundOf(full)
  return { widths: job.widths, width: largest, height: Math.round((height * largest) / width), ...ground }
}

/** Mean colour along the upper edge and both sides, where there is nothing but the studio. */
async function groundOf(picture: Buffer): Promise<Pick<IndexEntry, 'color' | 'ground'>> {
  const side = 40
  const { data } = await sharp(picture).flatten({ background: '#e7e5e1' }).resize(side, side, { fit: 'fill' }).raw()
    .toBuffer({ resolveWithObject: true })
  const sum = [0, 0, 0]
  let count = 0
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (y > 3 && x > 1 && x < side - 2) continue
      for (const channel of sum.keys()) sum[channel]! += data[(y * side + x) * 3 + channel]!
      count += 1
    }
  }
  const mean = sum.map((value) => Math.round(value / count))
  const color = `#${mean.map((value) => value.toString(16).padStart(2, '0')).join('')}`
  return { color, ground: mean[1]! > 127 ? 'light' : 'dark' }
}

const readIndex = (): Record<string, IndexEntry> => {
  try {
    return JSON.parse(readFileSync(INDEX, 'utf8')) as Record<string, IndexEntry>
  } catch {
    return {}
  }
}

const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder of the masters: node tools/art/encode.ts MASTERS_DIR')
const masters = readdirSync(folder)
  .filter((file) => file.endsWith('.webp'))
  .map((file) => path.basename(file, '.webp'))
  .filter((master) => names.length === 0 || names.some((name) => master.startsWith(name)))
  .toSorted()

sharp.concurrency(1)
mkdirSync(OUT, { recursive: true })
for (const job of pictureJobs(masters)) {
  const entry = await encode(folder, job)
  // Written after each picture, so that an interrupted run leaves an index that is true.
  const index = { ...readIndex(), [job.stem]: entry }
  const sorted = Object.fromEntries(Object.entries(index).toSorted(([a], [b]) => a.localeCompare(b)))
  writeFileSync(INDEX, `${JSON.stringify(sorted, null, 2)}\n`)
  console.log(`${job.stem}: ${job.widths.join(', ')}`)
}
