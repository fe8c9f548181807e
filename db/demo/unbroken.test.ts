import { expect, it } from 'vitest'
import { unbroken } from './unbroken.ts'

const shown = (text: string): string => unbroken(text).replaceAll('\u00a0', '~')

it.each([
  ['Valeur : 36 500 €.', 'Valeur~: 36~500~€.'],
  ['Waarde: € 36.500.', 'Waarde: €~36.500.'],
  ['dans « Mes participations ».', 'dans «~Mes participations~».'],
  ['162 kW (220 ch) en 2028 à 325 km/h', '162~kW (220~ch) en 2028 à 325~km/h'],
  ['60 mètres, 12 maanden, 24 billets', '60 mètres, 12 maanden, 24 billets'],
  ['de 10 à 80 % en 28 minutes', 'de 10 à 80~% en 28 minutes'],
])('keeps together what belongs together in "%s"', (text, expected) => {
  expect(shown(text)).toBe(expected)
})
