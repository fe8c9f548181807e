import { guessCountry } from '#shared/country-guess.ts'

/** The country that the settings of this browser tell: nothing is asked, sent or kept. Loaded where none was chosen. */
export function browserCountry(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return guessCountry(timeZone, navigator.languages)
}
