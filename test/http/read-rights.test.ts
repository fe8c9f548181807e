import { beforeAll, expect, test } from 'vitest'
import { audit } from '#platform/audit-log.ts'
import { transact } from '#platform/transaction.ts'
import { STAFF_ROLES, type StaffPermission, type StaffRole, permits } from '#shared/staff-permissions.ts'
import type { OpenApi } from '../support/fuzz.ts'
import { postcard } from '../support/postcards.ts'
import { type Staff, openShop } from '../support/shop.ts'
import { type StaffRoute, addressOf, staffRoutesOf } from '../support/staff-routes.ts'

// What each role reads of all that the shop keeps: every reading call of staff is made by every role, and its response
// is searched for what not everybody may know. Who may follows from what it is, wherever it is found.

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

const DRAFT = 'Brouillon Xylophage'
const SCHEDULED = 'Annonce Xylophage'
const FIGURES = 'figures of Zyzzyva'
const CHECKPOINT = 'checkpoint of Zyzzyva'
const ENTRY = 'entry of Zyzzyva'
const POSTER = 'Wolfgang Zyzzykowski'
const COUNTED = 73_417

interface Secret {
  isIn: (response: string) => boolean
  /** One of them is needed; none: nobody of the roles reads it. */
  needs: readonly StaffPermission[]
}
const says =
  (...texts: string[]) =>
  (response: string) =>
    texts.some((text) => response.includes(text))

const secrets: Record<string, Secret> = {
  'a right answer': { isIn: (response) => /"correct_choice":"[^"(]/.test(response), needs: ['offers.edit'] },
  'a contest before its publication': { isIn: says(DRAFT, SCHEDULED), needs: ['offers.edit'] },
  'the first count of cards': { isIn: says(String(COUNTED)), needs: [] },
  'figures mailed to an owner': { isIn: says(FIGURES), needs: ['reports.read'] },
  'a checkpoint mailed to an owner': { isIn: says(CHECKPOINT), needs: ['audit.read'] },
  'an entry of the audit log': { isIn: says(ENTRY), needs: ['audit.read'] },
  'the poster of a card': { isIn: says(POSTER), needs: ['post.read'] },
  'the secret of a link': { isIn: (response) => /[#?&/](?:token|code)=[\w-]{16,}/.test(response), needs: [] },
  revenue: { isIn: (response) => /"revenue":"/.test(response), needs: ['reports.read'] },
}

const staff = {} as Record<StaffRole, Staff>
let counter: Staff
let routes: StaffRoute[]
/** Values of addresses, one set after the other. */
const places: Record<string, string | number>[] = []

beforeAll(async () => {
  for (const role of STAFF_ROLES) staff[role] = await shop.newStaff(role)
  counter = await shop.newStaff('manager')
  const document = (await shop.anonymous('GET', '/api/docs/openapi.json')).body as OpenApi
  routes = staffRoutesOf(document).filter(
    ({ method, pattern }) =>
      ((method as string) === 'GET' && !pattern.endsWith('/live')) || /\/(?:export|preview)$/.test(pattern),
  )

  const { ours, customer } = await shop.paidOrder(1)
  secrets['the address of a customer'] = {
    isIn: says(customer.email),
    needs: ['orders.read', 'customers.read', 'messages.read'],
  }
  await shop.anonymous('POST', '/api/user/forgot-password/', { email: customer.email })
  await shop.sendPasswordResets()
  const [reset] = await run(`SELECT id FROM emails WHERE user_id = $1 AND kind = 'password-reset'`, [
    customer.id,
  ])

  const question = { question: 'Combien ?', choices: ['un', 'deux'], correct_choice: 'deux' }
  const shown = await shop.newOffer({ slug: 'shown', ...question })
  const copied = async (state: string, title: string) => {
    const { body } = await staff.owner.post('/api/staff/offers/', { copy_of: shown })
    await run(
      `UPDATE offers SET state = $2, titles = jsonb_build_object('fr', $3::text, 'nl', $3::text, 'en', $3::text), opens_at = now() + interval '1 day',
         end_date = now() + interval '30 days', draw_at = now() + interval '60 days' WHERE id = $1`,
      [body['id'], state, title],
    )
    return body as { id: number; slug: string }
  }
  const draft = await copied('draft', DRAFT)
  const scheduled = await copied('scheduled', SCHEDULED)

  const card = await staff.postal.post('/api/staff/post/entries/', postcard(shown, { name: POSTER }))
  await run('INSERT INTO postal_counts (offer_id, cards, registered, counted_by) VALUES ($1, $2, $2, $3)', [
    shown,
    COUNTED,
    counter.id,
  ])
  const mail = async (kind: string, text: string) => {
    const [{ id }] = await run(
      `INSERT INTO emails (id, key, kind, recipient, user_id, language, subject, body_text, body_html, state, closed_at)
       VALUES (gen_random_uuid(), $1, $1, $2, $3, 'en', 'To staff', $4, $4, 'kept', now()) RETURNING id`,
      [kind, staff.owner.email, staff.owner.id, text],
    )
    return id as string
  }
  const mails = [await mail('report', FIGURES), await mail('audit-checkpoint', CHECKPOINT)]
  await transact(shop.db, (trx) =>
    audit(trx, {
      actor: { userId: counter.id, name: 'x', role: 'manager', sessionId: counter.sessionId, network: 'x' },
      action: 'offers.edit',
      subject: { kind: 'offer', id: shown },
      after: { title: ENTRY },
    }),
  )

  const order = { orders: ours.id, customers: customer.id, accounts: customer.id, entries: card.body['id'] }
  for (const id of [shown, draft.id, scheduled.id])
    places.push({ ...order, offers: id, draws: id, emails: reset.id })
  for (const emails of mails)
    places.push({
      ...order,
      customers: staff.owner.id,
      accounts: staff.owner.id,
      offers: draft.slug,
      emails,
    })
  for (const q of ['Xylophage', 'Zyzzy', customer.email, 'deux'])
    places.push({ ...order, q, offers: scheduled.slug })
  for (const state of ['draft', 'scheduled']) places.push({ ...order, state })
})

/** The secrets in what a call responds with, at every place. */
async function foundBy(by: Staff, one: StaffRoute): Promise<string[]> {
  const addresses = new Set(places.map((place) => addressOf(one, place)))
  const responses: string[] = []
  for (const url of addresses) {
    const response = await shop.app.inject({
      method: one.method,
      url,
      headers: { cookie: by.cookie, origin: shop.config.publicUrl, 'accept-language': 'en' },
      ...((one.method as string) !== 'GET' && { payload: {} }),
    })
    if (response.statusCode < 300) responses.push(response.body)
  }
  const all = responses.join('\n')
  return Object.keys(secrets).filter((name) => secrets[name]!.isIn(all))
}

test('no role reads in any call what it may not know', { timeout: 120_000 }, async () => {
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const role of STAFF_ROLES)
    for (const one of routes.filter(({ permission }) => permits(role, permission)))
      for (const name of await foundBy(staff[role], one)) {
        seen.add(name)
        if (!secrets[name]!.needs.some((permission) => permits(role, permission)))
          wrong.push(`${role} reads ${name}: ${one.route}`)
      }
  expect(wrong).toEqual([])
  // What nobody found was not looked for in the right place.
  const findable = Object.keys(secrets).filter((name) => secrets[name]!.needs.length > 0)
  expect([...seen].toSorted()).toEqual(findable.toSorted())
  const counts = routes.find(({ route }) => route === 'GET /api/staff/draws/:id/post-count')!
  expect(await foundBy(counter, counts)).toEqual(['the first count of cards'])
})
