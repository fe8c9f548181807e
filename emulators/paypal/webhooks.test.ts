import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Received, captureOf, listen } from './emulator.test-support.ts'

const NAMES = ['auth-algo', 'cert-url', 'transmission-id', 'transmission-sig', 'transmission-time']
const header = ({ headers }: Received, name: string) => String(headers[`paypal-${name}`])

test('a purchase and its refund are notified with the shop’s own order id', async () => {
  const { shop, received, types } = await listen()
  const id = await shop.approved()
  await shop.refund(captureOf(await shop.capture(id)).id)
  await expect
    .poll(types)
    .toEqual(['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.COMPLETED', 'PAYMENT.CAPTURE.REFUNDED'])
  const money = { custom_id: 'order-1', supplementary_data: { related_ids: { order_id: id } } }
  const approval = { id, purchase_units: [{ custom_id: 'order-1' }] }
  for (const { event_type, resource } of received.map(({ body }) => JSON.parse(body)))
    expect(resource).toMatchObject(event_type === 'CHECKOUT.ORDER.APPROVED' ? approval : money)
})

test('pending, denied and reversed captures are notified', async () => {
  const { shop, types } = await listen()
  const pending = await shop.capture(await shop.approved('pending@buyer.test'))
  await shop.post(`/_emulator/captures/${captureOf(pending).id}/deny`)
  const paid = await shop.capture(await shop.approved())
  await shop.post(`/_emulator/captures/${captureOf(paid).id}/reverse`)
  const verdicts = ['COMPLETED', 'DENIED', 'PENDING', 'REVERSED'].map((one) => `PAYMENT.CAPTURE.${one}`)
  await expect.poll(() => types().filter((type) => type.startsWith('PAYMENT'))).toEqual(verdicts)
})

// That the shop takes the event for genuine: test/http/webhook-signature.test.ts.
test('an event names its certificate, and is verified on request; an altered one is not', async () => {
  const { shop, received } = await listen()
  await shop.approved()
  await expect.poll(() => received).toHaveLength(1)
  const event = received[0]!
  expect(header(event, 'auth-algo')).toBe('SHA256withRSA')
  const certificate = new X509Certificate(await (await fetch(header(event, 'cert-url'))).text())
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkIssued(certificate)).toBe(true)
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now())

  const ask = (change: object) =>
    shop.post('/v1/notifications/verify-webhook-signature', {
      ...Object.fromEntries(NAMES.map((name) => [name.replace('-', '_'), header(event, name)])),
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

test('an event is sent again until it gets 2xx', async () => {
  const { shop, received, firstEvent } = await listen({}, (count) => (count < 3 ? 500 : 204))
  await shop.approved()
  await expect.poll(() => firstEvent()?.state).toBe('delivered')
  expect(received).toHaveLength(3)
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  expect(firstEvent()?.attempts.map(({ status }) => status)).toEqual([500, 500, 204])
})

test('an event that is never accepted is given up, and can be sent by hand', async () => {
  let open = false
  const { shop, received, firstEvent } = await listen({ webhookTries: 3 }, () => (open ? 200 : 503))
  await shop.approved()
  await expect.poll(() => firstEvent()?.state).toBe('failed')
  expect(received).toHaveLength(3)
  open = true
  const { body } = await shop.get('/v1/notifications/webhooks-events')
  const resend = `/v1/notifications/webhooks-events/${body.events[0].id}/resend`
  expect((await shop.post(resend)).status).toBe(202)
  await expect.poll(() => firstEvent()?.state).toBe('delivered')
})

test('an event with the fault "missing" is never sent, one with "duplicate" twice', async () => {
  const missing = await listen({ faults: { missingWebhooks: 1 } })
  await missing.shop.approved()
  await missing.shop.emulator.webhooksIdle()
  expect(missing.received).toHaveLength(0)
  expect(missing.firstEvent()?.state).toBe('withheld')
  const double = await listen({ faults: { duplicateWebhooks: 1 } })
  await double.shop.approved()
  await expect.poll(() => double.received).toHaveLength(2)
  expect(double.received[0]?.body).toBe(double.received[1]?.body)
})
