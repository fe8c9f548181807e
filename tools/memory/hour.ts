import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inLanguage, paths } from '#client/paths.ts'
import type { BuyerOrders } from '#features/purchase/orders/orders.contract.ts'
import type { OfferPictures, UploadedPicture } from '#features/pictures/pictures.contract.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { QUANTITY, type LoadProcess } from '../hot-sale/bench.ts'
import { projectDir } from '../testbed/program.ts'
import type { MemoryShop } from './shop.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const CUSTOMERS = 200
const BUYERS = 16
/** Every so many minutes a contest ends and is drawn, and a picture is uploaded. */
const DRAW_EVERY = 10
const PICTURE_EVERY = 5
/** What a contest needs between its end and its draw, with the shortest durations. */
const DRAW_ROOM_MS = 195_000
const VISIT_EVERY_MS = 100
/** Every so many visits load the files of their page. */
const FILES_EVERY = 20
const ENCODINGS = ['gzip, deflate, br, zstd', 'gzip', 'br', 'identity']
const DOCUMENT_EVERY_MS = 2_000
const STAFF_EVERY_MS = 6_000
const BUSY = 503

const PICTURE = path.join(projectDir, 'db/demo/pictures/hero-light-2400.webp')

interface Buyer {
  access: string
}

/** What was done in a minute. */
export interface Done {
  sales: number
  pages: number
  documents: number
  calls: number
  /** Responses 503: the machine is too busy for this rate. */
  turnedAway: number
}

export interface HourOptions {
  shop: MemoryShop
  load: LoadProcess
  perSecond: number
}

