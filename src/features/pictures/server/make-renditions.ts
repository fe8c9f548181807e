import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '#platform/database.ts'
import { SHARE, type Size, heightOf, sharedPart } from '../pictures.rules.ts'
import { type PictureProcesses, PictureProcessError } from './picture-processes.ts'
import {
  ATTEMPTS_MAX,
  type ClaimedRendition,
  type PictureFile,
  picturesRepository,
  renditionWork,
} from './pictures.repository.ts'
import { sharedProcesses } from './pictures.routes.ts'

const RETRY_SECONDS = 10

interface Deps {
  db: Database
  log: FastifyBaseLogger
  isStopping?: () => boolean
  processes?: Pick<PictureProcesses, 'encode'>
}

interface Step {
  part: ClaimedRendition['crop']
  size: Size
  formats: readonly PictureFile['format'][]
}

/** The files of a rendition, the smallest first. */
function stepsOf({ crop, shareTop, widths }: ClaimedRendition): Step[] {
  const sizes = widths.map((width): Step => {
    return { part: crop, size: { width, height: heightOf(width) }, formats: ['avif', 'webp'] }
  })
  const part = { ...sharedPart(crop, crop), y: shareTop }
  return [...sizes, { part, size: SHARE, formats: ['jpeg'] }]
}

/**
 * Makes the sizes of pictures that offers wait for, one after the other. Each file is stored as it is made, so that
 * another process goes on where this one crashed.
 */
export async function makeRenditions({
  db,
  log,
  isStopping = () => false,
  processes = sharedProcesses,
}: Deps): Promise<void> {
  const work = renditionWork(db)
  while (!isStopping()) {
    const claimed = await work.claim()
    if (!claimed) return
    const { id, attempts } = claimed
    if (attempts > ATTEMPTS_MAX) {
      // The process that made the last attempt crashed.
      await work.fail(claimed, 'crashed')
      log.error({ rendition: id }, 'the sizes of a picture could not be made: every attempt crashed')
      continue
    }
    try {
      await make(claimed)
    } catch (error) {
      if (!(error instanceof PictureProcessError)) throw error
      log.warn({ err: error, rendition: id, attempts }, 'the sizes of a picture could not be made')
      if (attempts >= ATTEMPTS_MAX) await work.fail(claimed, error.reason)
      else await work.postpone(claimed, RETRY_SECONDS * 2 ** (attempts - 1))
    }
  }

  async function make(claimed: ClaimedRendition): Promise<void> {
    const made = await work.made(claimed.id)
    const has = (step: Step): boolean =>
      step.formats.every((format) =>
        made.some((file) => file.format === format && file.width === step.size.width),
      )
    const missing = stepsOf(claimed).filter((step) => !has(step))
    const bytes = await picturesRepository(db).bytes(claimed.pictureId)
    for (const { part, size, formats } of missing) {
      if (isStopping()) return void (await work.release(claimed))
      const files = await processes.encode({ bytes, part, size, formats })
      const named = formats.map((format, index) => ({
        width: size.width,
        format,
        bytes: files[index] ?? new Uint8Array(),
      }))
      if (!(await work.store(claimed, named))) return
    }
    const width = Math.max(...claimed.widths)
    await work.finish(claimed, { width, height: heightOf(width) })
  }
}
