import * as z from 'zod/mini'
import { byLanguage } from '#shared/text-fields.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { PRIZE_FACTS } from './offers.contract.ts'

const ShownPicture = z.object({
  /** Address of a small file. */
  src: z.string(),
  alt: z.object(byLanguage(() => z.string())),
})
export type ShownPicture = z.infer<typeof ShownPicture>

/** What changes of a contest's description. */
const fields = {
  texts: z.array(
    z.object({
      field: z.enum(['title', 'description']),
      language: z.enum(LANGUAGES),
      before: z.string(),
      after: z.string(),
    }),
  ),
  /** Figures of the prize; null where there is none. */
  facts: z.array(
    z.object({
      fact: z.enum(PRIZE_FACTS),
      before: z.nullable(z.string()),
      after: z.nullable(z.string()),
    }),
  ),
  /** All of them, before and after; null when none changes. */
  pictures: z.nullable(z.object({ before: z.array(ShownPicture), after: z.array(ShownPicture) })),
}
export const DescriptionChange = z.object(fields)
export type DescriptionChange = z.infer<typeof DescriptionChange>

/** A change after the first entry, as everybody sees it. */
export const PublishedChange = z.object({ ...fields, at: z.string() })
export type PublishedChange = z.infer<typeof PublishedChange>

/** The same with who asked for it and who consented; null where nobody else could. */
export const MadeChange = z.object({
  ...fields,
  at: z.string(),
  asked_by: z.string(),
  approved_by: z.nullable(z.string()),
})
export type MadeChange = z.infer<typeof MadeChange>

/** A change that waits for a second person. */
export const WaitingChange = z.object({
  ...fields,
  approval: z.int(),
  asked_by: z.object({ id: z.int(), name: z.string() }),
  asked_at: z.string(),
  reason: z.string(),
  /** Nobody else could consent: from this time on whoever asked may make it alone. */
  alone_from: z.nullable(z.string()),
})
export type WaitingChange = z.infer<typeof WaitingChange>
