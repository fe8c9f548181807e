/** What tells people what the prize is: it changes after the first entry with a second person's consent only (ADR 0096). */
import type { DecidedPicture } from '#features/pictures/pictures.contract.ts'
import { altOf } from '#features/pictures/pictures.rules.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import type { DescriptionChange, ShownPicture } from './descriptions.contract.ts'
import type { OfferChange } from './offers.contract.ts'
import { type TextFields, fieldIn } from '#shared/localized-text.ts'

export const DESCRIBED = ['title', 'description'] as const

type DescribedField = (typeof DESCRIBED)[number]

/** As the function `offer_description` of the database has it. */
export type Description = TextFields<DescribedField> & { pictures: DecidedPicture[] }

/** A language that the shop did not have when a change was recorded has no text in it. */
const textOf = (description: Description, field: DescribedField, language: Language): string =>
  description[fieldIn(field, language)] ?? ''

/** Whether two lists have the same pictures in the same order, cut and described in the same way. */
export const isSamePictures = (one: readonly DecidedPicture[], other: readonly DecidedPicture[]): boolean =>
  JSON.stringify(one.map(partsOf)) === JSON.stringify(other.map(partsOf))

const partsOf = (picture: DecidedPicture): unknown[] => [
  picture.file?.src,
  picture.picture,
  picture.rendition,
  picture.focal_x,
  picture.focal_y,
  altOf(picture),
]

/** What differs between two descriptions. @param srcOf address of a small file of a picture */
export function changeOf(
  before: Description,
  after: Description,
  srcOf: (picture: DecidedPicture) => string,
): DescriptionChange {
  const shown = (picture: DecidedPicture): ShownPicture => ({
    src: srcOf(picture),
    alt: altOf(picture),
  })
  const texts = DESCRIBED.flatMap((field) =>
    LANGUAGES.map((language) => ({
      field,
      language,
      before: textOf(before, field, language),
      after: textOf(after, field, language),
    })),
  ).filter((text) => text.before !== text.after)
  const pictures = isSamePictures(before.pictures, after.pictures)
    ? null
    : { before: before.pictures.map(shown), after: after.pictures.map(shown) }
  return { texts, pictures }
}

/** What differs between two descriptions, in any language. */
export const changedOf = (before: Description, after: Description): OfferChange['of'] => [
  ...DESCRIBED.filter((field) =>
    LANGUAGES.some((language) => textOf(before, field, language) !== textOf(after, field, language)),
  ),
  ...(isSamePictures(before.pictures, after.pictures) ? [] : (['pictures'] as const)),
]
