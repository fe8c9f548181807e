import { expect, test } from 'vitest'
import { createFaultInjector, readFaults } from './faults.ts'
import { readSettings } from './settings.ts'
import { issueOf, startWithClient } from './emulator.test-support.ts'

test('the same seed strikes the same calls', () => {
  const strikes = () => {
    const injector = createFaultInjector({ http5xx: 0.2 }, 42)
    return Array.from({ length: 1000 }, () => injector.hits('http5xx'))
  }
  expect(strikes()).toEqual(strikes())
  const share = strikes().filter(Boolean).length / 1000
  expect(share).toBeGreaterThan(0.15)
  expect(share).toBeLessThan(0.25)
})

test('a wrong rate and an unknown fault are both named, and nothing changes', async () => {
  const shop = await startWithClient()
  const answer = await shop.post('/_emulator/faults', { http5xx: 2, nonsense: 1, pending: 1 })
  expect(answer.status).toBe(400)
  expect(answer.body.details.map(({ field }) => field)).toEqual(['/http5xx', '/nonsense'])
  expect(shop.emulator.faults.current().pending).toBe(0)
  await shop.close()
})

test('a dropped reply has still taken the money', async () => {
  const shop = await startWithClient()
  const id = await shop.approved()
  await shop.post('/_emulator/faults', { dropReplyAfterCommit: 1 })
  await expect(shop.capture(id, 'c')).rejects.toThrow('fetch failed')
  await shop.post('/_emulator/faults', { dropReplyAfterCommit: 0 })
  expect((await shop.get(`/v2/checkout/orders/${id}`)).body.status).toBe('COMPLETED')
  expect((await shop.capture(id, 'c')).status).toBe(200)
  await shop.close()
})

test('a 5xx by fault happens before anything else does', async () => {
  const shop = await startWithClient()
  await shop.post('/_emulator/faults', { http5xx: 1 })
  expect((await shop.create()).status).toBeGreaterThanOrEqual(500)
  expect(shop.emulator.book.orders.size).toBe(0)
  await shop.close()
})

test('pending, declined and tampered captures come by rate, and a pending one settles by itself', async () => {
  const shop = await startWithClient({ faults: { pending: 1, pendingSettleMs: 30, pendingDenied: 1 } })
  const pending = await shop.capture(await shop.approved())
  const { id, status } = pending.body.purchase_units[0].payments.captures[0]
  expect(status).toBe('PENDING')
  await expect.poll(async () => (await shop.get(`/v2/payments/captures/${id}`)).body.status).toBe('DECLINED')
  await shop.post('/_emulator/faults', { pending: 0, declined: 1 })
  expect(issueOf(await shop.capture(await shop.approved()))).toBe('INSTRUMENT_DECLINED')
  await shop.post('/_emulator/faults', { declined: 0, tamperAmount: 1 })
  const tampered = await shop.capture(await shop.approved())
  expect(tampered.body.purchase_units[0].payments.captures[0].amount.value).toBe('11.10')
  await shop.close()
})

test('the book sums to the cent, and a reset empties it', async () => {
  const shop = await startWithClient()
  for (let at = 0; at < 600; at += 1) await shop.emulator.approve((await shop.create()).body.id)
  const ids = [...shop.emulator.book.orders.keys()].slice(0, 3)
  for (const id of ids) await shop.capture(id)
  const captureId = [...shop.emulator.book.captures.keys()][0] ?? ''
  await shop.refund(captureId, { amount: { currency_code: 'EUR', value: '0.10' } })
  const book = await shop.get('/_emulator/book')
  expect(book.body.orders).toHaveLength(600)
  expect(book.body.captures).toHaveLength(3)
  expect(book.body.sums).toEqual({
    EUR: { ordered: 726_000, captured: 3630, pending: 0, refunded: 10, net: 3620 },
  })
  await shop.post('/_emulator/reset')
  expect((await shop.get('/_emulator/book')).body).toEqual({
    orders: [],
    captures: [],
    refunds: [],
    sums: {},
  })
  await shop.close()
})

test('every setting that cannot be used is named at once', () => {
  const { wrong } = readSettings({ PORT: 'x', PUBLIC_URL: 'shop', FAULTS: '{"http5xx":3}' }, [
    '--nothing',
    '1',
  ])
  const text = wrong.join('\n')
  for (const name of ['PORT', 'PUBLIC_URL', 'FAULTS', '--nothing']) expect(text).toContain(name)
})

test('a flag wins over the environment', () => {
  const { options, wrong } = readSettings({ PORT: '1', LANGUAGE: 'en_GB:en' }, [
    '--port=4100',
    '--webhook-url',
    'http://127.0.0.1:3000/x',
  ])
  expect(wrong).toEqual([])
  expect(options).toEqual({ port: 4100, webhookUrl: 'http://127.0.0.1:3000/x' })
})

test('readFaults takes a seed', () => {
  expect(readFaults({ seed: 7, pending: 0.5 })).toEqual({ faults: { pending: 0.5 }, seed: 7, wrong: [] })
})
