import type { Database, Sql } from '#platform/database.ts'
import { keptFiles } from '#platform/kept-files.ts'
import { SHARE } from '../pictures.rules.ts'
import { type PictureFile, type StoredFile, addressOf, pictureFile } from './pictures.repository.ts'

/** Of all pictures that a process keeps in memory. */
const CACHE_BYTES = 32 * 1024 * 1024

const NAME = /^([0-9a-f]{32})-(\d{3,4})\.(avif|webp|jpg)$/
const FORMATS = { avif: 'avif', webp: 'webp', jpg: 'jpeg' } as const satisfies Record<
  string,
  PictureFile['format']
>

export interface ServedPicture extends StoredFile {
  type: `image/${PictureFile['format']}`
}

/** The files of `/media/p/`, from the database, the last ones from memory. */
export const storedPictures = (
  db: Database,
): { find: (name: string) => Promise<ServedPicture | undefined> } => ({
  find: keptFiles(async (name): Promise<ServedPicture | undefined> => {
    const [, renditionId = '', width, ending] = NAME.exec(name) ?? []
    const format = FORMATS[ending as keyof typeof FORMATS]
    if (!format) return undefined
    const file = await pictureFile(db, { renditionId, width: Number(width), format })
    return file && { ...file, type: `image/${format}` }
  }, CACHE_BYTES),
})

/** Whether a picture of an offer is one of the database, by its address. */
export const isStored = (src: string): boolean => src.startsWith(addressOf(''))

/** The picture for shared links of an offer whose first picture has this address. */
export const sharedPicture = (db: Sql, src: string): Promise<StoredFile | undefined> =>
  pictureFile(db, { renditionId: src.slice(addressOf('').length), width: SHARE.width, format: 'jpeg' })
