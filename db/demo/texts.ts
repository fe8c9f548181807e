/** The words of the demonstration: a file for each language. */
import { readFileSync } from 'node:fs'
import type { Language } from '#shared/languages.ts'
import { byLanguage } from '#shared/text-fields.ts'
import type { DemoPicture, Texts } from './demo-contest.ts'
import { unbroken } from './unbroken.ts'

type Car = 'fastback' | 'roadster' | 'tourer' | 'supercar' | 'saloon' | 'estate' | 'suv' | 'hatch'
type View = 'front' | 'night' | 'rear' | 'side' | 'cockpit' | 'detail' | 'tent' | 'trailer' | 'charger'

interface Words {
  /** By slug. A description is its paragraphs. */
  contests: Record<string, { title: string; description: string[]; question?: string }>
  cars: Record<Car, { name: string; detail: string }>
  views: Record<Exclude<View, 'detail'>, string>
}

const words = byLanguage(
  (language) =>
    JSON.parse(readFileSync(new URL(`./texts/${language}.json`, import.meta.url), 'utf8')) as Words,
)

function contestIn(language: Language, slug: string): Words['contests'][string] {
  const found = words[language].contests[slug]
  if (!found) throw new Error(`db/demo/texts/${language}.json has no contest ${slug}`)
  return found
}

/** Paragraphs are joined by a blank line; a text that is not written yet is empty. */
export function textsOf(slug: string): { titles: Texts; descriptions: Texts; questions: Texts } {
  return {
    titles: byLanguage((language) => contestIn(language, slug).title),
    descriptions: byLanguage((language) => unbroken(contestIn(language, slug).description.join('\n\n'))),
    questions: byLanguage((language) => unbroken(contestIn(language, slug).question ?? '')),
  }
}

/** Pictures of one car in the order in which they are shown, with their alternative texts. */
export const picturesOf = (car: Car, ...views: View[]): DemoPicture[] =>
  views.map((view) => ({
    stem: `${car}-${view}`,
    alt: byLanguage((language) => {
      const { cars, views: seen } = words[language]
      return `${cars[car].name}, ${view === 'detail' ? cars[car].detail : seen[view]}`
    }),
  }))
