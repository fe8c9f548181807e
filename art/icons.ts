/**
 * Makes the icons of browsers and phones from public/icon.svg. Run `npx node art/icons.ts` after changing it.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'

const out = path.resolve(import.meta.dirname, '../public')

/** Icons whose corners are cut by the phone itself; what they show lies within the middle 80 percent. */
const WHOLE = { 'apple-touch-icon.png': 180, 'icon-maskable-512.png': 512 }
const ROUNDED = { 'icon-192.png': 192, 'icon-512.png': 512 }
const FAVICON_SIZES = [16, 32, 48]

const rounded = await readFile(path.join(out, 'icon.svg'), 'utf8')
const whole = rounded.replace(/ rx="[\d.]+"/, '')
if (whole === rounded) throw new Error('public/icon.svg has no rounded ground')

const png = (svg: string, size: number): Promise<Buffer> =>
  sharp(Buffer.from(svg), { density: (72 * size) / 32 })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer()

/** Several PNGs in one .ico: a directory of 16 bytes for each, then the pictures. */
function ico(pictures: { size: number; data: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let at = head.length
  for (const [index, { size, data }] of pictures.entries()) {
    const entry = 6 + 16 * index
    head.writeUInt8(size, entry)
    head.writeUInt8(size, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(data.length, entry + 8)
    head.writeUInt32LE(at, entry + 12)
    at += data.length
  }
  return Buffer.concat([head, ...pictures.map(({ data }) => data)])
}

const files: Record<string, Buffer> = {
  'favicon.ico': ico(
    await Promise.all(FAVICON_SIZES.map(async (size) => ({ size, data: await png(rounded, size) }))),
  ),
}
for (const [name, size] of Object.entries(WHOLE)) files[name] = await png(whole, size)
for (const [name, size] of Object.entries(ROUNDED)) files[name] = await png(rounded, size)

for (const [name, data] of Object.entries(files)) {
  await writeFile(path.join(out, name), data)
  process.stdout.write(`${name} ${data.length} bytes\n`)
}
