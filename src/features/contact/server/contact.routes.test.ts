import { describe, expect, test } from 'vitest'
import { watchForAlerts } from '#server/maintenance.ts'
import { asAddress } from '#shared/email-address.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { statuses } from '../../../../test/support/races.ts'
import { openShop, testShop } from '../../../../test/support/shop.ts'
import { OWN_SERVICE, SEND_PATH, templateOf } from '../contact.contract.ts'

const MESSAGE = { user_name: 'Jo Peeters', user_email: 'jo@example.test', message: 'Is the car\nreally red?' }

const env = {
  CONTACT_EMAIL: 'desk@volant.test',
  CONTACT_BLOCKED: 'Bad@example.test, @spam.test',
  TRUST_PROXY: 'true',
}
const shop = await openShop({ env })
const support = await shop.newStaff('support')

let networks = 0
/** An address that no other test sends from. */
const newNetwork = (): string => `198.51.100.${(networks += 1)}`

const callOf = (parameters: unknown, language: Language = 'en') => ({
  lib_version: '4.4.1',
  user_id: OWN_SERVICE.publicKey,
  service_id: OWN_SERVICE.serviceId,
  template_id: templateOf(language),
  template_params: parameters,
})

async function post(body: unknown, from = newNetwork(), { app } = shop) {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from, 'accept-language': 'nl' }
  const response = await app.inject({ method: 'POST', url: SEND_PATH, headers, payload: body as object })
  return { status: response.statusCode, text: response.body, headers: response.headers }
}

const send = (change: object = {}, language?: Language, from?: string) =>
  post(callOf({ ...MESSAGE, ...change }, language), from)

const messagesFrom = (email: string) =>
  shop.db.selectFrom('messages').selectAll().where('email', '=', email).orderBy('id').execute()

const emailsOf = (email: string) =>
  shop.db.selectFrom('emails').selectAll().where('reply_to', '=', email).orderBy('queued_at').execute()

test.each(LANGUAGES)('a message is queued as an email that replies to its sender (%s)', async (language) => {
  const user_email = `jo.${language}@example.test`
  const response = await send({ user_email }, language)
  expect(response).toMatchObject({ status: 200, text: 'OK' })
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
  const emails = await emailsOf(user_email)
  expect(emails).toMatchObject([{ kind: 'contact', recipient: 'desk@volant.test', language }])
  expect(emails[0]?.subject).toContain('Jo Peeters')
  const [message] = await messagesFrom(user_email)
  expect(message).toMatchObject({
    name: 'Jo Peeters',
    message: MESSAGE.message,
    language,
    state: 'open',
    user_id: null,
  })
  expect(emails[0]?.key).toBe(`contact:${message?.id}`)
  expect(message!.due_at.getTime() - message!.received_at.getTime()).toBeCloseTo(86_400_000, -3)
  for (const part of [user_email, '> Is the car\n> really red?']) expect(emails[0]?.body_text).toContain(part)
})

describe('a message is refused, and no email queued:', () => {
  test.each([
    [{ user_name: ' J ' }, 'The name must contain at least 2 characters'],
    [{ user_name: 'Jo\r\nBcc: x@example.test' }, 'This value is not valid.'],
    [{ message: 5 }, 'The message must contain at least 10 characters'],
  ])('%j, in the language of the form', async (change, text) => {
    const user_email = `refused${networks}@example.test`
    expect(await send({ user_email, ...change })).toMatchObject({ status: 400, text })
    expect(await emailsOf(user_email)).toEqual([])
    expect(await messagesFrom(asAddress(user_email))).toEqual([])
  })

  test.each([
    [callOf(null)],
    [callOf('text')],
    [{ ...callOf(MESSAGE), user_id: 'another' }],
    [{ ...callOf(MESSAGE), template_id: 'contact-de' }],
    [[]],
  ])('the call %j', async (body) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      text: 'Sommige gegevens kloppen niet. Controleer ze en probeer het opnieuw.',
    })
  })

  test.each(['bad@EXAMPLE.test', 'anybody@spam.test'])('the blocked sender %s', async (user_email) => {
    const response = await send({ user_email }, 'en')
    expect(response.status).toBe(403)
    expect(response.text).toContain('desk@volant.test')
    expect(await emailsOf(user_email)).toEqual([])
  })
})

