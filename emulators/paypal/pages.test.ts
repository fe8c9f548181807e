import { get } from 'node:http'
import { Script } from 'node:vm'
import { afterAll, describe, expect, test } from 'vitest'
import { captureOf, issueOf, openShop, orderBody } from './emulator.test-support.ts'

const shop = await openShop({}, afterAll)

const page = (path: string, language = 'fr') =>
  fetch(`${shop.emulator.url}${path}`, { headers: { 'accept-language': language }, redirect: 'manual' })

describe('the approval page without JavaScript', () => {
  test('shows merchant, items, total and order number, in three languages', async () => {
    const { body } = await shop.create(orderBody({}, { application_context: { brand_name: 'Volant <b>' } }))
    for (const [language, pay] of Object.entries({ fr: 'Payer 12,10', nl: '12,10', en: 'Pay €12.10' })) {
      const reply = await page(`/checkoutnow?token=${body.id}`, language)
      const text = (await reply.text()).replaceAll(/[\u00a0\u202f]/g, ' ')
      expect(text).toContain(`<html lang="${language}">`)
      for (const part of [pay, 'Volant &lt;b&gt;', 'Ticket', body.id, 'TEST']) expect(text).toContain(part)
      expect(text).not.toMatch(/<script|type="password"|onclick/)
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  test('?locale decides its language, then the order, then the browser', async () => {
    const { body } = await shop.create()
    const shown = async (query: string) => (await page(`/checkoutnow?token=${body.id}${query}`, 'en')).text()
    expect(await shown('')).toContain('lang="fr"')
    expect(await shown('&locale=nl_BE')).toContain('lang="nl"')
  })

  test('approving leads back to the shop with token and payer, its own query kept', async () => {
    const { body } = await shop.create()
    const reply = await shop.submit({ token: body.id, action: 'approve', buyer: 'buyer@buyer.test' })
    expect(reply.status).toBe(303)
    const back = `^http://shop.test/back\\?from=paypal&token=${body.id}&PayerID=[A-Z2-9]{13}$`
    expect(reply.headers.get('location')).toMatch(new RegExp(back))
    expect((await shop.capture(body.id)).status).toBe(201)
    expect((await shop.submit({ token: body.id, action: 'approve' })).status).toBe(200)
  })

  test('cancelling leads back to the cart and changes nothing', async () => {
    const { body } = await shop.create()
    const reply = await shop.submit({ token: body.id, action: 'cancel' })
    expect(reply.headers.get('location')).toBe(`http://shop.test/cart?canceled=true&token=${body.id}`)
    expect((await shop.get(`/v2/checkout/orders/${body.id}`)).body.status).toBe('CREATED')
  })

  test('declining makes the capture fail, and the page then asks for another instrument', async () => {
    const { body } = await shop.create()
    await shop.submit({ token: body.id, action: 'decline', buyer: 'buyer@buyer.test' })
    expect(issueOf(await shop.capture(body.id))).toBe('INSTRUMENT_DECLINED')
    expect(await (await page(`/checkoutnow?token=${body.id}`)).text()).toContain('role="alert"')
    await shop.submit({ token: body.id, action: 'approve', buyer: 'buyer@buyer.test', instrument: 'other' })
    expect((await shop.capture(body.id)).status).toBe(201)
  })

  test('a typed address counts before a picked one; a wrong one is refused on the page', async () => {
    const { body } = await shop.create()
    const approve = (buyer_other: string) =>
      shop.submit({ token: body.id, action: 'approve', buyer: 'buyer@buyer.test', buyer_other })
    const wrong = await approve('"><script>')
    expect(wrong.status).toBe(400)
    const text = await wrong.text()
    expect(text).toContain('id="buyer-fault"')
    expect(text).not.toContain('<script>')
    await approve('Jan.Peeters@x.test')
    const name = { given_name: 'Jan', surname: 'Peeters' }
    const payer = { email_address: 'jan.peeters@x.test', name }
    expect((await shop.capture(body.id)).body.payer).toMatchObject(payer)
  })

  test('the country of the account is chosen there, and kept for the next time', async () => {
    const { body } = await shop.create()
    await shop.submit({ token: body.id, action: 'decline', buyer: 'buyer@buyer.test', country: 'NL' })
    const text = await (await page(`/checkoutnow?token=${body.id}`)).text()
    expect(text).toMatch(/<option value="NL" selected>/)
    await shop.submit({ token: body.id, action: 'approve', buyer: 'buyer@buyer.test', country: 'none' })
    expect((await shop.capture(body.id)).body.payer.address).toBeUndefined()
  })

  test('an unknown order is 404, a void one 410', async () => {
    expect((await page('/checkoutnow?token=NONE')).status).toBe(404)
    expect((await shop.submit({ token: 'NONE', action: 'approve' })).status).toBe(404)
    const { body } = await shop.create()
    await shop.post(`/_emulator/orders/${body.id}/void`)
    expect((await page(`/checkoutnow?token=${body.id}`)).status).toBe(410)
    expect(issueOf(await shop.capture(body.id))).toBe('ORDER_COMPLETED_OR_VOIDED')
  })

  test('in a popup the response is a message to the origin that opened it, nothing else', async () => {
    const { body } = await shop.create()
    const opener = { flow: 'popup', origin: 'http://shop.test:3000/path"x' }
    const reply = await shop.submit({ token: body.id, action: 'approve', ...opener })
    const text = await reply.text()
    expect(reply.status).toBe(200)
    expect(text).toContain('data-origin="http://shop.test:3000"')
    expect(text).toContain('data-outcome="approved"')
  })
})

describe('the emulator’s own page', () => {
  test('shows orders and lets a person release, refund and set faults', async () => {
    const id = await shop.approved('pending@buyer.test')
    const captureId = captureOf(await shop.capture(id)).id
    expect(await (await page('/')).text()).toContain(captureId)
    const press = (fields: Record<string, string>) => shop.submit(fields, '/')
    expect((await press({ action: 'release', id: captureId })).status).toBe(303)
    expect((await press({ action: 'refund', id: captureId })).status).toBe(303)
    expect((await shop.get(`/v2/payments/captures/${captureId}`)).body.status).toBe('REFUNDED')
    expect((await press({ action: 'refund', id: captureId })).status).toBe(422)
    expect((await press({ action: 'nonsense' })).status).toBe(400)
  })

  test('a page of another site cannot press its buttons', async () => {
    const reply = await fetch(`${shop.emulator.url}/`, {
      method: 'POST',
      body: new URLSearchParams({ action: 'reset' }),
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(reply.status).toBe(403)
    expect(shop.emulator.book.orders.size).toBeGreaterThan(0)
  })
})

test('its page and calls respond with the token only, on this machine, too', async () => {
  const own = await openShop({ controlToken: 'a-token-of-the-tests' })
  const ask = (path: string, headers: Record<string, string> = { 'x-forwarded-for': '192.0.2.7' }) =>
    fetch(own.emulator.url + path, { headers, redirect: 'manual' })
  const refused = await ask('/')
  expect(refused.status).toBe(403)
  expect(await refused.text()).toMatch(/^The controls of the PayPal emulator only answer with the token/)
  for (const path of ['/_emulator/book', '/_emulator/faults', '/?token=wrong'])
    expect([path, (await ask(path)).status]).toEqual([path, 403])
  // A host that resolves to this machine, as another site's page may name it.
  const named = await new Promise((resolve) => {
    get(own.emulator.url, { headers: { host: 'evil.example' } }, (reply) =>
      resolve(reply.resume().statusCode),
    )
  })
  expect(named).toBe(403)
  const printed = await ask('/?token=a-token-of-the-tests')
  expect([printed.status, printed.headers.get('location')]).toEqual([303, '/'])
  const cookie = printed.headers.get('set-cookie')!.split(';')[0]!
  expect((await ask('/', { 'x-forwarded-for': '192.0.2.7', cookie })).status).toBe(200)
  for (const path of ['/_emulator/health', '/sdk/js?client-id=test', '/checkoutnow?token=NONE'])
    expect([path, (await ask(path)).status]).not.toEqual([path, 403])
  const headersHere: Record<string, string>[] = [{}, { 'sec-fetch-site': 'none' }, { host: '127.0.0.1:3001' }]
  for (const headers of headersHere) expect((await ask('/', headers)).status).toBe(403)
})

test('without a token its page responds on this machine, and not behind a proxy', async () => {
  const status = async (headers: Record<string, string>) =>
    (await fetch(shop.emulator.url, { headers })).status
  expect(await status({})).toBe(200)
  for (const name of [
    'via',
    'x-forwarded-proto',
    'x-real-ip',
    'cf-connecting-ip',
    'x-client-ip',
    'forwarded',
  ])
    expect([name, await status({ [name]: '192.0.2.7' })]).toEqual([name, 403])
})

describe('the browser script', () => {
  const script = (query: string) => fetch(`${shop.emulator.url}/sdk/js?${query}`)

  test('is one script without imports, with the requested ways to pay and language', async () => {
    const wanted = 'currency=EUR&components=buttons&enable-funding=venmo,bancontact&locale=nl_BE'
    const reply = await script(`client-id=test&${wanted}`)
    const text = await reply.text()
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toContain('application/javascript')
    expect(() => new Script(text)).not.toThrow()
    expect(text).toContain('"funding":["paypal","venmo","bancontact"]')
    expect(text).toContain('Betaal met {brand}')
  })

  test.each([
    ['an unknown client', 'client-id=nobody'],
    ['no client', 'currency=EUR'],
    ['an unknown currency', 'client-id=test&currency=XYZ'],
    ['an unknown way to pay', 'client-id=test&enable-funding=cash'],
    ['a script in the language', 'client-id=test&locale=</script>'],
  ])('refuses %s', async (_name, query) => {
    const reply = await script(query)
    expect(reply.status).toBe(400)
    expect(await reply.text()).toMatch(/^throw new Error\("SDK Validation error/)
  })
})
