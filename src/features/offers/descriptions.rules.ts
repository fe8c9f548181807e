/** What tells people what the prize is: it changes after the first entry with a second person's consent only (ADR 0096). */
import type { DecidedPicture } from '#features/pictures/pictures.contract.ts'
import { altOf } from '#features/pictures/pictures.rules.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import type { DescriptionChange, ShownPicture } from './descriptions.contract.ts'
import { type OfferChange, PRIZE_FACTS, type Prize, type PrizeFact } from './offers.contract.ts'
import { type TextFields, fieldIn } from '#shared/localized-text.ts'

export const DESCRIBED = ['title', 'description'] as const

type DescribedField = (typeof DESCRIBED)[number]

type PrizeFields = { [fact in PrizeFact as `prize_${fact}`]: Prize[fact] }

/** As the function `offer_description` of the database has it; a figure that is not given has no field. */
export type Description = TextFields<DescribedField> & Partial<PrizeFields> & { pictures: DecidedPicture[] }

/** A language that the shop did not have when a change was recorded has no text in it. */
const textOf = (description: Description, field: DescribedField, language: Language): string =>
  description[fieldIn(field, language)] ?? ''

/** A figure of the prize as text; null where there is none. */
function factOf(description: Description, fact: PrizeFact): string | null {
  const value = description[`prize_${fact}`]
  return value === undefined || value === null || value === '' ? null : String(value)
}

/** A description with some of its parts changed. */
export function changedTo(before: Description, change: Partial<Description>): Description {
  const after = { ...before, ...change }
  for (const fact of PRIZE_FACTS) if (factOf(after, fact) === null) delete after[`prize_${fact}`]
  return after
}

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
  const facts = PRIZE_FACTS.map((fact) => ({
    fact,
    before: factOf(before, fact),
    after: factOf(after, fact),
  })).filter((one) => one.before !== one.after)
  const pictures = isSamePictures(before.pictures, after.pictures)
    ? null
    : { before: before.pictures.map(shown), after: after.pictures.map(shown) }
  return { texts, facts, pictures }
}

/** What differs between two descriptions, in any language. */
export const changedOf = (before: Description, after: Description): OfferChange['of'] => [
  ...DESCRIBED.filter((field) =>
    LANGUAGES.some((language) => textOf(before, field, language) !== textOf(after, field, language)),
  ),
  ...(PRIZE_FACTS.some((fact) => factOf(before, fact) !== factOf(after, fact)) ? (['facts'] as const) : []),
  ...(isSamePictures(before.pictures, after.pictures) ? [] : (['pictures'] as const)),
]
