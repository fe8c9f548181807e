import QRCode from 'qrcode'
import { describe, expect, test } from 'vitest'
import { type DrawStage, insertDraw } from '../../../../../test/support/draws.ts'
import { openShop } from '../../../../../test/support/shop.ts'
import { stopSelling } from '#features/offers/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { drawStepsRepository } from '../draw-steps.repository.ts'
import { PublicDraw } from '../../public-draws.contract.ts'
import { publicSteps } from '../../timeline.rules.ts'

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const get = (path: string) => shop.anonymous('GET', path)
const read = async (slug: string): Promise<PublicDraw> =>
  PublicDraw.parse((await get(`/api/draws/${slug}/`)).body)

test.each(['nowhere', 'draft', 'scheduled', '..%2f'])('%s is no public draw: 404', async (slug) => {
  if (slug === 'draft') await shop.newOffer({ slug, state: 'draft' })
  if (slug === 'scheduled')
    await shop.newOffer({ slug, state: 'scheduled', opens_at: new Date(Date.now() + 3_600_000) })
  const { status, body } = await get(`/api/draws/${slug}/`)
  expect([status, body['code']]).toEqual([404, 'offer.notFound'])
})

test('a contest without published terms has its offer and no plan', async () => {
  await shop.newOffer({ slug: 'plain', title: 'Plain', price_cents: 490 })
  expect(await read('plain')).toMatchObject({
    state: 'open',
    draw_at: null,
    terms: null,
    plan: null,
    log: null,
    provisional: null,
    sealed: null,
    attempts: [],
    beacon: null,
    rules: null,
    files: [],
    delay: null,
    contest: { title: 'Plain', ticket_price: '4.90', prize_value: null },
  })
})

