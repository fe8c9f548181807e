import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchShop } from './shop.ts'
import { type Spread, spread } from './spread.ts'

const DOWNLOADS = 16
const TICKETS_EACH = 100
const PHASE_MS = 6_000
const EVERY_MS = 20
const ROUNDS = 3

/** Milliseconds. */
export interface PageDelay extends Spread {
  path: string
  downloads: number
}

/**
 * Delay of pages while nobody downloads, and while so many buyers download one ticket after the other, each another one.
 * The phases take turns, so that both meet the same machine.
 */
export async function measureDocuments(shop: BenchShop): Promise<{ pages: PageDelay[]; documents: number }> {
  const buyers = await shop.ticketHolders(DOWNLOADS, TICKETS_EACH)
  const paths = ['/offers', '/login?next=%2Fcart']
  const delays = new Map<string, number[]>()
  const next = buyers.map(() => 0)
  let documents = 0

  async function download(buyer: number, isOver: () => boolean): Promise<void> {
    const { access, tickets } = buyers[buyer]!
    while (!isOver()) {
      const id = tickets[next[buyer]!++]
      if (id === undefined) throw new Error('a buyer has downloaded all tickets: make more')
      const headers = { authorization: `Bearer ${access}` }
      const response = await fetch(`${shop.url}/api/tickets/${id}/download/`, { headers })
      if (!response.ok) throw new Error(`a download came with ${response.status}`)
      await response.arrayBuffer()
      documents += 1
    }
  }

  async function phase(downloads: number): Promise<void> {
    let isOver = false
    const loading = Promise.all(
      Array.from({ length: downloads }, (_, buyer) => download(buyer, () => isOver)),
    )
    const until = performance.now() + PHASE_MS
    for (let turn = 0; performance.now() < until; turn += 1) {
      const path = paths[turn % paths.length]!
      const begun = performance.now()
      await (await fetch(shop.url + path)).arrayBuffer()
      const key = `${downloads} ${path}`
      delays.set(key, [...(delays.get(key) ?? []), performance.now() - begun])
      await sleep(EVERY_MS)
    }
    isOver = true
    await loading
  }

  await phase(DOWNLOADS)
  delays.clear()
  documents = 0
  for (let round = 0; round < ROUNDS; round += 1)
    for (const downloads of [0, DOWNLOADS]) await phase(downloads)
  const pages = paths.flatMap((path) =>
    [0, DOWNLOADS].map((downloads) => {
      return { path, downloads, ...spread(delays.get(`${downloads} ${path}`)!) }
    }),
  )
  return { pages, documents }
}
