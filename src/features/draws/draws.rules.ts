/** `undated`: without a draw instant. */
export const DRAW_TIMES = ['coming', 'past', 'undated'] as const
export type DrawTime = (typeof DRAW_TIMES)[number]
