import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { everyRow } from '../../../../../test/support/database.ts'
import { toHex } from '#draw-protocol/bytes.ts'
import { PublicDraw } from '../../public-draws.contract.ts'
import { verifyDraw } from '#draw-protocol/verify.ts'
import { TIMES, drawLab } from '../draw-lab.test-support.ts'
import { deleteOldRehearsals } from './rehearsals.repository.ts'
import { sha256 } from '../sha256.ts'

const { shop, beacon, time, newContest, work } = await drawLab({
  env: { DRAW_CLAIM_MINUTES: '5', DRAW_ALTERNATE_DELAY_MINUTES: '2' },
})
const owner = await shop.newStaff('owner')
const path = (id: number) => `/api/staff/draws/${id}/rehearsal/`
const DRAWS_AT = new Date((time.seconds() + TIMES.sale + 86_400) * 1000)

async function rehearsed(id: number, body: { alternate?: boolean; seconds?: number } = {}) {
  const response = await owner.post(path(id), { alternate: false, seconds: 0, ...body })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  return response.body
}
async function shown(slug: string, id: string): Promise<PublicDraw> {
  const { status, body } = await shop.anonymous('GET', `/api/draws/${slug}/?rehearsal=${id}`)
  expect(status).toBe(200)
  return PublicDraw.parse(body)
}
async function packOf(slug: string, id: string) {
  const { status, body, headers } = await shop.anonymous('GET', `/rehearsals/${id}/${slug}-rehearsal.zip`)
  expect([status, headers['x-robots-tag']]).toEqual([200, 'noindex'])
  return new Map(
    Object.entries(unzipSync(body as unknown as Buffer)).map(([name, content]) => [
      name.slice(slug.length + 1),
      content,
    ]),
  )
}

test('a rehearsal of a running contest uses its entries, and both its pages and its files are right', async () => {
  const { id, slug } = await newContest({ total_tickets: 20 })
  const buyer = await shop.newCustomer()
  const { body } = await buyer.order(id, 3)
  await shop.paypal.approve(body['order_id'])
  await buyer.capture(body['order_id'])
  await work()
  const made = await rehearsed(id, { seconds: 60 })
  expect(made).toMatchObject({ slug, entries: 3, is_invented: false, alternate: false, is_played: false })
  expect(made['made_by']).toBe(owner.name)

  const before = await shown(slug, made['id'])
  expect(before).toMatchObject({
    state: 'sealed',
    rehearsal: made['id'],
    draw_at: made['plays_at'],
    attempts: [{ round_at: made['plays_at'], drawn: null }],
    sealed: { paid: 3, valid: 3, hash: made['list_hash'] },
    log: null,
    delay: null,
    contest: { id, slug, tickets_sold: 3, is_active: false },
  })
  expect(before.files.map(({ name }) => name)).toEqual(['list.txt', 'provisional.txt', 'terms.txt'])

  await time.goTo(time.seconds() + 61)
  const after = await shown(slug, made['id'])
  expect(after.state).toBe('drawn')
  expect([String(after.attempts[0]?.drawn?.number).padStart(2, '0')]).toEqual(made['numbers'])

  const files = await packOf(slug, made['id'])
  const { steps, remarks, terms } = await verifyDraw(files, { sha256 })
  expect(steps.filter(({ outcome }) => outcome !== 'passed').map(({ step }) => step)).toEqual([
    'stamps',
    'forfeitures',
  ])
  expect(remarks.map(({ code }) => code)).toEqual(['rehearsal', 'demonstration'])
  expect(terms).toMatchObject({ rehearsal: true, contest: slug, tickets: 20 })
  expect(strFromU8(files.get('README.txt')!)).toMatch(/^rehearsal-volant-evidence-v1\n\nRÉPÉTITION/)
  const list = await shop.anonymous('GET', `/rehearsals/${made['id']}/list.txt`)
  expect([list.status, list.headers['x-robots-tag']]).toEqual([200, 'noindex'])
  expect(toHex(sha256(list.body as unknown as Buffer))).toBe(made['list_hash'])
  // No line of it can be taken for one of the real log.
  expect(strFromU8(files.get('log.txt')!)).not.toMatch(/^volant-/m)
})

test('an alternate is drawn after a while, as an audience sees it', async () => {
  const { id, slug } = await newContest()
  const made = await rehearsed(id, { alternate: true, seconds: 0 })
  expect(made).toMatchObject({ entries: 50, is_invented: true, alternate: true })
  const [first, second] = made['numbers'].map(Number)
  const numbers = async () =>
    (await shown(slug, made['id'])).attempts.map(({ drawn }) => drawn?.number ?? null)
  const played = Date.parse(made['plays_at']) / 1000
  expect(await numbers()).toEqual([first])
  await time.goTo(played + 31)
  expect(await numbers()).toEqual([first, null])
  await time.goTo(played + 91)
  expect(await numbers()).toEqual([first, second])
  const { steps } = await verifyDraw(await packOf(slug, made['id']), { sha256 })
  expect(steps.filter(({ outcome }) => outcome !== 'passed').map(({ step }) => step)).toEqual(['stamps'])

  const again = await owner.post(`${path(id)}play/`, { seconds: 600 })
  expect(again).toMatchObject({ status: 200, body: { id: made['id'], is_played: false } })
  await time.goTo(time.seconds() + 1)
  expect((await shown(slug, made['id'])).state).toBe('sealed')
})

