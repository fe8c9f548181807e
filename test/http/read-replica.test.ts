import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newId } from '#platform/ids.ts'
import { readReplicaCheck, replicaFinding } from '#server/doctor/database.ts'
import { SERVER_TIME, timeOfHeader } from '#shared/server-time.ts'
import { type Replicated, replicatedDatabase } from '../support/replicated.ts'
import { type ShopResponse, type Staff, type TestShop, testShop } from '../support/shop.ts'

/** What of a shop is read from a standby, and what never is (ADR 0112). A minute is four seconds here. */
const LIMITS = { told: 4_000, far: 60_000 }

let servers: Replicated
let shop: TestShop
let owner: Staff
beforeAll(async () => {
  servers = await replicatedDatabase(LIMITS)
  shop = await testShop({ replicated: servers, processes: 2, pages: true })
  owner = await shop.newStaff('owner')
}, 120_000)
afterAll(() => shop.close())

/** How many statements a server has served of those that may come from the standby. */
async function readsOf(server: 'replica' | 'primary'): Promise<number> {
  const metric = shop.metrics.registry.getSingleMetric('volant_reads_total')
  const { values = [] } = (await metric?.get()) ?? {}
  return values.find(({ labels }) => labels['server'] === server)?.value ?? 0
}

/** From when a response says that it is: 0 when nobody has to be told, undefined for what the primary alone serves. */
const fromOf = ({ headers }: Pick<ShopResponse, 'headers'>): number | undefined =>
  timeOfHeader(String(headers[SERVER_TIME]))?.from

/** The standby shows all there is, and stays so. */
async function freeze(): Promise<void> {
  await servers.standby.catchUp()
  for (let turn = 0; turn < 100 && (await servers.look()).state !== 'follows'; turn += 1) await sleep(50)
  await servers.standby.pause()
  onTestFinished(async () => {
    await servers.standby.resume()
    await servers.standby.catchUp()
    await servers.look()
  })
}

/** Of somebody else, or of a console in another browser. */
const look = (url: string) => owner.get(url)

let alerts = 0
const newAlert = async ({ db }: TestShop): Promise<number> => {
  const alert = { kind: 'mailDown', subject: `alert ${(alerts += 1)}`, details: '{}' }
  return (await db.insertInto('alerts').values(alert).returning('id').executeTakeFirstOrThrow()).id
}

const LISTS: Record<string, (shop: TestShop) => Promise<unknown>> = {
  '/api/staff/orders/': () => shop.approvedOrder(),
  '/api/staff/holds/': () => shop.approvedOrder(),
  '/api/staff/customers/': () => shop.newCustomer(),
  '/api/staff/offers/': () => shop.newOffer(),
  '/api/staff/messages/': (of) =>
    of.db
      .insertInto('messages')
      .values({
        id: newId(Date.now()),
        name: 'Ada',
        email: 'ada@example.test',
        message: 'Good day.',
        language: 'en',
      })
      .execute(),
  '/api/staff/alerts/': (of) => newAlert(of),
}
const others = [
  '/api/staff/audit/',
  '/api/staff/audit/actors/',
  '/api/staff/draws/?when=coming',
  '/api/staff/draw-calendar/?month=2026-11',
  '/api/staff/post/entries/',
  '/api/staff/post/parity/',
  '/api/staff/reports/sales/',
  '/api/staff/reports/sales/csv/',
  '/api/staff/reports/statements/',
  '/api/staff/search/?q=buyer',
]

test.each(Object.entries(LISTS))('the list %s shows what the standby has', async (url, make) => {
  await freeze()
  const before = await look(url)
  expect([before.status, fromOf(before)]).toEqual([200, 0])
  await make(shop)
  expect((await look(url)).body).toEqual(before.body)
  await servers.standby.resume()
  await servers.standby.catchUp()
  expect((await look(url)).body).not.toEqual(before.body)
})

test.each(others)('%s is read from the standby', async (url) => {
  await freeze()
  const reads = await readsOf('replica')
  const response = await look(url)
  expect([response.status, fromOf(response), (await readsOf('replica')) > reads]).toEqual([200, 0, true])
})

test('an export has what the standby has', async () => {
  const paidIn = (response: ShopResponse): number =>
    (response.body as unknown as Buffer).toString().match(/,Paid,/g)?.length ?? 0
  const exported = async () => paidIn(await owner.post('/api/staff/orders/export/'))
  const before = await exported()
  await shop.paidOrder()
  await freeze()
  await shop.paidOrder()
  const [reads, primary] = [await readsOf('replica'), await readsOf('primary')]
  expect(await exported()).toBe(before + 1)
  expect([(await readsOf('replica')) > reads, await readsOf('primary')]).toEqual([true, primary])
})

