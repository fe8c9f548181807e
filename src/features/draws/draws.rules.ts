/** `undated`: without a draw instant; `cancelled`: contests that have no draw any more. */
export const DRAW_TIMES = ['coming', 'past', 'undated', 'cancelled'] as const
export type DrawTime = (typeof DRAW_TIMES)[number]