describe('a draw shows', () => {
  test('while it is open: terms, plan, beacon and log', async () => {
    const { draw, termsHash } = await insertDraw(shop, { slug: 'open', stage: 'open', isPublicChain: true })
    const { terms } = draw
    const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
    expect(await read('open')).toMatchObject({
      state: 'open',
      closes_at: at(terms.closes),
      stopped: false,
      draw_at: at(terms.draw),
      terms: { hash: termsHash },
      plan: {
        list_by: at(terms.draw - 1200),
        seal_at: at(terms.draw - 600),
        objections: 600,
        objections_over: false,
        seal_margin: 600,
        claim: terms.claim,
      },
      beacon: { chain: terms.beacon.chain, public: true, round: terms.beacon.round },
      log: { entries: 10, size: 11, root: draw.root() },
      provisional: null,
      attempts: [{ attempt: 0, round: terms.beacon.round, drawn: null }],
      contest: { prize_value: '35000.00', tickets_sold: 10, total_tickets: 50 },
      delay: null,
    })
  })

  test('while it is stopped before its end: that the end is still to come', async () => {
    await insertDraw(shop, { slug: 'halted', stage: 'open' })
    await transact(shop.db, (trx) => stopSelling(trx, 'restored'))
    const draw = await read('halted')
    expect(draw).toMatchObject({ state: 'closed', stopped: true, delay: null })
    expect(publicSteps(draw)[1]).toMatchObject({ name: 'closes', at: draw.closes_at, state: 'current' })
  })

  test('once it is listed and sealed: both lists with their hashes', async () => {
    await insertDraw(shop, { slug: 'listed', stage: 'listed' })
    expect(await read('listed')).toMatchObject({
      state: 'listed',
      plan: { objections_over: true },
      provisional: { demo: 10, valid: 10, root: null, log_size: 12 },
      sealed: null,
    })
    const { draw } = await insertDraw(shop, { slug: 'sealed', stage: 'sealed' })
    const sealed = await read('sealed')
    expect(sealed).toMatchObject({
      state: 'sealed',
      sealed: { hash: draw.listHash, demo: 10, valid: 10, root: expect.stringMatching(/^[0-9a-f]{64}$/) },
      beacon: { public: false },
    })
    expect(sealed.files.map(({ name }) => name)).toEqual(['list.txt', 'provisional.txt', 'terms.txt'])
  })

  test('when an authority stamped terms and list, where the terms name one', async () => {
    const { offerId } = await insertDraw(shop, { slug: 'stamped', stage: 'sealed' })
    const stamped = async () => (await read('stamped')).stamped
    expect(await stamped()).toBeNull()
    const add = (name: string) =>
      shop.pool.query(
        `INSERT INTO draw_files (offer_id, name, sha256, bytes) VALUES ($1, $2, sha256(''), 1)`,
        [offerId, name],
      )
    const [opened, sealed] = ['2026-01-02T03:04:05.000Z', '2026-02-03T04:05:06.000Z']
    await add('authority.pem')
    // A response is kept for a moment.
    await expect.poll(stamped).toEqual({ opened: null, sealed: null })
    await add('terms.tsr')
    await add('seal.tsr')
    await shop.pool.query(
      `INSERT INTO draw_stamps (offer_id, name, stamped_at) VALUES ($1, 'terms.tsr', $2), ($1, 'seal.tsr', $3)`,
      [offerId, opened, sealed],
    )
    await expect.poll(stamped).toEqual({ opened, sealed })
  })

  test.each<DrawStage>(['drawn', 'awarded'])('once it is %s: how the number follows', async (stage) => {
    const { draw } = await insertDraw(shop, { slug: `was-${stage}`, stage })
    const [result] = draw.results
    const { state, attempts } = await read(`was-${stage}`)
    expect(state).toBe(stage)
    expect(attempts).toMatchObject([
      {
        attempt: 0,
        drawn: {
          randomness: result!.randomness,
          remaining: 10,
          tries: result!.tries,
          value: result!.value,
          index: result!.index,
          number: result!.number,
          relay: 'relay.example',
        },
      },
    ])
  })

  test('after a forfeiture: the earlier winner, and the round of the alternate', async () => {
    const { draw } = await insertDraw(shop, { slug: 'again', stage: 'alternate' })
    const { attempts, files, state } = await read('again')
    expect(state).toBe('drawn')
    expect(attempts).toMatchObject([
      { drawn: { number: draw.results[0]!.number }, forfeited: { reason: 'unclaimed' } },
      { attempt: 1, drawn: null, forfeited: null },
    ])
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['forfeiture-0.txt', 'statement-0.txt']),
    )
  })

  test('until when the prize can be claimed, and that it was', async () => {
    const { draw, claim } = await insertDraw(shop, { slug: 'claimed', stage: 'drawn' })
    const until = new Date((draw.terms.draw + 4 + draw.terms.claim) * 1000).toISOString()
    const claimOf = async () => (await read('claimed')).attempts[0]!.drawn
    expect(await claimOf()).toMatchObject({ claim: { until, claimed_at: null }, winner: null })
    await claim()
    // The response before is kept for a moment.
    await expect.poll(claimOf).toMatchObject({
      claim: { until, claimed_at: expect.any(String) },
      winner: { first_name: 'Ada', place: 'Namur' },
    })
  })

  test('the rules of its terms, and the key and the clock of its beacon', async () => {
    const { draw } = await insertDraw(shop, { slug: 'rules', stage: 'open' })
    const { terms } = draw
    expect(await read('rules')).toMatchObject({
      rules: {
        void_reasons: terms.voidReasons,
        forfeit_reasons: terms.forfeitReasons,
        alternates_decided: terms.alternatesDecided,
        alternate_delay: terms.alternateDelay,
        notice: terms.notice,
        demonstration: true,
      },
      beacon: { key: terms.beacon.key, genesis: terms.beacon.genesis, period: terms.beacon.period },
    })
  })

  test('of terms that an older version has published: their hash and nothing that must be read; staff are told', async () => {
    const { offerId, termsHash } = await insertDraw(shop, { slug: 'older', stage: 'sealed', isOlder: true })
    expect(await read('older')).toMatchObject({ terms: { hash: termsHash }, beacon: null, rules: null })
    const steps = drawStepsRepository(shop.db)
    expect(await steps.notToDraw(0)).toEqual(['older'])
    expect((await steps.toAdvance()).map(({ slug }) => slug)).not.toContain('older')
    const page = await (await shop.newStaff('manager')).get(`/api/staff/offers/${offerId}/`)
    expect(page.body).toMatchObject({ is_cancellable: true, cancel_until: null })
  })

  test.each([
    ['cancel', 'open', 3600, 'shop', 'La voiture est perdue.'],
    // By the job, whose words are French only.
    ['cancel', 'closed', -2, 'unsealed', ''],
    ['endWithoutEntries', 'sealed', 3600, 'no-entries', ''],
    ['endWithoutBeacon', 'sealed', -2, 'beacon-silent', ''],
  ])('after %s of %s, %i s before the draw: the reason %s', async (event, from, drawsIn, reason, words) => {
    const slug = `gone-${reason}`
    const { offerId } = await insertDraw(shop, { slug, stage: 'cancelled', drawsIn, closesBefore: 3000 })
    await shop.pool.query(
      `INSERT INTO offer_events (offer_id, event, from_state, to_state, actor) VALUES ($1, $2, $3, 'cancelled', 'system')`,
      [offerId, event, from],
    )
    expect(await read(slug)).toMatchObject({ state: 'cancelled', cancelled: { reason, words } })
    // The page of the offer says no French words of a job either.
    const { body } = await get(`/api/offers/${slug}/`)
    expect(body['cancelled_why']).toBe(words === '' ? null : words)
  })
})