test('a draft is rehearsed, and nobody sees more of it than the rehearsal', async () => {
  const id = await shop.newOffer({ slug: 'a-draft', state: 'draft', total_tickets: 5, draw_at: DRAWS_AT })
  const made = await rehearsed(id)
  expect(made).toMatchObject({ slug: 'a-draft', entries: 5, is_invented: true })
  expect((await shown('a-draft', made['id'])).state).toBe('drawn')
  for (const address of ['/api/draws/a-draft/', '/draws/a-draft/terms.txt', '/draws/a-draft/log.txt'])
    expect((await shop.anonymous('GET', address)).status, address).toBe(404)
})

/** Of JSON or of bytes. */
const textOf = (body: unknown): string =>
  body instanceof Uint8Array ? strFromU8(body) : JSON.stringify(body)

test('a rehearsal leaves logs, register, lists and site map as they were', async () => {
  const { id, slug } = await newContest()
  const kept = async () => ({
    rows: await everyRow(shop, ['draw_rehearsals', 'draw_rehearsal_files', 'audit_log', 'security_events']),
    responses: await Promise.all(
      [
        '/draws/log.txt',
        '/draws/checkpoint',
        `/draws/${slug}/log.txt`,
        `/draws/${slug}/checkpoint`,
        `/api/draws/${slug}/`,
        '/api/draws/?limit=50',
        '/sitemap.xml',
      ].map(async (address) => textOf((await shop.anonymous('GET', address)).body)),
    ),
  })
  // What staff do is noted beside: their session's last use, counts of calls.
  await owner.get(`/api/staff/draws/${id}/`)
  const before = await kept()
  await rehearsed(id, { alternate: true })
  const after = await kept()
  expect(after.responses).toEqual(before.responses)
  const changed = Object.keys(after.rows).filter(
    (table) => JSON.stringify(after.rows[table]) !== JSON.stringify(before.rows[table]),
  )
  expect(changed.filter((table) => !/^(?:limit_counters|staff_sessions)$/.test(table))).toEqual([])
})

test('a new rehearsal takes the place of the old one, whose addresses lead nowhere', async () => {
  const { id, slug } = await newContest()
  const old = await rehearsed(id)
  const [made, other] = await Promise.all([rehearsed(id), rehearsed(id, { alternate: true })])
  const { body: page } = await owner.get(`/api/staff/draws/${id}/`)
  expect([made['id'], other['id']]).toContain(page['rehearsal'].id)
  const { rows } = await shop.pool.query(
    'SELECT count(*)::int AS count FROM draw_rehearsals WHERE offer_id = $1',
    [id],
  )
  expect(rows[0].count).toBe(1)
  for (const address of [
    `/api/draws/${slug}/?rehearsal=${old['id']}`,
    `/rehearsals/${old['id']}/list.txt`,
    `/rehearsals/${old['id']}/${slug}-rehearsal.zip`,
    `/api/draws/${slug}/?rehearsal=nothing`,
    `/api/draws/other/?rehearsal=${page['rehearsal'].id}`,
    `/rehearsals/nothing/list.txt`,
    `/rehearsals/${page['rehearsal'].id}/secret.txt`,
    `/rehearsals/${page['rehearsal'].id}/other-rehearsal.zip`,
  ])
    expect((await shop.anonymous('GET', address)).status, address).toBe(404)
})

describe('a rehearsal is refused', () => {
  test('without a draw instant, and for no contest', async () => {
    const id = await shop.newOffer({ slug: 'undated' })
    const refused = await owner.post(path(id), { alternate: false, seconds: 0 })
    expect(refused).toMatchObject({ status: 409, body: { code: 'rehearsal.incomplete' } })
    expect((await owner.post(path(999_999), { alternate: false, seconds: 0 })).status).toBe(404)
    expect((await owner.post(`${path(id)}play/`, { seconds: 0 })).status).toBe(404)
    for (const seconds of [-1, 3_601, 1.5])
      expect((await owner.post(path(id), { alternate: false, seconds })).status).toBe(400)
  })

  test.each([
    ['error', 503, 'rehearsal.beaconSilent'],
    ['behind', 503, 'rehearsal.beaconSilent'],
    ['bad-signature', 502, 'rehearsal.beaconFalse'],
  ] as const)('when the beacon responds with %s', async (behaviour, status, code) => {
    const { id } = await newContest()
    beacon.behave(behaviour)
    const refused = await owner.post(path(id), { alternate: true, seconds: 0 })
    beacon.behave('honest')
    expect(refused).toMatchObject({ status, body: { code, detail: expect.stringContaining('relay') } })
    expect((await owner.get(`/api/staff/draws/${id}/`)).body['rehearsal']).toBeNull()
  })

  test('to those who may not, and it is in the audit log of those who may', async () => {
    const { id } = await newContest()
    const support = await shop.newStaff('support')
    expect((await support.post(path(id), { alternate: false, seconds: 0 })).status).toBe(403)
    const manager = await shop.newStaff('manager')
    expect((await manager.post(path(id), { alternate: false, seconds: 0 })).status).toBe(200)
    const { rows } = await shop.pool.query(
      `SELECT entry::jsonb ->> 'action' AS action FROM audit_log WHERE entry::jsonb ->> 'session' = $1`,
      [manager.sessionId],
    )
    expect(rows.map(({ action }) => action)).toContain('draws.rehearse')
  })
})

test('after thirty days a rehearsal is removed with its files', async () => {
  const { id } = await newContest()
  await rehearsed(id)
  await shop.pool.query(
    `UPDATE draw_rehearsals SET made_at = now() - interval '31 days' WHERE offer_id = $1`,
    [id],
  )
  expect(await deleteOldRehearsals(shop.db, 30)).toBe(1)
  const left = 'SELECT FROM draw_rehearsal_files WHERE offer_id = $1'
  expect((await shop.pool.query(left, [id])).rowCount).toBe(0)
})
