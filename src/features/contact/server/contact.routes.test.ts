import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { openShop, testShop } from '../../../../test/support/shop.ts'
import { OWN_SERVICE, SEND_PATH } from '../contact.contract.ts'

const MESSAGE = { user_name: 'Jo Peeters', user_email: 'jo@example.test', message: 'Is the car\nreally red?' }

const shop = await openShop({
  env: {
    CONTACT_EMAIL: 'desk@volant.test',
    CONTACT_BLOCKED: 'Bad@example.test, @spam.test',
    TRUST_PROXY: 'true',
  },
})

let networks = 0
/** An address that no other test sends from. */
const newNetwork = (): string => `198.51.100.${(networks += 1)}`

const callOf = (parameters: unknown, language: Language = 'en') => ({
  lib_version: '4.4.1',
  user_id: OWN_SERVICE.publicKey,
  service_id: OWN_SERVICE.serviceId,
  template_id: OWN_SERVICE.templates[language],
  template_params: parameters,
})

async function post(body: unknown, from = newNetwork()) {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from, 'accept-language': 'nl' }
  const answer = await shop.app.inject({ method: 'POST', url: SEND_PATH, headers, payload: body as object })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

const send = (change: object = {}, language?: Language, from?: string) =>
  post(callOf({ ...MESSAGE, ...change }, language), from)

const emailsOf = (email: string) =>
  shop.db.selectFrom('emails').selectAll().where('reply_to', '=', email).orderBy('queued_at').execute()

describe('a message', () => {
  test.each(LANGUAGES)('is queued as a mail to the shop, which answers its sender (%s)', async (language) => {
    const user_email = `jo.${language}@example.test`
    const answer = await send({ user_email }, language)
    expect(answer).toMatchObject({ status: 200, text: 'OK' })
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    const [mail, ...more] = await emailsOf(user_email)
    expect(more).toEqual([])
    expect(mail).toMatchObject({ kind: 'contact', recipient: 'desk@volant.test', language })
    expect(mail?.subject).toContain('Jo Peeters')
    for (const part of [user_email, '> Is the car\n> really red?']) expect(mail?.body_text).toContain(part)
  })

  test('stays text in a mail, whatever is typed', async () => {
    const user_email = 'html@example.test'
    await send({ user_email, user_name: '<b>Jo</b>', message: '<script>alert(1)</script> & more' })
    const [mail] = await emailsOf(user_email)
    expect(mail?.body_html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; more')
    expect(mail?.body_html).not.toContain('<b>Jo')
  })
})

describe('is refused and queues nothing:', () => {
  test.each([
    [{ user_name: ' J ' }, 'The name must contain at least 2 characters'],
    [{ user_email: 'nobody' }, 'Please enter a valid email address'],
    [{ message: 'too short' }, 'The message must contain at least 10 characters'],
    [{ user_name: 'Jo\r\nBcc: x@example.test' }, 'This value is not valid.'],
    [{ message: 5 }, 'The message must contain at least 10 characters'],
  ])('%j, in the language of the form', async (change, text) => {
    const user_email = `refused${networks}@example.test`
    expect(await send({ user_email, ...change })).toMatchObject({ status: 400, text })
    expect(await emailsOf(user_email)).toEqual([])
  })

  test.each([
    [callOf(null)],
    [callOf('text')],
    [{ ...callOf(MESSAGE), user_id: 'another' }],
    [{ ...callOf(MESSAGE), template_id: 'contact-de' }],
    [[]],
  ])('a call that is not ours: %j', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, text: 'Het verzoek bevat ongeldige gegevens.' })
  })

  test.each(['bad@EXAMPLE.test', 'anybody@spam.test'])('a blocked sender, %s', async (user_email) => {
    const answer = await send({ user_email }, 'en')
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('desk@volant.test')
    expect(await emailsOf(user_email)).toEqual([])
  })
})

describe('too many messages', () => {
  test('of one network are refused, also when they come at once, and others still get through', async () => {
    const from = '2001:db8:7:7'
    const answers = await Promise.all(
      Array.from({ length: 13 }, (_, index) =>
        send({ user_email: `flood${index}@example.test` }, 'en', `${from}:${index}::1`),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(3).fill(429)])
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(3_000)
    expect(refused?.text).toContain('desk@volant.test')
    expect((await send()).status).toBe(200)
  })

  test('of one sender are refused, from wherever they come', async () => {
    const flood = await Promise.all(
      Array.from({ length: 12 }, () => send({ user_email: 'Everywhere@example.test' }, 'en')),
    )
    expect(flood.filter(({ status }) => status === 429)).toHaveLength(2)
    expect(await emailsOf('Everywhere@example.test')).toHaveLength(10)
  })

  test('of everybody together are refused', async () => {
    const few = await testShop({
      env: { LIMIT_STRICT: 'account 10/1h, address 200/1h, all 2/1h', TRUST_PROXY: 'true' },
    })
    const from = (address: string) =>
      few.anonymous('POST', SEND_PATH, callOf({ ...MESSAGE, user_email: `${newNetwork()}@example.test` }), {
        headers: { 'x-forwarded-for': address },
      })
    const statuses = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) statuses.push((await from(address)).status)
    expect(statuses).toEqual([200, 200, 429])
    await few.close()
  })

  test('an address that the sender made up itself is not believed', async () => {
    const from = newNetwork()
    const statuses = []
    for (let index = 0; index < 11; index += 1)
      statuses.push(
        (await send({ user_email: `made${index}@example.test` }, 'en', `203.0.113.${index}, ${from}`)).status,
      )
    expect(statuses).toEqual([...Array(10).fill(200), 429])
  })

  test('the ports that a proxy adds, and what is no address at all, make nobody many senders', async () => {
    const network = newNetwork()
    const kinds = {
      port: (index: number) => `${network}:${1000 + index}`,
      nonsense: (index: number) => `sender-${index}`,
    }
    for (const [kind, from] of Object.entries(kinds)) {
      const statuses = []
      for (let index = 0; index < 11; index += 1)
        statuses.push((await send({ user_email: `${kind}${index}@example.test` }, 'en', from(index))).status)
      expect(statuses, kind).toEqual([...Array(10).fill(200), 429])
    }
  })
})

test('with an e-mail service set up, the shop takes no messages itself', async () => {
  const keys = { EMAILJS_PUBLIC_KEY: 'k', EMAILJS_SERVICE_ID: 's', EMAILJS_TEMPLATE_ID: 't' }
  const other = await testShop({ env: keys })
  const answer = await other.anonymous('POST', SEND_PATH, callOf(MESSAGE))
  expect(answer.status).toBe(404)
  const settings = await other.anonymous('GET', '/api/settings/')
  expect(settings.body['emailService']).toEqual({
    origin: 'https://api.emailjs.com',
    publicKey: 'k',
    serviceId: 's',
    templateId: 't',
  })
  await other.close()
})
