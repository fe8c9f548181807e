import * as z from 'zod/mini'

/** A part of a section: words, points, or names with what they stand for. A heading may be led to by its id. */
const PolicyBlock = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('heading'), id: z.string(), text: z.string() }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('list'), items: z.array(z.string()) }),
  z.object({ kind: z.literal('facts'), facts: z.array(z.object({ name: z.string(), text: z.string() })) }),
])
export type PolicyBlock = z.infer<typeof PolicyBlock>

/** One numbered section; its id is the same in every language, so that a link to it stays good. */
const PolicySection = z.object({ id: z.string(), title: z.string(), blocks: z.array(PolicyBlock) })

/** GET /api/policies/terms/ and accessibility/: a legal text in one language, whole (spec section 2, "Rules page"). */
export const Policy = z.object({
  title: z.string(),
  lead: z.string(),
  /** dd.MM.yyyy, as spec section 1 writes it. */
  updated: z.string(),
  sections: z.array(PolicySection),
})
export type Policy = z.infer<typeof Policy>
