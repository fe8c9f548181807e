/**
 * Masters -> the JPEGs that links to the shop show elsewhere (spec section 2: image 1200x630), one of the shop and
 * one of each demo contest, of its first picture:
 *
 *     node tools/art/social.ts MASTERS_DIR
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { demoContests } from '../../db/demo/contests.ts'

const OUT = fileURLToPath(new URL('../../db/demo/pictures', import.meta.url))
const SIZE = { width: 1200, height: 630 }

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder of the masters: node tools/art/social.ts MASTERS_DIR')

const contests = demoContests(new Date()).map(({ slug, pictures }) => ({ name: `og-${slug}`, stem: pictures[0]?.stem }))
for (const { name, stem } of [{ name: 'og-site', stem: 'hero-dark' }, ...contests]) {
  if (stem === undefined) throw new Error(`${name}: the contest has no picture`)
  await sharp(path.join(folder, `${stem}.webp`))
    .resize({ ...SIZE, fit: 'cover', position: stem.startsWith('hero') ? 'right' : 'centre' })
    .jpeg({ quality: 80, mozjpeg: true })
    .toFile(path.join(OUT, `${name}.jpg`))
}