describe('a delay is named:', () => {
  test('a payment that is still being confirmed after the end', async () => {
    const { offerId } = await insertDraw(shop, { slug: 'late-payments', stage: 'closed' })
    await shop.pool.query('UPDATE offers SET tickets_held = 1 WHERE id = $1', [offerId])
    expect((await read('late-payments')).delay).toBe('payments')
  })

  test('an end that came without the contest being closed', async () => {
    const { offerId } = await insertDraw(shop, { slug: 'late-close', stage: 'open' })
    await shop.pool.query('ALTER TABLE offers DISABLE TRIGGER offers_terms_stay')
    for (const [seconds, delay] of [
      [50, null],
      [70, 'close'],
    ] as const) {
      await shop.pool.query('UPDATE offers SET end_date = now() - make_interval(secs => $2) WHERE id = $1', [
        offerId,
        seconds,
      ])
      await expect.poll(async () => (await read('late-close')).delay).toBe(delay)
    }
    await shop.pool.query('ALTER TABLE offers ENABLE TRIGGER offers_terms_stay')
  })

  test('numbers that are not in the log a minute after they were issued', async () => {
    const { offerId } = await insertDraw(shop, { slug: 'late-entries', stage: 'open' })
    const issue = (number: number, secondsAgo: number) =>
      shop.pool.query(
        `WITH one AS (UPDATE offers SET tickets_sold = tickets_sold + 1 WHERE id = $1)
         INSERT INTO tickets (id, offer_id, number, source, issued_at)
         VALUES (gen_random_uuid(), $1, $2, 'postal', now() - make_interval(secs => $3))`,
        [offerId, number, secondsAgo],
      )
    // What is in the log was issued before.
    await shop.pool.query(
      `UPDATE tickets SET issued_at = issued_at - interval '1 hour' WHERE offer_id = $1`,
      [offerId],
    )
    await issue(40, 30)
    expect((await read('late-entries')).delay).toBeNull()
    await issue(41, 70)
    await expect.poll(async () => (await read('late-entries')).delay).toBe('entries')
  })

  test('terms that are not published a minute after their contest', async () => {
    const hour = 3_600_000
    for (const [slug, secondsAgo, delay] of [
      ['new-terms', 30, null],
      ['late-terms', 70, 'terms'],
    ] as const) {
      await shop.newOffer({
        slug,
        draw_at: new Date(Date.now() + 99 * hour),
        created_at: new Date(Date.now() - secondsAgo * 1000),
      })
      expect((await read(slug)).delay).toBe(delay)
    }
  })

  test('a forfeiture that is due', async () => {
    const day = 86_400
    const { claim } = await insertDraw(shop, {
      slug: 'late-forfeiture',
      stage: 'drawn',
      drawsIn: -8 * day,
      closesBefore: day,
    })
    expect((await read('late-forfeiture')).delay).toBe('forfeiture')
    await claim()
    await expect.poll(async () => (await read('late-forfeiture')).delay).toBeNull()
    await insertDraw(shop, {
      slug: 'timely-forfeiture',
      stage: 'drawn',
      drawsIn: -6 * day,
      closesBefore: day,
    })
    expect((await read('timely-forfeiture')).delay).toBeNull()
  })

  const LATE = [
    ['list', 'closed', 700],
    ['seal', 'listed', 300],
    ['beacon', 'sealed', -600],
  ] as const

  test.each(LATE)('the %s of a contest that is %s', async (delay, stage, drawsIn) => {
    await insertDraw(shop, { slug: `late-${delay}`, stage, drawsIn, closesBefore: 2000 })
    expect((await read(`late-${delay}`)).delay).toBe(delay)
    // The same contest in time.
    await insertDraw(shop, { slug: `timely-${delay}`, stage })
    expect((await read(`timely-${delay}`)).delay).toBeNull()
  })

  // The list had two: a minute after the end for the console, and its latest instant for everybody.
  test.each(LATE)(
    'and the console says the same of the %s, by the same instant',
    async (delay, stage, drawsIn) => {
      const staff = await shop.newStaff('witness')
      for (const [slug, options, isLate] of [
        [`both-late-${delay}`, { drawsIn, closesBefore: 2000 }, true],
        // Days after its end, and in time.
        [`both-timely-${delay}`, {}, false],
      ] as const) {
        const { offerId } = await insertDraw(shop, { slug, stage, ...options })
        const { delay: told, plan, attempts } = await read(slug)
        const { waits, moments } = (await staff.get(`/api/staff/draws/${offerId}/`)).body
        const until = { list: plan!.list_by, seal: plan!.seal_at, beacon: attempts[0]!.round_at }[delay]
        expect([told !== null, waits.is_late, waits.until]).toEqual([isLate, isLate, until])
        const planned = Object.fromEntries(
          moments.map(({ name, planned_at: at }: { name: string; planned_at: string | null }) => [name, at]),
        )
        expect(planned).toMatchObject({
          list: plan!.list_by,
          seal: plan!.seal_at,
          draw: attempts[0]!.round_at,
        })
      }
    },
  )
})

