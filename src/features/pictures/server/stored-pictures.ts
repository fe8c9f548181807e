import type { Database, Sql } from '#platform/database.ts'
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
export function storedPictures(db: Database): { find: (name: string) => Promise<ServedPicture | undefined> } {
  /** In the order of their last use. */
  const kept = new Map<string, ServedPicture>()
  const underWay = new Map<string, Promise<ServedPicture | undefined>>()
  let bytes = 0

  async function read(name: string): Promise<ServedPicture | undefined> {
    const [, renditionId = '', width, ending] = NAME.exec(name) ?? []
    const format = FORMATS[ending as keyof typeof FORMATS]
    if (!format) return undefined
    const file = await pictureFile(db, { renditionId, width: Number(width), format })
    return file && { ...file, type: `image/${format}` }
  }

  function keep(name: string, picture: ServedPicture): void {
    kept.set(name, picture)
    bytes += picture.bytes.length
    for (const [oldest, { bytes: freed }] of kept) {
      if (bytes <= CACHE_BYTES) break
      kept.delete(oldest)
      bytes -= freed.length
    }
  }

  /** Concurrent callers share one query. */
  function readOnce(name: string): Promise<ServedPicture | undefined> {
    const running = underWay.get(name)
    if (running) return running
    const reading = read(name)
      .then((picture) => {
        if (picture) keep(name, picture)
        return picture
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, reading)
    return reading
  }

  return {
    async find(name) {
      const found = kept.get(name)
      if (!found) return await readOnce(name)
      kept.delete(name)
      kept.set(name, found)
      return found
    },
  }
}

/** Whether a picture of an offer is one of the database, by its address. */
export const isStored = (src: string): boolean => src.startsWith(addressOf(''))

/** The picture for shared links of an offer whose first picture has this address. */
export const sharedPicture = (db: Sql, src: string): Promise<StoredFile | undefined> =>
  pictureFile(db, { renditionId: src.slice(addressOf('').length), width: SHARE.width, format: 'jpeg' })
