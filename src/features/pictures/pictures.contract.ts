import * as z from 'zod'
import { byLanguage } from '#shared/text-fields.ts'
import { key } from '#i18n/keys.ts'
import { ALT_MAX, PICTURES_MAX } from './pictures.rules.ts'
import type { Language } from '#shared/languages.ts'

/** Hexadecimal SHA-256 of the picture as it is stored. */
const PictureId = z.string().regex(/^[0-9a-f]{64}$/)
const Pixels = z.int().min(0).max(65_535)

export const PictureParams = z.object({ id: PictureId })
export const OfferPicturesParams = z.object({ id: z.coerce.number().int().positive().max(2_147_483_647) })

const Crop = z.object({ x: Pixels, y: Pixels, width: Pixels, height: Pixels })
const Point = z.object({ x: Pixels, y: Pixels })

/** Empty while somebody has yet to write it. */
const AltText = z.string().trim().max(ALT_MAX, key('consolePictures.refusals.altTooLong'))
const Alt = z.object(byLanguage(() => AltText))

/** `failure` is a code: see `RenditionFailure`. */
export const RenditionFailure = z.enum(['unreadable', 'timeout', 'crashed'])
export type RenditionFailure = z.infer<typeof RenditionFailure>

/** How far the sizes of a picture have come. */
export const PictureWork = z.object({
  state: z.enum(['queued', 'working', 'done', 'failed']),
  made: z.int(),
  files: z.int(),
  failure: z.nullable(RenditionFailure),
})
export type PictureWork = z.infer<typeof PictureWork>

export const UploadedPicture = z.object({
  id: z.string(),
  /** Address of a small one, for staff. */
  preview: z.string(),
  width: z.int(),
  height: z.int(),
  /** A CSS colour. */
  color: z.string(),
})
export type UploadedPicture = z.infer<typeof UploadedPicture>

export const PictureState = z.object({
  ...UploadedPicture.shape,
  renditions: z.array(z.object({ crop: Crop, ...PictureWork.shape })),
})
export type PictureState = z.infer<typeof PictureState>

const shownFields = { preview: z.string(), width: z.int(), height: z.int(), color: z.string(), alt: Alt }

/** A picture of an offer: an uploaded one, or a file of the shop's media folder, which is shown as it is. */
export const OfferPicture = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('uploaded'),
    id: z.string(),
    ...shownFields,
    crop: Crop,
    focal: Point,
    work: PictureWork,
  }),
  z.object({ kind: z.literal('file'), src: z.string(), ...shownFields }),
])
export type OfferPicture = z.infer<typeof OfferPicture>

export const OfferPictures = z.object({
  /** Increases with every change. */
  version: z.int(),
  pictures: z.array(OfferPicture),
})
export type OfferPictures = z.infer<typeof OfferPictures>

/** Why the description of a contest with entries changes, for whoever consents. */
export const ChangeReason = z.optional(z.string().trim().max(200, key('errors.field.tooLong')))

export const OfferPicturesBody = z.object({
  /** The version that was changed; another one gets 409 and `current`. */
  version: z.int(),
  /** In their order. The first one is on cards and shared links. */
  pictures: z
    .array(
      z.discriminatedUnion('kind', [
        z.object({
          kind: z.literal('uploaded'),
          id: PictureId,
          /** Default: the middle. */
          crop: z.optional(Crop),
          focal: z.optional(Point),
          alt: Alt,
        }),
        /** Only one that the offer has already. */
        z.object({ kind: z.literal('file'), src: z.string().max(200), alt: Alt }),
      ]),
    )
    .max(PICTURES_MAX, key('consolePictures.refusals.tooMany')),
  /** For a second person, once the contest has entries. */
  reason: ChangeReason,
})
export type OfferPicturesBody = z.infer<typeof OfferPicturesBody>

/** A picture of an offer as staff decided it, without what a job makes of it; `offer_description` has it in this form. */
export interface DecidedPicture extends Record<`alt_${Language}`, string> {
  /** Of the shop's media folder; null of an uploaded one. */
  file: { src: string; widths: number[]; width: number; height: number; color: string } | null
  picture: string | null
  rendition: string | null
  focal_x: number | null
  focal_y: number | null
}
