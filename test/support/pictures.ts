import { readFileSync } from 'node:fs'

const INDEX = new URL('../../db/demo/pictures/index.json', import.meta.url)

/** Rows of offer_pictures for pictures of the demonstration, which every shop serves. @param stems "fastback-front" */
export function picturesNamed(stems: readonly string[]) {
  const index = JSON.parse(readFileSync(INDEX, 'utf8')) as Record<
    string,
    { widths: number[]; width: number; height: number; color: string }
  >
  return stems.map((stem) => {
    const entry = index[stem]
    if (!entry) throw new Error(`the demonstration has no picture "${stem}"`)
    const alt = { alt_fr: `Photo ${stem}`, alt_nl: `Foto ${stem}`, alt_en: `Picture ${stem}` }
    const { widths, width, height, color } = entry
    return { src: `/media/${stem}`, widths, width, height, color, ...alt }
  })
}
