import { randomUUID } from 'node:crypto'

let written = 0

/** A card that somebody sends: the body of POST /api/staff/post/entries/. Each is of another person. */
export function postcard(offerId: number, change: Record<string, unknown> = {}) {
  written += 1
  const day = new Date(Date.UTC(1950, 0, written)).toISOString().slice(0, 10)
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Brussels' }).format()
  return {
    id: randomUUID() as string,
    bag: randomUUID() as string,
    offer_id: offerId,
    name: `Anne Dupont`,
    address: [`${written} rue de la Paix`],
    postcode: String(1_000 + written),
    city: 'Bruxelles',
    country: 'BE',
    date_of_birth: day,
    language: 'fr',
    received_on: today,
    email: null as string | null,
    answer: null as string | null,
    seen: null as string | null,
    other_than: [] as string[],
    same_as: null as string | null,
    ...change,
  }
}