test('the list has the next draw first, then drawn and cancelled ones, in pages', async () => {
  const hours = (count: number): Date => new Date(Date.now() + count * 3_600_000)
  await shop.newOffer({ slug: 'announced', draw_at: hours(48) })
  await shop.newOffer({ slug: 'unrecorded', state: 'closed', end_date: hours(-9), draw_at: hours(-8) })
  const slugs: string[] = []
  let after = ''
  for (;;) {
    const { body } = await get(`/api/draws/?limit=5${after}`)
    slugs.push(...body['items'].map(({ contest }: PublicDraw) => contest.slug))
    if (body['next'] === null) break
    expect(body['items']).toHaveLength(5)
    after = `&after=${body['next']}`
  }
  expect(new Set(slugs).size).toBe(slugs.length)
  // There is nothing to list without an instant, nor without a record once the instant is over.
  expect(slugs).toContain('announced')
  for (const slug of ['plain', 'unrecorded']) expect(slugs).not.toContain(slug)
  const { rows } = await shop.pool.query<{ slug: string; state: string; draw_at: Date }>(
    `SELECT slug, state, draw_at FROM offers
     WHERE draw_at IS NOT NULL AND published_at IS NOT NULL AND slug <> 'unrecorded'`,
  )
  const sectionOf = (state: string): number =>
    state === 'cancelled' ? 2 : /drawn|awarded/.test(state) ? 1 : 0
  const found = slugs.map((slug) => rows.find((row) => row.slug === slug)!)
  expect(found).toHaveLength(rows.length)
  const sections = found.map(({ state }) => sectionOf(state))
  expect(sections).toEqual(sections.toSorted((a, b) => a - b))
  for (const [section, sign] of [
    [0, 1],
    [1, -1],
  ] as const) {
    const times = found
      .filter(({ state }) => sectionOf(state) === section)
      .map((one) => sign * one.draw_at.getTime())
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.length).toBeGreaterThan(1)
  }
})

