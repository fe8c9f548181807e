import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { statuses } from '../../../../test/support/races.ts'
import { openShop, testShop } from '../../../../test/support/shop.ts'
import { OWN_SERVICE, SEND_PATH } from '../contact.contract.ts'

const MESSAGE = { user_name: 'Jo Peeters', user_email: 'jo@example.test', message: 'Is the car\nreally red?' }

const env = {
  CONTACT_EMAIL: 'desk@volant.test',
  CONTACT_BLOCKED: 'Bad@example.test, @spam.test',
  TRUST_PROXY: 'true',
}
const shop = await openShop({ env })

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

async function post(body: unknown, from = newNetwork(), { app } = shop) {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from, 'accept-language': 'nl' }
  const answer = await app.inject({ method: 'POST', url: SEND_PATH, headers, payload: body as object })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

const send = (change: object = {}, language?: Language, from?: string) =>
  post(callOf({ ...MESSAGE, ...change }, language), from)

const emailsOf = (email: string) =>
  shop.db.selectFrom('emails').selectAll().where('reply_to', '=', email).orderBy('queued_at').execute()

test.each(LANGUAGES)('a message is queued as an email that replies to its sender (%s)', async (language) => {
  const user_email = `jo.${language}@example.test`
  const answer = await send({ user_email }, language)
  expect(answer).toMatchObject({ status: 200, text: 'OK' })
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  const emails = await emailsOf(user_email)
  expect(emails).toMatchObject([{ kind: 'contact', recipient: 'desk@volant.test', language }])
  expect(emails[0]?.subject).toContain('Jo Peeters')
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
    const answer = await send({ user_email }, 'en')
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('desk@volant.test')
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
    const answers = await Promise.all(flood)
    expect(statuses(answers)).toEqual([...Array(10).fill(200), ...Array(3).fill(429)])
    const refused = answers.find(({ status }) => status === 429)
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
  await other.close()
})