describe('messages are limited', () => {
  test.each<[string, (index: number) => string | undefined, (index: number) => string]>([
    ['network, also at the same time', (index) => `2001:db8:7:7:${index}::1`, (index) => `flood${index}`],
    [
      'network as the proxy reports it, whatever address the sender adds',
      (index) => `203.0.113.${index}, 198.51.100.250`,
      (index) => `made${index}`,
    ],
    ['sender, over all networks', () => undefined, () => 'Everywhere'],
  ])('by %s, and not for others', async (_, from, nameOf) => {
    const flood = Array.from({ length: 13 }, (_, index) =>
      send({ user_email: `${nameOf(index)}@example.test` }, 'en', from(index)),
    )
    const responses = await Promise.all(flood)
    expect(statuses(responses)).toEqual([...Array(10).fill(200), ...Array(3).fill(429)])
    const refused = responses.find(({ status }) => status === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(3_000)
    expect(refused?.text).toContain('desk@volant.test')
    expect((await send()).status).toBe(200)
  })

  test('for all senders together', async () => {
    const limits = { LIMIT_STRICT: 'account 10/1h, address 200/1h, all 2/1h' }
    const few = await testShop({ env: { ...limits, TRUST_PROXY: 'true' } })
    const answers = []
    for (const name of ['a', 'b', 'c'])
      answers.push(await post(callOf({ ...MESSAGE, user_email: `${name}@example.test` }), undefined, few))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    await few.close()
  })
})

test('with an e-mail service set up, the shop takes no messages itself', async () => {
  const env = { EMAILJS_PUBLIC_KEY: 'k', EMAILJS_SERVICE_ID: 's', EMAILJS_TEMPLATE_ID: 't' }
  const other = await testShop({ env })
  expect((await other.anonymous('POST', SEND_PATH, callOf(MESSAGE))).status).toBe(404)
  const { body } = await other.anonymous('GET', '/api/settings/')
  const keys = { publicKey: 'k', serviceId: 's', templateId: 't' }
  expect(body['emailService']).toEqual({ origin: 'https://api.emailjs.com', ...keys })
  const staff = await other.newStaff('support')
  expect((await staff.get('/api/staff/messages/')).body).toMatchObject({ items: [], takes_messages: false })
  await other.close()
})

describe('the inbox', () => {
  type Listed = { id: string; email: string; state: string; customer_id: number | null }
  const list = async (query = '') => (await support.get(`/api/staff/messages/${query}`)).body
  const newMessage = async (user_email: string, change: object = {}, language: Language = 'nl') => {
    await send({ user_email, ...change }, language)
    const id = (await messagesFrom(asAddress(user_email))).at(-1)?.id ?? ''
    return { id, version: 1 }
  }
  const answer = (id: string, change: object = {}, staff = support) =>
    staff.post(`/api/staff/messages/${id}/answer/`, {
      version: 1,
      template: 'own',
      language: 'nl',
      subject: 'Je vraag',
      text: 'Ja, hij is echt rood.',
      ...change,
    })

  test('lists open messages by their time, then the others, page by page', async () => {
    const made = []
    for (const name of ['one', 'two', 'three', 'four']) made.push((await newMessage(`${name}@inbox.test`)).id)
    await answer(made[1]!)
    await support.post(`/api/staff/messages/${made[0]}/close/`, { version: 1, as: 'spam' })
    const all: Listed[] = []
    for (let after = ''; ;) {
      const { items, next } = await list(`?limit=3${after}`)
      all.push(...items)
      if (next === null) break
      after = `&after=${next}`
    }
    const ours = all.filter(({ email }) => email.endsWith('@inbox.test'))
    expect(ours.map(({ id }) => id)).toEqual([made[2], made[3], made[1], made[0]])
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const states = all.map(({ state }) => (state === 'open' ? 0 : 1))
    expect(states).toEqual(states.toSorted((one, other) => one - other))
    expect((await list('?state=answered'))['items'].map(({ id }: Listed) => id)).toEqual([made[1]])
    expect((await list('?state=open&limit=1'))['next']).toMatch(/^open:/)
    expect((await support.get('/api/staff/messages/?after=x')).status).toBe(400)
  })

  test('shows a message with its answers, and others from the same address; reading it is recorded', async () => {
    const before = await newMessage('again@example.test', { message: 'My first question.' })
    const { id } = await newMessage('AGAIN@example.test')
    const { body } = await support.get(`/api/staff/messages/${id}/`)
    expect(body).toMatchObject({
      state: 'open',
      version: 1,
      language: 'nl',
      answers: [],
      message: MESSAGE.message,
    })
    expect(body['others']).toMatchObject([{ id: before.id, beginning: 'My first question.' }])
    const read = await shop.db
      .selectFrom('audit_log')
      .select(['action', 'subject', 'entry'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(read).toMatchObject({ action: 'messages.read', subject: id })
    expect(read.entry).not.toContain('example.test')
    expect((await support.get(`/api/staff/messages/${crypto.randomUUID()}/`)).status).toBe(404)
    expect((await support.get('/api/staff/messages/7/')).status).toBe(400)
  })

  test('knows the account of a confirmed address, and of no other', async () => {
    const customer = await shop.newCustomer()
    const { id } = await newMessage(customer.email.toUpperCase())
    expect((await support.get(`/api/staff/messages/${id}/`)).body['customer_id']).toBe(customer.id)
    await shop.db
      .updateTable('users')
      .set({ email_confirmed_at: null })
      .where('id', '=', customer.id)
      .execute()
    const other = await newMessage(customer.email)
    expect((await support.get(`/api/staff/messages/${other.id}/`)).body['customer_id']).toBeNull()
  })

  test('gives messages and their answers to the account that confirms the address', async () => {
    const account = { username: 'writer', email: 'writer@example.test', password: 'correct horse battery' }
    await shop.anonymous('POST', '/api/user/register/', { ...account, phone_number: '+33612345678' })
    const token = await shop.emailLinkTo(account.email)
    const answered = await newMessage(account.email.toUpperCase())
    const open = await newMessage(account.email)
    const strangers = await newMessage('stranger@example.test')
    expect((await answer(answered.id)).status).toBe(200)
    expect((await shop.anonymous('POST', '/api/user/email-link/', { token })).status).toBe(200)
    const ownerOf = async ({ id }: { id: string }) =>
      (await support.get(`/api/staff/messages/${id}/`)).body['customer_id']
    const owned = await shop.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', account.email)
      .executeTakeFirstOrThrow()
    expect([await ownerOf(answered), await ownerOf(open), await ownerOf(strangers)]).toEqual([
      owned.id,
      owned.id,
      null,
    ])
    const { body } = await support.get(`/api/staff/customers/${owned.id}/emails/`)
    expect(body['items']).toMatchObject([{ kind: 'message-answer' }, { kind: 'welcome' }])
  })

  test('offers templates in the customer’s language, with what the shop knows filled in', async () => {
    const { id } = await newMessage('templates@example.test')
    const { body } = await support.get(`/api/staff/messages/${id}/templates/?language=fr`)
    const templates = body as unknown as { template: string; label: string; subject: string; text: string }[]
    expect(templates).toHaveLength(7)
    for (const { text, label } of templates) {
      expect(text).toMatch(/^Bonjour Jo Peeters,\n\n/)
      expect(text).toMatch(/\n\nL’équipe de Volant$/)
      expect(label).not.toMatch(/[éèà]/)
      expect(text).not.toMatch(/\{|\}/)
    }
    const complaint = templates.find(({ template }) => template === 'complaint')
    expect(complaint?.subject).toContain(id.slice(-8).toUpperCase())
    expect(templates.find(({ template }) => template === 'freeEntry')?.text).toContain(
      shop.config.postalAddress,
    )
  })

  test('sends an answer as an email with the question, to which the shop gets the reply', async () => {
    const { id } = await newMessage('asks@example.test')
    const { status, body } = await answer(id)
    expect([status, body['state'], body['version'], body['handled_by']]).toEqual([
      200,
      'answered',
      2,
      support.name,
    ])
    expect(body['answers']).toMatchObject([
      { text: 'Ja, hij is echt rood.', by: support.name, state: 'queued' },
    ])
    const [email] = await shop.db
      .selectFrom('emails')
      .selectAll()
      .where('recipient', '=', 'asks@example.test')
      .execute()
    expect(email).toMatchObject({
      kind: 'message-answer',
      reply_to: 'desk@volant.test',
      language: 'nl',
      user_id: null,
    })
    expect(email?.body_text).toMatch(/hij is echt rood\.[^]*> Is the car\n> really red\?/)
    const again = await answer(id, { version: 2, text: 'En hij is snel ook.' })
    expect(again.body['answers']).toHaveLength(2)
  })

  test('lets one of several people answer, and shows the others what happened', async () => {
    const { id } = await newMessage('race@example.test')
    const other = await shop.newStaff('manager')
    const responses = await Promise.all([
      answer(id),
      answer(id, {}, other),
      answer(id),
      answer(id, {}, other),
    ])
    expect(statuses(responses)).toEqual([200, 409, 409, 409])
    const refused = responses.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({
      code: 'messages.changed',
      message: { state: 'answered', version: 2 },
    })
    expect(refused?.body['message'].answers).toHaveLength(1)
    const sent = await shop.db
      .selectFrom('emails')
      .select('id')
      .where('recipient', '=', 'race@example.test')
      .execute()
    expect(sent).toHaveLength(1)
  })

  test.each([
    [{ text: 'Kort' }, 'text'],
    [{ text: 'Op [[datum]] komt alles goed.' }, 'text'],
    [{ subject: '' }, 'subject'],
    [{ template: 'poem' }, 'template'],
    [{ language: 'de' }, 'language'],
    [{ version: 'x' }, 'version'],
  ])('refuses an answer with %j, and sends nothing', async (change, field) => {
    const { id } = await newMessage(`bad${networks}@example.test`)
    const refused = await answer(id, change)
    expect([refused.status, Object.keys(refused.body['fields'])]).toEqual([400, [field]])
    expect((await support.get(`/api/staff/messages/${id}/`)).body['state']).toBe('open')
  })

  test('closes a message without an answer, and opens it again', async () => {
    const { id } = await newMessage('close@example.test')
    const call = (what: string, body: object) => support.post(`/api/staff/messages/${id}/${what}/`, body)
    expect((await call('close', { version: 1, as: 'mood' })).status).toBe(400)
    expect((await call('reopen', { version: 1 })).status).toBe(409)
    const closed = await call('close', { version: 1, as: 'answered_elsewhere' })
    expect(closed.body).toMatchObject({
      state: 'closed',
      closed_as: 'answered_elsewhere',
      handled_by: support.name,
    })
    expect((await call('close', { version: 2, as: 'spam' })).status).toBe(409)
    const open = await call('reopen', { version: 2 })
    expect(open.body).toMatchObject({ state: 'open', closed_as: null, handled_by: null, version: 3 })
    const log = await shop.db
      .selectFrom('audit_log')
      .select('action')
      .where('subject', '=', id)
      .orderBy('id')
      .execute()
    expect(log.map(({ action }) => action)).toEqual(['messages.close', 'messages.reopen'])
  })

  test('raises one alert while messages are late, until they are answered', async () => {
    const open = () =>
      shop.db
        .selectFrom('alerts')
        .select('details')
        .where('kind', '=', 'messageLate')
        .where('resolved_at', 'is', null)
        .execute()
    const late = [await newMessage('late1@example.test'), await newMessage('late2@example.test')]
    await watchForAlerts(shop.db, shop.checkout.alerts)
    expect(await open()).toEqual([])
    const ids = late.map(({ id }) => id)
    await shop.db
      .updateTable('messages')
      .set({ due_at: new Date(Date.now() - 1_000) })
      .where('id', 'in', ids)
      .execute()
    await watchForAlerts(shop.db, shop.checkout.alerts)
    expect(await open()).toMatchObject([{ details: { messages: 2 } }])
    expect(await list()).toMatchObject({ late: 2 })
    for (const id of ids) await answer(id)
    await watchForAlerts(shop.db, shop.checkout.alerts)
    expect(await open()).toEqual([])
  })

  test('is for the roles that answer', async () => {
    const { id } = await newMessage('roles@example.test')
    const accountant = await shop.newStaff('accountant')
    expect((await accountant.get('/api/staff/messages/')).status).toBe(403)
    expect((await answer(id, {}, accountant)).status).toBe(403)
    expect((await shop.anonymous('GET', `/api/staff/messages/${id}/`)).status).toBe(401)
  })
})