test.each(['?limit=0', '?limit=51', '?limit=x'])('the list refuses %s', async (query) => {
  expect((await get(`/api/draws/${query}`)).status).toBe(400)
})

test('nothing of a person is in any response', async () => {
  const owner = await shop.newCustomer()
  const { draw } = await insertDraw(shop, { slug: 'private', stage: 'drawn', owner })
  const { rows } = await shop.pool.query<{ id: string; username: string; email: string }>(
    `SELECT t.id, u.username, u.email FROM tickets t JOIN users u ON u.id = t.user_id WHERE t.user_id = $1`,
    [owner.id],
  )
  const responses = JSON.stringify([
    (await get('/api/draws/private/')).body,
    (await get('/api/draws/?limit=50')).body,
  ])
  expect(responses).toContain(draw.listHash)
  expect(rows).toHaveLength(10)
  for (const { id, username, email } of rows)
    for (const secret of [id, username, email]) expect(responses).not.toContain(secret)
  expect(responses).not.toMatch(/correct_choice|salt|user/)
})

test('the outcome of a draw is in the list of each owner', async () => {
  const owner = await shop.newCustomer()
  const { draw, offerId } = await insertDraw(shop, { slug: 'outcome', stage: 'drawn', owner })
  const { number } = draw.results[0]!
  const outcomes = async () => {
    const tickets = (await owner.get('/api/tickets/')).body as unknown as {
      offer_id: number
      ticket_number: string
      outcome?: string
    }[]
    return tickets
      .filter((one) => one.offer_id === offerId)
      .map((one) => [Number(one.ticket_number), one.outcome] as const)
  }
  for (const [own, outcome] of await outcomes()) expect(outcome).toBe(own === number ? 'won' : 'notWon')
  const again = await insertDraw(shop, { slug: 'outcome-again', stage: 'alternate', owner })
  const waiting = (await owner.get('/api/tickets/')).body as unknown as {
    offer_id: number
    outcome?: string
  }[]
  expect(waiting.filter((one) => one.offer_id === again.offerId).map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: 10 }, () => undefined),
  )
})

