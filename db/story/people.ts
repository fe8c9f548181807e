/** Invented people, by country: common given names and surnames. */
import type { Language } from '#shared/languages.ts'

interface Region {
  country: 'BE' | 'FR' | 'NL' | 'LU' | 'DE'
  language: Language
  /** How many of a hundred people live there. */
  share: number
  given: readonly string[]
  /** None of them is in another region. */
  surnames: readonly string[]
  streets: readonly string[]
  towns: readonly (readonly [postcode: string, city: string])[]
}

const words = (text: string): string[] => text.split(' ')

const REGIONS: readonly Region[] = [
  {
    country: 'BE',
    language: 'fr',
    share: 24,
    given: words('Julie Thomas Camille Maxime Laura Nicolas Manon Olivier Chloé Quentin Élise Benoît'),
    surnames: words('Lambert Dubois Simon Renard Collard Marchal Gilson Noël Pirotte Defays'),
    streets: ['Rue du Moulin', 'Rue Haute', 'Avenue Louise'],
    towns: [
      ['1000', 'Bruxelles'],
      ['4000', 'Liège'],
      ['5000', 'Namur'],
    ],
  },
  {
    country: 'BE',
    language: 'nl',
    share: 24,
    given: words('Lies Wouter Anke Stijn Elke Jeroen Nele Tom Sarah Dries Hanne Koen'),
    surnames: words('Peeters Claes Wouters Goossens Maes Hermans Smets Aerts Willems Mertens'),
    streets: ['Kerkstraat', 'Stationsstraat', 'Molenweg'],
    towns: [
      ['9000', 'Gent'],
      ['2000', 'Antwerpen'],
      ['8000', 'Brugge'],
    ],
  },
  {
    country: 'FR',
    language: 'fr',
    share: 24,
    given: words('Léa Hugo Emma Louis Inès Antoine Jeanne Mathis Clara Romain Margaux Adrien'),
    surnames: words('Moreau Girard Roussel Fontaine Garnier Chevalier Perrin Blanchard Gauthier Lemoine'),
    streets: ['Rue de Lille', 'Place du Marché'],
    towns: [
      ['59300', 'Valenciennes'],
      ['54400', 'Longwy'],
    ],
  },
  {
    country: 'NL',
    language: 'nl',
    share: 16,
    given: words('Sanne Daan Femke Ruben Iris Bas Marloes Sem Nienke Thijs'),
    surnames: words('Visser Bakker Mulder Dekker Brouwer Kuiper Schouten Vermeer Postma Kok'),
    streets: ['Havenkade', 'Dijkstraat'],
    towns: [
      ['4811 AB', 'Breda'],
      ['3011 GZ', 'Rotterdam'],
    ],
  },
  {
    country: 'LU',
    language: 'fr',
    share: 5,
    given: words('Lynn Marc Tania Luc Carole Yves'),
    surnames: words('Weber Muller Schmit Hoffmann Wagner Thill'),
    streets: ['Rue Principale'],
    towns: [['8510', 'Redange']],
  },
  {
    country: 'DE',
    language: 'en',
    share: 7,
    given: words('Lena Jonas Mia Felix Katrin Lukas Anja Timo'),
    surnames: words('Becker Schulz Hartmann Krause Vogel Brandt Winkler Lorenz'),
    streets: ['Lindenstraße'],
    towns: [['52062', 'Aachen']],
  },
]

/** Of each hundred people: the region, and who comes before in it. */
const PLACES = REGIONS.flatMap((region) =>
  Array.from({ length: region.share }, (_, rank) => ({ region, rank })),
)
const PLAIN = new Map(
  REGIONS.flatMap(({ given, surnames }) => [...given, ...surnames]).map((name) => [
    name,
    name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase(),
  ]),
)
/** Mixes the regions: it has no divisor in common with a hundred. */
const STEP = 37

export interface Person {
  /** Of letters without marks. */
  username: string
  /** "Chloé Dubois". */
  name: string
  street: string
  postcode: string
  city: string
  country: Region['country']
  language: Language
  /** One of the numbers that France keeps for fiction; empty elsewhere. */
  phone: string
  /** "1985-04-12", of an adult. */
  dateOfBirth: string
}

/** The person of a number: always the same, and another one for each number. */
export function personOf(index: number): Person {
  const { region, rank } = PLACES[(index * STEP) % PLACES.length]!
  const { given, surnames, streets, towns, country, language } = region
  // Goes through all pairs of names before one comes again.
  const place = Math.floor(index / PLACES.length) * region.share + rank
  const round = Math.floor(place / leastCommonMultiple(given.length, surnames.length))
  const first = given[place % given.length]!
  const last = surnames[(place + round) % surnames.length]!
  const again = Math.floor(place / (given.length * surnames.length))
  const [postcode, city] = towns[place % towns.length]!
  const username = `${PLAIN.get(first)}.${PLAIN.get(last)}`
  const two = (value: number): string => String(value).padStart(2, '0')
  return {
    username: again === 0 ? username : `${username}.${again}`,
    name: `${first} ${last}`,
    street: `${streets[place % streets.length]} ${1 + again}`,
    postcode,
    city,
    country,
    language,
    phone: country === 'FR' ? `+3363998${String(index % 10_000).padStart(4, '0')}` : '',
    dateOfBirth: `${1940 + (index % 60)}-${two(1 + (index % 12))}-${two(1 + (index % 28))}`,
  }
}

function leastCommonMultiple(one: number, other: number): number {
  let [big, small] = [one, other]
  while (small > 0) [big, small] = [small, big % small]
  return (one * other) / big
}