/** The work of a shop, a minute at a time. @throws Error when anything is refused */
export async function beginHour({ shop, load, perSecond }: HourOptions) {
  const { testbed, web, contests } = shop
  const staff = await shop.signIn()
  const open = await testbed.newOffer(10_000_000, { draw_at: new Date(Date.now() + 5 * DAY_MS) })
  const drawn: { slug: string; drawAt: number }[] = []
  let turnedAway = 0
  /** Those who bought in the minute before: their sessions are good for some minutes. */
  let owners: Buyer[] = []

  async function get(address: string, headers: Record<string, string> = {}): Promise<Uint8Array | undefined> {
    const response = await fetch(web.url + address, { headers })
    const body = new Uint8Array(await response.arrayBuffer())
    if (response.status === BUSY) {
      turnedAway += 1
      return undefined
    }
    if (!response.ok)
      throw new Error(`${address} responded with ${response.status}: ${Buffer.from(body).toString()}`)
    return body
  }
  const json = async <Body>(address: string, headers: Record<string, string>): Promise<Body | undefined> => {
    const body = await get(address, headers)
    return body && (JSON.parse(Buffer.from(body).toString()) as Body)
  }

  /** Repeats until the minute is over. */
  async function every(ms: number, until: number, work: (turn: number) => Promise<unknown>): Promise<number> {
    let turn = 0
    for (; performance.now() < until; turn += 1) {
      const next = performance.now() + ms
      await work(turn)
      await sleep(Math.max(0, next - performance.now()))
    }
    return turn
  }

  const pages = [
    paths.home(),
    paths.offers(),
    paths.login({ next: paths.cart() }),
    ...contests.map(({ slug }) => paths.offer(slug)),
    paths.draws(),
    paths.register(),
    paths.contact(),
    paths.terms(),
    paths.cart(),
  ]
  const visit = async (turn: number): Promise<void> => {
    const address = inLanguage(pages[turn % pages.length]!, LANGUAGES[turn % LANGUAGES.length]!)
    const encoding = ENCODINGS[turn % ENCODINGS.length]!
    const page = await get(address, { 'accept-encoding': encoding })
    if (turn % FILES_EVERY > 0 || !page) return
    const files = new Set(
      Buffer.from(page)
        .toString()
        .match(/\/assets\/[\w.-]+/g),
    )
    for (const file of files) await get(file, { 'accept-encoding': encoding })
  }

  const ticketOrReceipt = async (turn: number): Promise<void> => {
    const owner = owners[turn % Math.max(1, owners.length)]
    if (!owner) return
    const headers = { authorization: `Bearer ${owner.access}` }
    const [ticket] = (await json<{ id: string }[]>('/api/tickets/user/', headers)) ?? []
    if (ticket) await get(`/api/tickets/${ticket.id}/download/`, headers)
    const [order] = (await json<BuyerOrders>('/api/orders/', headers))?.orders ?? []
    if (order) await get(`/api/orders/${order.number}/receipt/`, headers)
  }

  const today = new Date().toISOString().slice(0, 10)
  const screens = [
    '/api/staff/today/',
    '/api/staff/orders/',
    '/api/staff/customers/',
    '/api/staff/search/?q=load',
    `/api/staff/reports/sales/?from=${today}&to=${today}`,
    `/api/staff/reports/sales/?from=${today}&to=${today}&group=contest`,
    '/api/staff/audit/',
    '/api/staff/system/',
    '/api/staff/alerts/',
    '/admin/',
  ]
  const look = (turn: number): Promise<unknown> => get(screens[turn % screens.length]!, staff)

  async function uploadPicture(turn: number): Promise<void> {
    const offer = contests[turn % contests.length]!
    const send = async <Body>(address: string, method: string, type: string, body: BodyInit) => {
      const headers = { ...staff, 'content-type': type }
      const response = await fetch(web.url + address, { method, headers, body })
      if (response.status === BUSY) turnedAway += 1
      else if (!response.ok)
        throw new Error(`${address} responded with ${response.status}: ${await response.text()}`)
      return response.ok ? ((await response.json()) as Body) : undefined
    }
    const address = `/api/staff/offers/${offer.id}/pictures/`
    const picture = await send<UploadedPicture>(
      '/api/staff/pictures/',
      'POST',
      'image/webp',
      readFileSync(PICTURE),
    )
    const present = await json<OfferPictures>(address, staff)
    if (!picture || !present) return
    const kept = present.pictures.map(({ alt, ...one }) =>
      one.kind === 'file' ? { kind: one.kind, src: one.src, alt } : { kind: one.kind, id: one.id, alt },
    )
    const alt = { fr: 'Une voiture', nl: 'Een auto', en: 'A car' }
    const pictures = [...kept, { kind: 'uploaded', id: picture.id, alt }]
    await send(address, 'PUT', 'application/json', JSON.stringify({ version: present.version, pictures }))
  }

  async function minute(number: number): Promise<Done> {
    const customers = await testbed.customers(CUSTOMERS)
    let offerId = open.id
    if (number % DRAW_EVERY === 0) {
      const endsAt = Date.now() + 2 * MINUTE_MS
      const drawAt = endsAt + DRAW_ROOM_MS
      const contest = await testbed.newOffer(1_000_000, {
        end_date: new Date(endsAt),
        draw_at: new Date(drawAt),
      })
      drawn.push({ slug: contest.slug, drawAt })
      offerId = contest.id
    }
    const until = performance.now() + MINUTE_MS
    const sale = load.run({
      kind: 'run',
      what: 'purchase',
      buyers: BUYERS,
      perSecond,
      seconds: MINUTE_MS / 1000,
      offerId,
      shops: [{ port: web.port }],
      emulator: { port: shop.emulator.port },
      quantity: QUANTITY,
      customers: customers.map(({ access, cartId }) => ({ token: access, cartId })),
    })
    const [outcome, visits, documents, calls] = await Promise.all([
      sale,
      every(VISIT_EVERY_MS, until, visit),
      every(DOCUMENT_EVERY_MS, until, ticketOrReceipt),
      every(STAFF_EVERY_MS, until, look),
      number % PICTURE_EVERY === 0 && uploadPicture(number / PICTURE_EVERY),
    ])
    const wrong = Object.keys(outcome.refused).filter((what) => !what.includes(` ${BUSY} `))
    if (wrong.length > 0) throw new Error(`buyers were refused: ${JSON.stringify(outcome.refused)}`)
    const away = turnedAway + Object.values(outcome.refused).reduce((sum, count) => sum + count, 0)
    turnedAway = 0
    owners = customers
    return { sales: outcome.done, pages: visits, documents, calls, turnedAway: away }
  }

  return {
    minute,
    /** Contests whose draw is due and whose result is not public. */
    async undrawn(): Promise<string[]> {
      const due = drawn.filter(({ drawAt }) => drawAt + 2 * MINUTE_MS < Date.now()).map(({ slug }) => slug)
      if (due.length === 0) return []
      const rows = await testbed.db
        .selectFrom('offers')
        .select(['slug', 'state'])
        .where('slug', 'in', due)
        .execute()
      return rows.flatMap(({ slug, state }) => (state === 'drawn' || slug === null ? [] : [slug]))
    },
  }
}
