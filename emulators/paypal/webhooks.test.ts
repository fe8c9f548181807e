import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verify, X509Certificate } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { startWithClient } from './emulator.test-support.ts'
import type { EmulatorOptions } from './settings.ts'

type Heard = { headers: IncomingHttpHeaders; body: string }
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A shop that notes what it is sent; `answer` says with which status. */
async function listen(options: EmulatorOptions = {}, answer: (count: number) => number = () => 200) {
  const heard: Heard[] = []
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      reply.writeHead(answer(heard.length)).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const shop = await startWithClient({ webhookUrl, webhookRetryMs: 10, ...options })
  closers.push(
    () => shop.close(),
    () => new Promise((resolve) => server.close(resolve)),
  )
  const types = () => heard.map(({ body }) => JSON.parse(body).event_type as string)
  return { shop, heard, types }
}

const header = (heard: Heard, name: string) => String(heard.headers[name])

/** A shop's own check, written apart from the emulator's: a table-driven CRC-32 and node's verify. */
function crc(text: string): number {
  let sum = 0xffffffff
  for (const byte of Buffer.from(text)) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}
function isGenuine(event: Heard, body: string, certificate: X509Certificate): boolean {
  const text = `${header(event, 'paypal-transmission-id')}|${header(event, 'paypal-transmission-time')}|WH-VOLANT-LOCAL|${crc(body)}`
  return verify(
    'sha256',
    Buffer.from(text),
    certificate.publicKey,
    Buffer.from(header(event, 'paypal-transmission-sig'), 'base64'),
  )
}

test('a purchase and its refund are told, with the shop’s own order id', async () => {
  const { shop, heard, types } = await listen()
  const id = await shop.approved()
  const taken = await shop.capture(id)
  await shop.refund(taken.body.purchase_units[0].payments.captures[0].id)
  await expect.poll(types).toHaveLength(3)
  expect(types().toSorted()).toEqual([
    'CHECKOUT.ORDER.APPROVED',
    'PAYMENT.CAPTURE.COMPLETED',
    'PAYMENT.CAPTURE.REFUNDED',
  ])
  const resources = heard
    .map(({ body }) => JSON.parse(body))
    .toSorted((a, b) => (a.event_type < b.event_type ? -1 : 1))
  const money = { resource: { custom_id: 'order-1', supplementary_data: { related_ids: { order_id: id } } } }
  expect(resources).toMatchObject([
    { resource: { id, purchase_units: [{ custom_id: 'order-1' }] } },
    money,
    money,
  ])
})

test('pending, denied and reversed are told', async () => {
  const { shop, types } = await listen()
  const pending = await shop.capture(await shop.approved('pending@buyer.test'))
  await shop.post(`/_emulator/captures/${pending.body.purchase_units[0].payments.captures[0].id}/deny`)
  const paid = await shop.capture(await shop.approved())
  await shop.post(`/_emulator/captures/${paid.body.purchase_units[0].payments.captures[0].id}/reverse`)
  await expect
    .poll(() =>
      types()
        .filter((type) => type.startsWith('PAYMENT'))
        .toSorted(),
    )
    .toEqual([
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.DENIED',
      'PAYMENT.CAPTURE.PENDING',
      'PAYMENT.CAPTURE.REVERSED',
    ])
})

test('an event is signed by the served certificate, and an altered one is not', async () => {
  const { shop, heard } = await listen()
  await shop.approved()
  await expect.poll(() => heard).toHaveLength(1)
  const event = heard[0]!
  expect(header(event, 'paypal-auth-algo')).toBe('SHA256withRSA')
  const certificate = new X509Certificate(await (await fetch(header(event, 'paypal-cert-url'))).text())
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkIssued(certificate)).toBe(true)
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now())
  expect(isGenuine(event, event.body, certificate)).toBe(true)
  expect(isGenuine(event, event.body.replace('APPROVED', 'APPROVEE'), certificate)).toBe(false)

  const ask = (change: object) =>
    shop.post('/v1/notifications/verify-webhook-signature', {
      auth_algo: header(event, 'paypal-auth-algo'),
      cert_url: header(event, 'paypal-cert-url'),
      transmission_id: header(event, 'paypal-transmission-id'),
      transmission_sig: header(event, 'paypal-transmission-sig'),
      transmission_time: header(event, 'paypal-transmission-time'),
      webhook_id: 'WH-VOLANT-LOCAL',
      webhook_event: JSON.parse(event.body),
      ...change,
    })
  expect((await ask({})).body).toEqual({ verification_status: 'SUCCESS' })
  const forged = [
    { webhook_event: { ...JSON.parse(event.body), event_type: 'PAYMENT.CAPTURE.COMPLETED' } },
    { webhook_id: 'WH-OTHER' },
    { cert_url: 'https://evil.test/cert' },
    { transmission_time: '2020-01-01T00:00:00Z' },
  ]
  for (const change of forged) expect((await ask(change)).body).toEqual({ verification_status: 'FAILURE' })
  expect((await ask({ transmission_id: undefined })).status).toBe(400)
})

test('an event is tried again until it is answered 2xx', async () => {
  const { shop, heard } = await listen({}, (count) => (count < 3 ? 500 : 204))
  await shop.approved()
  await expect.poll(() => heard).toHaveLength(3)
  await expect.poll(() => [...shop.emulator.book.events.values()][0]?.state).toBe('delivered')
  expect(new Set(heard.map(({ body }) => body)).size).toBe(1)
  expect([...shop.emulator.book.events.values()][0]?.attempts.map(({ status }) => status)).toEqual([
    500, 500, 204,
  ])
})

test('an event nobody takes is given up, and can be sent by hand', async () => {
  let open = false
  const { shop, heard } = await listen({ webhookTries: 3 }, () => (open ? 200 : 503))
  await shop.approved()
  await expect.poll(() => [...shop.emulator.book.events.values()][0]?.state).toBe('failed')
  expect(heard).toHaveLength(3)
  open = true
  const list = await shop.get('/v1/notifications/webhooks-events')
  expect((await shop.post(`/v1/notifications/webhooks-events/${list.body.events[0].id}/resend`)).status).toBe(
    202,
  )
  await expect.poll(() => [...shop.emulator.book.events.values()][0]?.state).toBe('delivered')
})

test('missing events never leave, duplicated ones leave twice', async () => {
  const missing = await listen({ faults: { missingWebhooks: 1 } })
  await missing.shop.approved()
  await missing.shop.emulator.webhooksIdle()
  expect(missing.heard).toHaveLength(0)
  expect([...missing.shop.emulator.book.events.values()][0]?.state).toBe('withheld')
  const double = await listen({ faults: { duplicateWebhooks: 1 } })
  await double.shop.approved()
  await expect.poll(() => double.heard).toHaveLength(2)
  expect(double.heard[0]?.body).toBe(double.heard[1]?.body)
})
