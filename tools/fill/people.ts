/** Invented people of Belgium and its neighbours. */

const FIRST_NAMES = (
  'Lotte Mathieu Femke Hugo Inès Jonas Klaus Amélie Pieter Sophie Noor Lucas Emma Louis Julie Arthur Marie Liam Anna ' +
  'Victor Camille Jules Louise Adam Olivia Finn Eline Noah Sarah Thomas Laura Maxime Charlotte Simon Zoé Robbe Elise ' +
  'Wout Manon Gilles'
).split(' ')
const LAST_NAMES = (
  'Peeters Janssens Maes Jacobs Mertens Willems Claes Goossens Wouters Dubois Lambert Dupont Martin Simon Laurent ' +
  'Leroy Lefebvre Michel Denis Bernard Moreau Petit Garnier Rousseau Vermeulen Bakker Visser Smit Meijer Mulder Bos ' +
  'Schmit Weber Wagner Hoffmann Thill Reuter Klein Faber Welter Aerts Hermans Desmet Pauwels Hendrickx Michiels ' +
  'Segers Cools Bogaert Lenaerts Verhoeven Stevens Christiaens Coppens Baert Timmermans Lemaire Renard Collin Gérard'
).split(' ')
const STREETS = ['Rue du Moulin', 'Kerkstraat', 'Avenue Louise', 'Stationsstraat', 'Rue Haute', 'Molenweg']
const TOWNS = [
  ['1000', 'Bruxelles'],
  ['9000', 'Gent'],
  ['4000', 'Liège'],
  ['2000', 'Antwerpen'],
  ['5000', 'Namur'],
  ['8000', 'Brugge'],
] as const

export interface Person {
  first: string
  last: string
  name: string
  street: string
  postcode: string
  city: string
  /** "1985-04-12", of an adult. */
  dateOfBirth: string
}

/** The person of a number: always the same, and another one for each number up to 10 million. */
export function personOf(index: number): Person {
  const first = FIRST_NAMES[index % FIRST_NAMES.length] ?? ''
  const last = LAST_NAMES[Math.floor(index / FIRST_NAMES.length) % LAST_NAMES.length] ?? ''
  const [postcode, city] = TOWNS[index % TOWNS.length] ?? TOWNS[0]
  const street = STREETS[Math.floor(index / 7) % STREETS.length] ?? ''
  const two = (value: number): string => String(value).padStart(2, '0')
  return {
    first,
    last,
    name: `${first} ${last}`,
    street: `${street} ${1 + Math.floor(index / (FIRST_NAMES.length * LAST_NAMES.length))}`,
    postcode,
    city,
    dateOfBirth: `${1940 + (index % 60)}-${two(1 + (index % 12))}-${two(1 + (index % 28))}`,
  }
}

/** Letters of addresses and usernames. */
export const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