test('records, and what is bought, are the primary’s whatever the standby shows', async () => {
  const offerId = await shop.newOffer({ total_tickets: 10 })
  await freeze()
  const reads = [await readsOf('replica'), await readsOf('primary')]
  const { customer, ours } = await shop.paidOrder(4, 'buyer@buyer.test', offerId)
  expect(ours.state).toBe('completed')
  expect(await shop.ticketCount(customer)).toBe(4)
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 4, tickets_held: 0 })
  // The standby shows ten tickets that are free, of which six are.
  const slow = await shop.newCustomer()
  expect((await slow.add(offerId, 7)).status).toBe(409)
  expect((await slow.order(offerId, 6)).status).toBe(200)
  const record = await owner.get(`/api/staff/orders/${ours.id}/`)
  expect([record.body['state'], fromOf(record)]).toEqual(['completed', undefined])
  for (const url of [
    '/api/staff/today/',
    '/api/staff/system/',
    '/api/staff/session/',
    '/api/staff/approvals/',
  ])
    expect([url, fromOf(await owner.get(url))]).toEqual([url, undefined])
  // Who is signed in has maybe just bought.
  const { slug } = await shop.db
    .selectFrom('offers')
    .select('slug')
    .where('id', '=', offerId)
    .executeTakeFirstOrThrow()
  expect((await slow.get(`/api/offers/${slug}/`)).body).toMatchObject({ tickets_sold: 4, tickets_held: 6 })
  const [listed] = (await slow.get('/api/offers/')).body.filter((one: { id: number }) => one.id === offerId)
  expect(listed).toMatchObject({ tickets_sold: 4, tickets_held: 6 })
  expect([await readsOf('replica'), await readsOf('primary')]).toEqual(reads)
})

test('staff see their own changes at once, in every process, and go on seeing what they have seen', async () => {
  const [one, two] = [await newAlert(shop), await newAlert(shop)]
  const support = await shop.newStaff('support')
  await freeze()
  const taken = async (response: Promise<ShopResponse>, id: number) => {
    const { items } = (await response).body as { items: { id: number; taken: { by: string } | null }[] }
    return items.find((alert) => alert.id === id)?.taken?.by ?? null
  }
  const url = '/api/staff/alerts/'
  const changed = await owner.post(`${url}${one}/take/`, { note: '', taken_by: null })
  expect(changed.status).toBe(200)
  const seen = (response: ShopResponse): string =>
    [response.headers['set-cookie'] as string | string[] | undefined].flat()[0]?.split(';')[0] ?? ''
  expect(String(changed.headers['set-cookie'])).toMatch(
    /^volant-seen=\d+; Max-Age=600; Path=\/api\/staff\/; HttpOnly; SameSite=Strict$/,
  )
  const having = (cookie: string) => ({ headers: { cookie: `${owner.cookie}; ${cookie}` } })
  expect(await taken(owner.get(url, undefined, having(seen(changed))), one)).toBe(owner.name)
  expect(await taken(owner.elsewhere.get(url, undefined, having(seen(changed))), one)).toBe(owner.name)
  expect(await taken(support.get(url), one)).toBeNull()

  // What a colleague does meanwhile does not vanish again.
  await support.post(`${url}${two}/take/`, { note: '', taken_by: null })
  // The log of a throw-away server is on the disk a moment later.
  await sleep(500)
  await servers.look()
  const later = await owner.get(url, undefined, having(seen(changed)))
  expect(await taken(Promise.resolve(later), two)).toBe(support.name)
  const [before, after] = [changed, later].map((response) => Number(seen(response).split('=')[1]))
  expect(after).toBeGreaterThan(before ?? Infinity)

  await servers.standby.resume()
  await servers.standby.catchUp()
  await servers.look()
  const reads = await readsOf('replica')
  const last = await owner.get(url, undefined, having(seen(later)))
  expect(await taken(Promise.resolve(last), two)).toBe(support.name)
  expect([(await readsOf('replica')) > reads, seen(last)]).toEqual([true, ''])
  // Nobody's invention, and no place of the log, keeps the list from being shown.
  for (const value of ['', '-1', 'x'.repeat(5_000), '9'.repeat(16)])
    expect((await owner.get(url, undefined, having(`volant-seen=${value}`))).status).toBe(200)
})

