/** The steps of a verification in their order (docs/draw-v1.md, section 13); a page needs no more of it to name them. */
export const STEPS = [
  'pack',
  'terms',
  'log',
  'checkpoints',
  'register',
  'stamps',
  'list',
  'seal',
  'beacon',
  'winner',
  'forfeitures',
  'end',
] as const
export type Step = (typeof STEPS)[number]
