import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod/mini'

/** What every shop serves at /media/; art/encode.ts writes it. */
const INDEX = new URL('../../../../db/demo/pictures/index.json', import.meta.url)
const Index = z.record(z.string(), z.object({ dark: z.optional(z.string()) }))

const index = existsSync(INDEX) ? Index.parse(JSON.parse(readFileSync(INDEX, 'utf8'))) : {}
const twins = new Map<string, string>(
  Object.entries(index).flatMap(([name, { dark }]) =>
    dark === undefined ? [] : [[`/media/${name}`, `/media/${dark}`]],
  ),
)

/** The same picture, in the same sizes, for a page of the dark scheme. @param src "/media/roadster-front" */
export const darkPictureOf = (src: string): string | undefined => twins.get(src)
