import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { appendEntries } from '#features/draws/server/append-entries.ts'
import { forfeitPrizes } from '#features/draws/server/claims/forfeitures.ts'
import { sendDrawEmails } from '#features/draws/server/draw-emails.ts'
import { drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { claimTokens, openClaims } from '#features/draws/server/index.ts'
import { refundCancelledOffers } from '#features/purchase/refunds/server/cancelled-offers.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopForfeitures } from '#server/build-app.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { providerSide } from '../support/provider-side.ts'
import { PATIENCE, type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import type { Staff } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended, sized } from '../support/tier.ts'

/**
 * Workers are killed with -9 while they make the steps of draws: in the transaction, behind the leaf that it appends and
 * before its commit; or right after the commit; or at random. The short form kills at seal and draw.
 */
const CLAIM = 3_600
const DELAY = 1_800
const SILENCE = 7_200
const SECRETS = { LOG_KEY: '5e'.repeat(32) }
const DURATIONS = {
  DRAW_OBJECTION_MINUTES: '10',
  DRAW_SEAL_MARGIN_MINUTES: '5',
  DRAW_CLAIM_MINUTES: String(CLAIM / 60),
  DRAW_ALTERNATE_DELAY_MINUTES: String(DELAY / 60),
  DRAW_BEACON_PATIENCE_MINUTES: String(SILENCE / 60),
}
const lab = await drawLab({ env: { ...DURATIONS, ...SECRETS } })
const { shop, beacon, time } = lab
const { pool } = shop
const tokens = claimTokens(shop.secret)
const prizes = shopForfeitures({
  config: shop.config,
  db: shop.db,
  log: shop.draws.log as never,
  logKey: shop.draws.key,
  secret: shop.secret,
})
const folder = temporaryFolder('volant-draw-kills-', 'file')

// Stops -----------------------------------------------------------------------------------------------------------------

/** Where a transaction waits: behind a leaf of that type, or behind a claim. */
type Stop = 'open' | 'entry' | 'close' | 'list' | 'seal' | 'result' | 'claim' | 'forfeit' | 'award' | 'cancel'
const STOP_LOCK = 7_130_999

const gate = new Client({ connectionString: shop.url })
await gate.connect()
afterAll(() => gate.end())
// The shop's connections take one statement at a time.
await gate.query(`
  CREATE SCHEMA stops;
  CREATE TABLE stops.stop (word text, offer_id int, PRIMARY KEY (word, offer_id));
  SELECT pg_advisory_lock(${STOP_LOCK});
  CREATE FUNCTION stops.wait() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    said jsonb := to_jsonb(NEW);
    at text := coalesce(split_part(said ->> 'leaf', '-', 2), 'claim');
  BEGIN
    IF EXISTS (SELECT FROM stops.stop WHERE word = at AND offer_id = coalesce(said -> 'log_id', said -> 'offer_id')::int)
      THEN PERFORM pg_advisory_xact_lock_shared(${STOP_LOCK}); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER stop_here AFTER INSERT ON draw_leaves FOR EACH ROW EXECUTE FUNCTION stops.wait();
  CREATE TRIGGER stop_here AFTER INSERT ON draw_claims FOR EACH ROW EXECUTE FUNCTION stops.wait();`)

const stopAt = (stop: Stop, offerId: number) =>
  pool.query('INSERT INTO stops.stop VALUES ($1, $2) ON CONFLICT DO NOTHING', [stop, offerId])

/** Lets those go on that still live; others stop at what is left. */
async function letGo(stop: Stop): Promise<void> {
  await pool.query('DELETE FROM stops.stop WHERE word = $1', [stop])
  await gate.query(`SELECT pg_advisory_unlock(${STOP_LOCK})`)
  await gate.query(`SELECT pg_advisory_lock(${STOP_LOCK})`)
}

/** Names of the processes that wait at the stop. */
const stopped = async (): Promise<string[]> =>
  (
    await pool.query<{ name: string }>(
      `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.objid = ${STOP_LOCK} AND NOT l.granted`,
    )
  ).rows.map(({ name }) => name)

// Processes -------------------------------------------------------------------------------------------------------------

const running = new Map<string, ShopProcess>()
afterAll(() => Promise.all([...running.values()].map((one) => one.end('SIGKILL'))))
let started = 0

async function start(role: 'web' | 'worker'): Promise<string> {
  const name = `${role}-${(started += 1)}`
  const one = await startShopProcess({
    env: {
      ...DURATIONS,
      ...SECRETS,
      // A name of its own in the address goes before that of the shop.
      DATABASE_URL: `${shop.url}&application_name=${name}`,
      DATABASE_POOL: '4',
      DATA_DIR: folder,
      SECRET_KEY: shop.secret,
      PUBLIC_URL: shop.config.publicUrl,
      PAYPAL_BASE_URL: shop.paypal.url,
      BEACON_URLS: beacon.url,
      BEACON_CHAIN: JSON.stringify(beacon.chain),
      LIMITS_FACTOR: '1000',
      ROLES: role,
      LOG_LEVEL: 'silent',
    },
  })
  running.set(name, one)
  await one.whenReady()
  return name
}

async function kill(name: string): Promise<void> {
  await running.get(name)?.end('SIGKILL')
  running.delete(name)
}

const until = (isTrue: () => Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(isTrue, { ...PATIENCE, interval: 20 })

// Walks -----------------------------------------------------------------------------------------------------------------

/** A step: when it is due, where it can be stopped, and what has happened then. */
interface Step {
  at: number
  stop: Stop
  before?: () => Promise<unknown>
  isDone: () => Promise<boolean>
}

type How = (step: Step, offerId: number, next: Step | undefined) => Promise<void>

/** The jobs of a worker, once each. */
async function work(): Promise<void> {
  await lab.work()
  await openClaims({ db: shop.db, tokens })
  await forfeitPrizes(prizes)
}

/** A step that nobody stops. */
const calmly: How = async ({ at, before, isDone }) => {
  await before?.()
  await time.goTo(at)
  await until(async () => {
    await work()
    return isDone()
  })
}

/** The moment of a kill. */
type Moment = 'before the commit' | 'after the commit' | 'at random'

const killing =
  (moment: Moment, replace: boolean): How =>
  async ({ at, stop, before, isDone }, offerId, next) => {
    await before?.()
    const again = async (name: string | undefined): Promise<void> => {
      if (name) await kill(name)
      if (replace) await start('worker')
    }
    if (moment === 'before the commit') {
      await stopAt(stop, offerId)
      await time.goTo(at)
      await until(async () => (await stopped()).length > 0)
      const names = await stopped()
      expect(await isDone()).toBe(false)
      for (const name of names) await again(name)
      // Some steps follow by themselves.
      if (next) await stopAt(next.stop, offerId)
      await letGo(stop)
    } else {
      await time.goTo(at)
      if (moment === 'after the commit') await until(isDone)
      else await sleep(Math.random() * 1_500)
      await again([...running.keys()][0])
    }
    await until(isDone)
  }

const row = async <Row extends object>(statement: string, values: unknown[]): Promise<Row | undefined> =>
  (await pool.query<Row>(statement, values)).rows[0]
const isThere = async (statement: string, values: unknown[]): Promise<boolean> =>
  (await row(statement, values)) !== undefined

let walks = 0

/** A contest that opens in a minute, with the steps of its draw; the same each time but for salts and instants. */
async function newWalk() {
  walks += 1
  const opens = time.seconds() + 60
  const closes = opens + 3_600
  const draw = closes + 240 + 600 + 300
  const slug = `walk-${walks}`
  const id = await shop.newOffer({
    slug,
    title: slug,
    title_nl: slug,
    title_en: slug,
    total_tickets: 40,
    number_key: Buffer.alloc(32, 9),
    state: 'scheduled',
    opens_at: new Date(opens * 1000),
    end_date: new Date(closes * 1000),
    draw_at: new Date(draw * 1000),
  })
  const isIn = (state: string) => async () => (await lab.stateOf(id)) === state
  const has = (table: string, attempt: number) => () =>
    isThere(`SELECT FROM ${table} WHERE offer_id = $1 AND attempt = $2`, [id, attempt])
  const isLogged = (type: string) => async () => (await lab.stepsOf(id)).split(' ').includes(type)
  const isDrawn = (attempt: number) => () =>
    isThere('SELECT FROM draw_attempts WHERE offer_id = $1 AND attempt = $2 AND drawn_at IS NOT NULL', [
      id,
      attempt,
    ])
  const buy = async (): Promise<void> => {
    for (const quantity of [3, 1, 2]) await shop.paidOrder(quantity, undefined, id)
  }
  const opening: Step = { at: opens, stop: 'open', isDone: isIn('open') }
  const entries: Step = {
    at: opens,
    stop: 'entry',
    before: buy,
    isDone: async () =>
      (await lab.leavesOf(id)).filter((leaf) => leaf.startsWith('volant-entry')).length === 6,
  }
  const closing: Step = { at: closes, stop: 'close', isDone: isLogged('close') }
  const list: Step = { at: closes + 1, stop: 'list', isDone: isIn('listed') }
  const seal: Step = { at: draw - 360, stop: 'seal', isDone: isIn('sealed') }
  const result: Step = { at: draw + 3, stop: 'result', isDone: isDrawn(0) }
  return {
    id,
    slug,
    prize: [
      opening,
      entries,
      closing,
      list,
      seal,
      result,
      { at: draw + 4, stop: 'claim', isDone: has('draw_claims', 0) },
      { at: draw + CLAIM + 120, stop: 'forfeit', isDone: has('draw_forfeitures', 0) },
      { at: draw + CLAIM + DELAY + 300, stop: 'result', isDone: isDrawn(1) },
      { at: draw + CLAIM + DELAY + 301, stop: 'claim', isDone: has('draw_claims', 1) },
    ],
    empty: [opening, closing, list, { at: draw - 360, stop: 'cancel', isDone: isIn('cancelled') }],
    silent: [
      opening,
      entries,
      closing,
      list,
      seal,
      {
        at: draw + 3 + SILENCE + 30,
        stop: 'cancel',
        before: async () => beacon.behave('missing'),
        isDone: isIn('cancelled'),
      },
    ],
  } satisfies { id: number; slug: string } & Record<string, Step[] | number | string>
}
type Walk = Awaited<ReturnType<typeof newWalk>>

/** What must be equal in a draw that was disturbed and in one that was not: all but salts, hashes, instants and chance. */
async function outcomeOf({ id, slug }: Walk) {
  await openClaims({ db: shop.db, tokens })
  if ((await lab.stateOf(id)) === 'cancelled')
    await until(async () => {
      await refundCancelledOffers(shop.checkout)
      return !(await isThere(`SELECT FROM tickets WHERE offer_id = $1 AND status = 'valid'`, [id]))
    })
  await appendEntries(shop.draws)
  const rows = async (statement: string) => (await pool.query(statement, [id])).rows
  const { files, open, remarks } = await lab.evidenceOf(slug)
  const list = new TextDecoder().decode(files.get('list.txt')).split('\n\n')[1] ?? ''
  return {
    state: await lab.stateOf(id),
    leaves: (await lab.leavesOf(id)).map((leaf) => leaf.split('\t')[0]),
    entries: (await lab.leavesOf(id)).flatMap((leaf) =>
      leaf.startsWith('volant-entry') ? [leaf.split('\t')[2]] : [],
    ),
    // How often the log itself is registered depends on how entries fall into its hours.
    register: (await lab.leavesOf(0))
      .flatMap((leaf) => (leaf.split('\t')[1] === slug ? [leaf.split('\t')[0]] : []))
      .filter((type, at, all) => type !== 'volant-log-v1' || type !== all[at - 1]),
    list: list.split('\n').map((line) => line.replace(/[0-9a-f]{64}/, '#')),
    files: [...files.keys()],
    open,
    remarks,
    attempts: await rows(
      'SELECT attempt, drawn_at IS NOT NULL AS drawn FROM draw_attempts WHERE offer_id = $1 ORDER BY 1',
    ),
    claims: await rows(
      'SELECT attempt, submitted_at, forfeited_at IS NOT NULL AS lost FROM draw_claims WHERE offer_id = $1 ORDER BY 1',
    ),
    forfeitures: await rows(
      'SELECT attempt, reason, is_decided FROM draw_forfeitures WHERE offer_id = $1 ORDER BY 1',
    ),
    moves: await rows(
      'SELECT event, from_state, to_state, actor FROM offer_events WHERE offer_id = $1 ORDER BY id',
    ),
    tickets: await rows(
      'SELECT number, status, void_reason FROM tickets WHERE offer_id = $1 ORDER BY number',
    ),
    emails: (
      await pool.query(
        `SELECT kind, count(*)::int AS count FROM emails WHERE kind LIKE 'draw-%' AND subject LIKE $1 GROUP BY 1 ORDER BY 1`,
        [`%${slug}%`],
      )
    ).rows,
    audit: await rows(
      `SELECT entry::jsonb ->> 'action' AS action, count(*)::int FROM audit_log
       WHERE entry::jsonb ->> 'subject_kind' = 'offer' AND entry::jsonb ->> 'subject_id' = $1::text GROUP BY 1 ORDER BY 1`,
    ),
  }
}

async function walkThrough(walk: Walk, steps: readonly Step[], how: How): Promise<void> {
  for (const [at, step] of steps.entries()) {
    await how(step, walk.id, steps[at + 1])
    // They are sent while the list is sealed.
    await sendDrawEmails(shop.db)
  }
  beacon.behave('honest')
}

async function nothingIsBroken(): Promise<void> {
  expect(await checkInvariants(shop.db, await shopInvariants(), providerSide(shop).book())).toEqual([])
}

test('workers that are killed with -9 at seal and draw leave the draw that nobody stopped', async () => {
  const calm = await newWalk()
  const starting = Promise.all([start('worker'), start('worker'), start('worker')])
  await walkThrough(calm, calm.prize.slice(0, 6), calmly)
  const expected = await outcomeOf(calm)
  const stormy = await newWalk()
  await walkThrough(stormy, stormy.prize.slice(0, 4), calmly)
  await starting
  // Three run at once, and each transaction is made by one.
  await walkThrough(stormy, stormy.prize.slice(4, 6), killing('before the commit', false))
  expect(running.size).toBe(1)
  expect(await outcomeOf(stormy)).toEqual(expected)
  await nothingIsBroken()
}, 240_000)

test('a number that is issued while a worker runs has its line in the log without any further call', async () => {
  if (running.size === 0) await start('worker')
  const walk = await newWalk()
  const [opening] = walk.prize
  await time.goTo(opening!.at)
  await until(opening!.isDone)
  await shop.paidOrder(2, undefined, walk.id)
  await until(async () => (await lab.leavesOf(walk.id)).length === 3)
  const numbers = await pool.query('SELECT number FROM tickets WHERE offer_id = $1 ORDER BY number', [
    walk.id,
  ])
  const logged = (await lab.leavesOf(walk.id)).slice(1).map((leaf) => Number(leaf.split('\t')[2]))
  expect(logged.toSorted((one, other) => one - other)).toEqual(numbers.rows.map(({ number }) => number))
}, 120_000)

describe.runIf(isExtended)('at every step, several times', () => {
  const MOMENTS: Moment[] = ['before the commit', 'after the commit', 'at random']
  const rounds = MOMENTS.flatMap((moment) =>
    (['prize', 'empty', 'silent'] as const).flatMap((kind) =>
      Array.from({ length: sized({ short: 1, extended: 2 }) }, (_, round) => ({ moment, kind, round })),
    ),
  )

  test.each(rounds)(
    '$kind, killed $moment, round $round',
    async ({ moment, kind }) => {
      const calm = await newWalk()
      await walkThrough(calm, calm[kind], calmly)
      const expected = await outcomeOf(calm)
      await Promise.all([start('worker'), start('worker')])
      const stormy = await newWalk()
      await walkThrough(stormy, stormy[kind], killing(moment, true))
      for (const name of running.keys()) await kill(name)
      expect(await outcomeOf(stormy)).toEqual(expected)
      await nothingIsBroken()
    },
    900_000,
  )

  test('a claim whose web process is killed leaves nothing; an approved award is made once, by a worker', async () => {
    const walk = await newWalk()
    await walkThrough(walk, walk.prize.slice(0, 7), calmly)
    const [asking, approving] = [await shop.newStaff('manager'), await shop.newStaff('manager')]
    const given = { token: tokens.of(`${walk.id}.0`), ...FORM }
    const web = await start('web')
    await stopAt('claim', walk.id)
    const sending = fetch(running.get(web)!.url('/api/claims/submit/'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: shop.config.publicUrl },
      body: JSON.stringify(given),
    }).catch(() => 'cut')
    await until(async () => (await stopped()).length > 0)
    await kill(web)
    expect(await sending).toBe('cut')
    await letGo('claim')
    expect(await lab.stepsOf(walk.id)).toBe('open close list seal result')
    const claim = await shop.anonymous('POST', '/api/claims/submit/', given)
    expect(claim.status).toBe(200)
    const path = `/api/staff/draws/${walk.id}/claims/0/`
    const seenBy = async (staff: Staff): Promise<{ seen: string }> => {
      await staff.stepUp('draws.claims')
      return { seen: String((await staff.get(path)).body['seen']) }
    }
    expect((await approving.post(`${path}identity/`, await seenBy(approving))).status).toBe(200)
    const asked = { ...(await seenBy(asking)), delivered_on: '2026-12-01' }
    await asking.stepUp('draws.award')
    const { status, body } = await asking.post(`${path}award/`, asked)
    expect(status).toBe(202)
    const { id } = body['approval'] as { id: string }
    await approving.stepUp('draws.award')
    const approve = `/api/staff/approvals/${id}/approve/`
    const first = await start('web')
    await stopAt('award', walk.id)
    const headers = { cookie: approving.cookie, origin: shop.config.publicUrl }
    const cut = fetch(running.get(first)!.url(approve), { method: 'POST', headers }).catch(() => 'cut')
    await until(async () => (await stopped()).length > 0)
    await kill(first)
    expect(await cut).toBe('cut')
    await letGo('award')
    expect(await lab.stateOf(walk.id)).toBe('drawn')
    // It is approved, so that nobody has to approve it again: a worker carries it out.
    expect((await approving.post(approve)).status).toBe(409)
    const workers = [await start('worker'), await start('worker')]
    await until(async () => (await lab.stateOf(walk.id)) === 'awarded')
    for (const worker of workers) await kill(worker)
    expect((await approving.post(approve)).status).toBe(409)
    expect(await lab.stepsOf(walk.id)).toBe('open close list seal result claim award')
    expect((await lab.evidenceOf(walk.slug)).open).toMatchObject([
      { step: 'forfeitures', outcome: 'skipped' },
    ])
    await nothingIsBroken()
  }, 240_000)
})

const FORM = {
  name: 'Ada Peeters',
  street: 'Kerkstraat 12',
  extra: '',
  postcode: '9000',
  city: 'Gent',
  country: 'BE',
  phone: '+32 471 23 45 67',
  publish: true,
  first_name: 'Ada',
  place: 'Gent',
  picture: false,
  is_adult: true,
  is_eligible: true,
}