test('what the public sees comes from the standby, and says how old it is once that is a minute', async () => {
  const offerId = await shop.newOffer({ slug: 'seen-by-all', title: 'Seen by all' })
  const paths = [
    '/api/offers/',
    '/api/offers/seen-by-all/',
    '/api/draws/',
    '/api/last-check/',
    '/api/winners/',
    '/',
    '/offers',
    '/offers/seen-by-all',
    '/draws',
    '/sitemap.xml',
  ]
  const ask = (url: string) => shop.app.inject({ url })
  await servers.standby.catchUp()
  for (const url of paths) {
    // On a slow machine what was known at the last look is old by now.
    await servers.look()
    const response = await ask(url)
    expect([url, response.statusCode, fromOf(response) ?? 0]).toEqual([url, 200, 0])
  }
  await freeze()
  const reads = await readsOf('primary')
  await shop.changeOffer(offerId, { title: 'Nobody sees it', title_en: 'Nobody sees it' })
  await sleep(LIMITS.told + 500)
  await servers.look()
  for (const url of paths) {
    const response = await ask(url)
    expect([url, response.statusCode, response.body.includes('Nobody sees it')]).toEqual([url, 200, false])
    const isDocument = url.endsWith('.xml')
    const now = timeOfHeader(String(response.headers[SERVER_TIME]))
    expect([url, isDocument || now!.shown - now!.from! >= LIMITS.told]).toEqual([url, true])
  }
  expect(await readsOf('primary')).toBe(reads)
  // What does not come from the standby says nothing.
  for (const url of ['/api/settings/', '/api/policies/terms/']) expect(fromOf(await ask(url))).toBeUndefined()

  // A cache between is told the same, and the same tag is the same response.
  const { headers } = await ask('/api/offers/')
  const known = await shop.app.inject({
    url: '/api/offers/',
    headers: { 'if-none-match': String(headers.etag) },
  })
  expect([known.statusCode, fromOf(known)! > 0]).toEqual([304, true])
  expect(headers['cache-control']).toBe('public, max-age=0, s-maxage=1, must-revalidate')
})

test('a contest that is not in the standby yet is not said to be missing', async () => {
  await freeze()
  await shop.newOffer({ slug: 'just-opened' })
  const ask = async (url: string) => (await shop.app.inject({ url })).statusCode
  for (const url of ['/api/offers/just-opened/', '/api/draws/just-opened/', '/offers/just-opened'])
    expect([url, await ask(url)]).toEqual([url, 200])
  for (const url of ['/api/offers/never-was/', '/api/draws/never-was/', '/offers/never-was'])
    expect([url, await ask(url)]).toEqual([url, 404])
})

test('a step of a draw is not said to be late by the standby alone', async () => {
  await shop.unlockTerms()
  const end_date = new Date(Date.now() - 600_000)
  const id = await shop.newOffer({ slug: 'seems-late', title: 'Before', end_date })
  const inTime = await shop.newOffer({ slug: 'in-time', title: 'Before' })
  await freeze()
  for (const one of [id, inTime]) await shop.changeOffer(one, { title: 'After' })
  const ask = async (slug: string) => (await shop.app.inject({ url: `/api/draws/${slug}/` })).json()
  expect(await ask('seems-late')).toMatchObject({ delay: 'close', contest: { id, title: 'After' } })
  expect(await ask('in-time')).toMatchObject({ delay: null, contest: { title: 'Before' } })
})

test('lists of the console say how old they are once that is a minute', async () => {
  await freeze()
  await sleep(LIMITS.told + 500)
  await newAlert(shop)
  await sleep(LIMITS.told + 500)
  await servers.look()
  for (const url of [...Object.keys(LISTS), ...others]) {
    const response = await look(url)
    const now = timeOfHeader(String(response.headers[SERVER_TIME]))
    expect([url, now!.shown - now!.from! >= LIMITS.told]).toEqual([url, true])
  }
})

test('the doctor says what the standby is, and whether it can be read', async () => {
  const at = async (url: string | undefined, limits = LIMITS): Promise<string> => {
    const { state, says } = await readReplicaCheck(shop.db, url, limits)()
    return `${state}: ${says}`
  }
  const { standby, server, database } = servers
  const url = standby.urlOf(database.url)
  await freeze()
  expect([await at(undefined), await at(url), await at(database.url)]).toEqual([
    'skipped: none',
    'ok: follows',
    'fault: writes',
  ])
  expect(await at(standby.urlOf(server.adminUrl))).toBe('fault: foreign')
  await newAlert(shop)
  await sleep(LIMITS.told + 500)
  await newAlert(shop)
  expect(await at(url)).toBe('warning: behind')
  expect(await at(url, { told: 100, far: 1_000 })).toBe('warning: far')
  await standby.kill()
  expect(await at(url)).toBe('warning: away')
  await standby.start()
  const found = (ahead: number) => replicaFinding({ state: 'follows', behind: 10, ahead })
  expect([1_900, -1_900, 5_230, -61_000].map((ahead) => found(ahead))).toEqual([
    { state: 'ok', says: 'follows', values: { seconds: 0 } },
    { state: 'ok', says: 'follows', values: { seconds: 0 } },
    { state: 'warning', says: 'clock', values: { seconds: 5.2, side: 'ahead' } },
    { state: 'warning', says: 'clock', values: { seconds: 61, side: 'behind' } },
  ])
})

test('without the standby everything gets a response all the same', async () => {
  await freeze()
  await servers.standby.resume()
  await servers.standby.kill()
  const urls = [...Object.keys(LISTS), ...others]
  for (const url of urls) expect([url, (await look(url)).status]).toEqual([url, 200])
  for (const url of ['/', '/offers', '/draws', '/sitemap.xml', '/api/offers/', '/api/draws/'])
    expect([url, (await shop.app.inject({ url })).statusCode]).toEqual([url, 200])
  const { ours } = await shop.paidOrder()
  expect(ours.state).toBe('completed')
  await servers.standby.start()
})
