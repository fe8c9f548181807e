/** Pictures of contests that have entries, which change with a second person's consent (ADR 0096). */
import type { Approval } from '#features/staff/staff.contract.ts'
import type { Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import type { DecidedPicture } from '../pictures.contract.ts'
import { altOf, previewWidth } from '../pictures.rules.ts'
import {
  type NewOfferPicture,
  type OfferPictureRow,
  picturesRepository,
  previewOf,
  shownAs,
} from './pictures.repository.ts'
import { type LocalizedText, translation, storedText } from '#shared/localized-text.ts'
import { allFields } from '#shared/text-fields.ts'
import type { Language } from '#shared/languages.ts'

/** Asks a second person, in the caller's transaction, which holds the lock of the contest. */
export type AskForPictures = (
  trx: Trx,
  offerId: number,
  pictures: DecidedPicture[],
  by: { reason: string | undefined; actor: StaffCaller },
) => Promise<Approval>

/** Address of a small file of a picture, for staff: of an uploaded one the whole of it. */
export const stillOf = ({ picture, file }: DecidedPicture): string =>
  picture === null ? `${file?.src}-${previewWidth(file?.widths ?? [])}.webp` : previewOf(picture)

type Stored = Omit<NewOfferPicture, 'picture_id' | 'rendition_id' | 'focal_x' | 'focal_y'> &
  Pick<OfferPictureRow, 'picture_id' | 'rendition_id' | 'focal_x' | 'focal_y'>

/** Its words, by field. */
const altFields = (alts: LocalizedText): Pick<DecidedPicture, `alt_${Language}`> =>
  allFields('alt', (language) => translation(alts, language))

/** A picture without what a job makes of it. */
export const decidedOf = (row: Stored): DecidedPicture => {
  const { src, widths, width, height, color, picture_id: picture, rendition_id: rendition } = row
  const { focal_x, focal_y, alts } = row
  const file = picture === null ? { src, widths, width, height, color } : null
  return { file, picture, rendition, focal_x, focal_y, ...altFields(alts) }
}

/** @throws Refusal 409 unless every size of every picture is made */
export async function requirePicturesReady(db: Sql, pictures: readonly DecidedPicture[]): Promise<void> {
  const wanted = pictures.flatMap(({ rendition }) => rendition ?? [])
  const made = await picturesRepository(db).madeRenditions(wanted)
  if (wanted.some((id) => !made.has(id)))
    throw new Refusal('pictures.notReady', 409, 'consolePictures.refusals.notReady')
}

/** Puts the pictures that two people decided in place of a contest's. @throws Refusal 409 unless their sizes are made */
export async function replacePictures(
  trx: Trx,
  offerId: number,
  decided: readonly DecidedPicture[],
): Promise<void> {
  await requirePicturesReady(trx, decided)
  const pictures = picturesRepository(trx)
  const before = await pictures.ofOffer(offerId)
  const made = await pictures.madeRenditions(decided.flatMap(({ rendition }) => rendition ?? []))
  const known = await pictures.touch([
    ...new Set(
      [...decided, ...before.map(({ picture_id: picture }) => ({ picture }))].flatMap(
        ({ picture }) => picture ?? [],
      ),
    ),
  ])
  const colors = new Map(known.map(({ id, color }) => [id, color]))
  const rows = decided.map(
    ({ file, picture: picture_id, rendition: rendition_id, focal_x, focal_y, ...words }): NewOfferPicture => {
      const rest = { focal_x, focal_y, alts: storedText(altOf(words)) }
      if (file) return { ...file, ...rest, picture_id, rendition_id }
      const widths = made.get(rendition_id ?? '') ?? []
      return {
        ...shownAs({ id: rendition_id ?? '', widths }),
        color: colors.get(picture_id ?? '') ?? '',
        ...rest,
        picture_id,
        rendition_id,
      }
    },
  )
  await pictures.replace(offerId, rows)
  await pictures.touchRenditions(before.flatMap(({ rendition_id }) => rendition_id ?? []))
}
