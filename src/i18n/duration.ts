import type { Language } from '#shared/languages.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time in the greatest unit that fits without a remainder: "7 days", "90 minutes". */
export function formatDuration(seconds: number, language: Language): string {
  const [unit, size] = UNITS.find(([, length]) => seconds % length === 0) ?? UNITS[3]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size)
}
