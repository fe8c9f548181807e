/** The pictures that every shop serves, as `art/encode.ts` has made them. */
import { readFileSync } from 'node:fs'

interface Picture {
  widths: number[]
  width: number
  height: number
  color: string
}

const pictures = new Map(
  Object.entries(
    JSON.parse(readFileSync(new URL('pictures/index.json', import.meta.url), 'utf8')) as Record<
      string,
      Picture
    >,
  ),
)

export const pictureNames = [...pictures.keys()]

/** A picture as a contest has it, without its words. @param name "fastback-front" */
export function pictureNamed(name: string): Picture & { src: string } {
  const picture = pictures.get(name)
  if (!picture) throw new Error(`db/demo/pictures/index.json has no picture "${name}"`)
  const { widths, width, height, color } = picture
  return { src: `/media/${name}`, widths, width, height, color }
}
