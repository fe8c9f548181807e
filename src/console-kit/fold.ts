/** A text as people type it when they are in a hurry: without accents and capitals. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether a title has every word of what was typed, in any order. */
export function matchesTyped(title: string, typed: string): boolean {
  const known = folded(title)
  return folded(typed)
    .split(/\s+/)
    .every((word) => known.includes(word))
}