describe('the calendar file of a draw', () => {
  const calendar = (path: string, headers: Record<string, string> = {}) =>
    shop.app.inject({ url: `/draws/${path}`, headers })

  test.each([
    ['', 'Tirage\u00A0: Voiture\\, rouge', '/draws/dated'],
    ['?lang=nl', 'Trekking: Auto\\; rood', '/draws/dated?lang=nl'],
    ['?lang=en', 'Draw: Red car', '/draws/dated?lang=en'],
    ['?lang=xx', 'Tirage\u00A0: Voiture\\, rouge', '/draws/dated'],
  ])('with %j has its instant and the address of the page', async (query, title, page) => {
    const titles = { title: 'Voiture, rouge', title_nl: 'Auto; rood', title_en: 'Red car' }
    known ??= await insertDraw(shop, { slug: 'dated', stage: 'open', offer: titles })
    const { contest, attempts } = await read('dated')
    const { statusCode, headers, body } = await calendar(`dated/draw.ics${query}`)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': expect.stringMatching(/^public/),
      'content-disposition': 'inline; filename="dated.ics"',
    })
    const lines = body.replaceAll('\r\n ', '').split('\r\n')
    const start = attempts[0]?.round_at.replaceAll(/[-:]|\.\d{3}/g, '')
    expect(lines).toContain(`DTSTART:${start}`)
    expect(lines).toContain(`SUMMARY:${title}`)
    const [described] = lines.filter((line) => line.startsWith('DESCRIPTION:') && line.includes('http'))
    expect(described?.endsWith(`${shop.config.publicUrl}${page}`)).toBe(true)
    // The same event in each language: another download replaces it.
    expect(lines).toContain(`UID:draw-${contest.id}@${new URL(shop.config.publicUrl).host}`)
    const again = await calendar(`dated/draw.ics${query}`, { 'if-none-match': String(headers['etag']) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
  let known: Awaited<ReturnType<typeof insertDraw>> | undefined

  test('of a cancelled contest cancels the event', async () => {
    await insertDraw(shop, { slug: 'off', stage: 'cancelled' })
    expect((await calendar('off/draw.ics')).body).toContain('\r\nSTATUS:CANCELLED\r\n')
  })

  test.each(['undated', 'nowhere'])('does not exist of %s: 404', async (slug) => {
    if (slug === 'undated') await shop.newOffer({ slug })
    expect((await calendar(`${slug}/draw.ics`)).statusCode).toBe(404)
  })
})

describe('the code that leads to the page of a draw', () => {
  const code = (path: string) => shop.app.inject({ url: `/draws/${path}` })
  const rehearsal = '0b0f5f7e-6f0a-4a52-9b0c-6b8b3f8a1c11'

  test.each([
    ['', ''],
    ['?lang=nl', '?lang=nl'],
    [`?rehearsal=${rehearsal}`, `?rehearsal=${rehearsal}`],
    ['?other=1', ''],
  ])('with %j is a picture of its address with %j', async (query, written) => {
    coded ??= await insertDraw(shop, { slug: 'coded', stage: 'open' })
    const { statusCode, headers, body } = await code(`coded/code.svg${query}`)
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml'])
    const { modules } = QRCode.create(`${shop.config.publicUrl}/draws/coded${written}`, {
      errorCorrectionLevel: 'M',
    })
    expect(body).toContain(`viewBox="0 0 ${modules.size + 4} ${modules.size + 4}"`)
    expect(darkModules(body)).toBe(modules.data.reduce((sum, one) => sum + one, 0))
  })
  let coded: Awaited<ReturnType<typeof insertDraw>> | undefined

  test.each(['nowhere/code.svg', 'coded/code.svg?lang=xx', 'coded/code.svg?rehearsal=x'])(
    'does not exist at %s',
    async (path) => expect((await code(path)).statusCode).toBeGreaterThanOrEqual(400),
  )
})

/** Of the horizontal strokes of a code. */
const darkModules = (svg: string): number =>
  [...svg.matchAll(/h(\d+)/g)].reduce((sum, [, length]) => sum + Number(length), 0) -
  // The ground is one stroke of the whole width.
  Number(/fill="#ffffff" d="M0 0h(\d+)/.exec(svg)?.[1] ?? 0)

test.each([
  ['drawn', 'toClaim'],
  ['drawn', 'claimed'],
  ['awarded', 'awarded'],
  ['alternate', 'forfeited'],
] as const)('an owner sees what became of the prize when a contest is %s: %s', async (stage, expected) => {
  const owner = await shop.newCustomer()
  const { draw, offerId, claim } = await insertDraw(shop, {
    slug: `prize-${expected}`.toLowerCase(),
    stage,
    owner,
  })
  if (expected === 'claimed') await claim()
  const tickets = (await owner.get('/api/tickets/')).body as unknown as {
    offer_id: number
    ticket_number: string
    prize?: string
  }[]
  const drawn = tickets.filter((one) => one.offer_id === offerId && one.prize !== undefined)
  expect(drawn.map((one) => [Number(one.ticket_number), one.prize])).toEqual([
    [draw.results[0]!.number, expected],
  ])
})
