import { expect, test } from 'vitest'
import { captureOf, eur, issueOf, openShop } from './emulator.test-support.ts'
import { createFaultInjector, readFaults } from './faults.ts'
import { readSettings } from './settings.ts'

test('the same seed injects the same faults', () => {
  const hits = () => {
    const injector = createFaultInjector({ http5xx: 0.2 }, 42)
    return Array.from({ length: 1000 }, () => injector.hits('http5xx'))
  }
  expect(hits()).toEqual(hits())
  const share = hits().filter(Boolean).length / 1000
  expect(share).toBeGreaterThan(0.15)
  expect(share).toBeLessThan(0.25)
  expect(readFaults({ seed: 7, pending: 0.5 })).toEqual({ faults: { pending: 0.5 }, seed: 7, wrong: [] })
})

test('a wrong rate and an unknown fault are both named, and nothing changes', async () => {
  const shop = await openShop()
  const response = await shop.post('/_emulator/faults', { http5xx: 2, nonsense: 1, pending: 1 })
  expect(response.status).toBe(400)
  expect(response.body.details).toMatchObject([{ field: '/http5xx' }, { field: '/nonsense' }])
  expect(shop.emulator.faults.current().pending).toBe(0)
})

test('a capture whose reply is dropped has taken the money; a 5xx has done nothing', async () => {
  const shop = await openShop()
  const id = await shop.approved()
  await shop.post('/_emulator/faults', { dropReplyAfterCommit: 1 })
  await expect(shop.capture(id, 'c')).rejects.toThrow('fetch failed')
  await shop.post('/_emulator/faults', { dropReplyAfterCommit: 0 })
  expect((await shop.get(`/v2/checkout/orders/${id}`)).body.status).toBe('COMPLETED')
  expect((await shop.capture(id, 'c')).status).toBe(200)
  await shop.post('/_emulator/faults', { http5xx: 1 })
  expect((await shop.create()).status).toBeGreaterThanOrEqual(500)
  expect(shop.emulator.book.orders.size).toBe(1)
})

test('captures are pending, declined and tampered by rate, and a pending one settles by itself', async () => {
  const shop = await openShop({ faults: { pending: 1, pendingSettleMs: 30, pendingDenied: 1 } })
  const { id, status } = captureOf(await shop.capture(await shop.approved()))
  expect(status).toBe('PENDING')
  await expect.poll(async () => (await shop.get(`/v2/payments/captures/${id}`)).body.status).toBe('DECLINED')
  await shop.post('/_emulator/faults', { pending: 0, declined: 1 })
  expect(issueOf(await shop.capture(await shop.approved()))).toBe('INSTRUMENT_DECLINED')
  await shop.post('/_emulator/faults', { declined: 0, tamperAmount: 1 })
  expect(captureOf(await shop.capture(await shop.approved())).amount.value).toBe('11.10')
})

test('the ledger sums to the cent, and a reset empties it', async () => {
  const shop = await openShop()
  for (let at = 0; at < 600; at += 1) await shop.emulator.approve((await shop.create()).body.id)
  for (const id of [...shop.emulator.book.orders.keys()].slice(0, 3)) await shop.capture(id)
  const [captureId = ''] = shop.emulator.book.captures.keys()
  await shop.refund(captureId, { amount: eur('0.10') })
  const { body } = await shop.get('/_emulator/book')
  expect([body.orders.length, body.captures.length]).toEqual([600, 3])
  expect(body.sums).toEqual({
    EUR: { ordered: 726_000, captured: 3630, pending: 0, refunded: 10, net: 3620 },
  })
  await shop.post('/_emulator/reset')
  const empty = { orders: [], captures: [], refunds: [], sums: {}, forgotten: 0 }
  expect((await shop.get('/_emulator/book')).body).toEqual(empty)
})

test('settings: every fault is named at once, and a flag wins over the environment', () => {
  const env = { PORT: 'x', PUBLIC_URL: 'shop', FAULTS: '{"http5xx":3}' }
  const text = readSettings(env, ['--nothing', '1']).wrong.join('\n')
  for (const name of ['PORT', 'PUBLIC_URL', 'FAULTS', '--nothing']) expect(text).toContain(name)

  const flags = ['--port=4100', '--webhook-url', 'http://127.0.0.1:3000/x']
  expect(readSettings({ PORT: '1', LANGUAGE: 'en_GB:en' }, flags)).toEqual({
    options: { port: 4100, webhookUrl: 'http://127.0.0.1:3000/x' },
    wrong: [],
  })
})
