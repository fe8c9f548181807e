import * as z from 'zod/mini'

/** @property id anchor of a heading */
const PolicyBlock = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('heading'), id: z.string(), text: z.string() }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('list'), items: z.array(z.string()) }),
  z.object({ kind: z.literal('facts'), facts: z.array(z.object({ name: z.string(), text: z.string() })) }),
])
export type PolicyBlock = z.infer<typeof PolicyBlock>

/** The id is the same in every language. */
const PolicySection = z.object({ id: z.string(), title: z.string(), blocks: z.array(PolicyBlock) })

/** What a summary answers, in the order in which people ask. */
export const SUMMARY_POINTS = ['cost', 'who', 'post', 'draw', 'claim', 'refund', 'contact'] as const
export type SummaryPoint = (typeof SUMMARY_POINTS)[number]

/** The rules on one screen; the sections count. */
const PolicySummary = z.object({
  title: z.string(),
  note: z.string(),
  /** @property anchor of the section or heading that says all of it */
  points: z.array(
    z.object({ id: z.enum(SUMMARY_POINTS), anchor: z.string(), name: z.string(), text: z.string() }),
  ),
})
export type PolicySummary = z.infer<typeof PolicySummary>

/** GET /api/policies/terms/ and accessibility/ (spec section 2, "Rules page"). */
export const Policy = z.object({
  title: z.string(),
  lead: z.string(),
  /** dd.MM.yyyy (spec section 1). */
  updated: z.string(),
  summary: z.optional(PolicySummary),
  sections: z.array(PolicySection),
})
export type Policy = z.infer<typeof Policy>
