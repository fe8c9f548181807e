/** What tells people what the prize is: it changes after the first entry with a second person's consent only (ADR 0096). */
import type { DecidedPicture } from '#features/pictures/pictures.contract.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import type { DescriptionChange, ShownPicture } from './descriptions.contract.ts'
import type { OfferChange } from './offers.contract.ts'

export const DESCRIBED = ['title', 'description'] as const

type DescribedField = (typeof DESCRIBED)[number]
export type DescribedText = DescribedField | `${DescribedField}_${Exclude<Language, 'fr'>}`

/** As the function `offer_description` of the database has it. */
export type Description = Record<DescribedText, string> & { pictures: DecidedPicture[] }

export const textIn = (field: DescribedField, language: Language): DescribedText =>
  language === 'fr' ? field : `${field}_${language}`

/** Name of each text of a contest, in each language. */
export const DESCRIBED_TEXTS: readonly DescribedText[] = DESCRIBED.flatMap((field) =>
  LANGUAGES.map((language) => textIn(field, language)),
)

/** Whether two lists have the same pictures in the same order, cut and described in the same way. */
export const isSamePictures = (one: readonly DecidedPicture[], other: readonly DecidedPicture[]): boolean =>
  JSON.stringify(one.map(partsOf)) === JSON.stringify(other.map(partsOf))

const partsOf = (picture: DecidedPicture): unknown[] => [
  picture.file?.src,
  picture.picture,
  picture.rendition,
  picture.focal_x,
  picture.focal_y,
  picture.alt_fr,
  picture.alt_nl,
  picture.alt_en,
]

/** What differs between two descriptions. @param srcOf address of a small file of a picture */
export function changeOf(
  before: Description,
  after: Description,
  srcOf: (picture: DecidedPicture) => string,
): DescriptionChange {
  const shown = (picture: DecidedPicture): ShownPicture => ({
    src: srcOf(picture),
    alt: { fr: picture.alt_fr, nl: picture.alt_nl, en: picture.alt_en },
  })
  const texts = DESCRIBED.flatMap((field) =>
    LANGUAGES.map((language) => {
      const name = textIn(field, language)
      return { field, language, before: before[name], after: after[name] }
    }),
  ).filter((text) => text.before !== text.after)
  const pictures = isSamePictures(before.pictures, after.pictures)
    ? null
    : { before: before.pictures.map(shown), after: after.pictures.map(shown) }
  return { texts, pictures }
}

/** What differs between two descriptions, in any language. */
export const changedOf = (before: Description, after: Description): OfferChange['of'] => [
  ...DESCRIBED.filter((field) =>
    LANGUAGES.some((language) => before[textIn(field, language)] !== after[textIn(field, language)]),
  ),
  ...(isSamePictures(before.pictures, after.pictures) ? [] : (['pictures'] as const)),
]
