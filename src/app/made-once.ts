import type { Shell } from '#client/shell.ts'

type Known = Pick<Shell, 'language' | 'settings'>

/**
 * Makes something of a list once for each language, for as long as the list is there: pages that are made within the
 * same moment share their list (kept-answers.ts), and what is made of it must depend on nothing else.
 */
export function madeOnce<Source extends object, Made>(
  make: (shell: Known, source: Source) => Made,
): (shell: Known, source: Source) => Made {
  const kept = new WeakMap<Source, Map<string, { settings: object; made: Made }>>()
  return ({ language, settings }, source) => {
    const byLanguage = kept.get(source) ?? new Map<string, { settings: object; made: Made }>()
    kept.set(source, byLanguage)
    const found = byLanguage.get(language)
    if (found?.settings === settings) return found.made
    const made = make({ language, settings }, source)
    byLanguage.set(language, { settings, made })
    return made
  }
}
