/** What an answer may begin as; `own` has a greeting and nothing else. The texts: `emails.templates` of the catalogues. */
export const MESSAGE_TEMPLATES = [
  'own',
  'ticketMissing',
  'refundTiming',
  'howDrawWorks',
  'freeEntry',
  'addressChange',
  'complaint',
] as const
export type MessageTemplate = (typeof MESSAGE_TEMPLATES)[number]

const GAP = /\[\[[^[\]\n]*\]\]/g

/** The places of a template that are still to be filled in: "[[order number]]". */
export const gapsOf = (text: string): string[] => [...new Set(text.match(GAP) ?? [])]
