import { readFileSync } from 'node:fs'
import type { DemoContest } from '../../../../db/demo/contests.ts'

/** What db/demo/pictures/index.json tells of a picture: widths in pixels, size of the largest file, ground colour. */
interface IndexEntry {
  widths: number[]
  width: number
  height: number
  color: string
}

const index = new Map(
  Object.entries(
    JSON.parse(
      readFileSync(new URL('../../../../db/demo/pictures/index.json', import.meta.url), 'utf8'),
    ) as Record<string, IndexEntry>,
  ),
)

/** Row of offer_pictures for a picture of a demo contest; throws when no such picture was made. */
export function demoPicture({ stem, alt }: DemoContest['pictures'][number]) {
  const entry = index.get(stem)
  if (entry === undefined) throw new Error(`db/demo/pictures/index.json has no picture "${stem}"`)
  const { widths, width, height, color } = entry
  return {
    src: `/media/${stem}`,
    widths,
    width,
    height,
    color,
    alt_fr: alt.fr,
    alt_nl: alt.nl,
    alt_en: alt.en,
  }
}
