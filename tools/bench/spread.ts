export interface Spread {
  p50: number
  p95: number
  p99: number
  max: number
}

/** Median, upper shares and the largest of some figures; 0 without any. */
export function spread(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}
