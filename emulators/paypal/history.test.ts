import { expect, test } from 'vitest'
import { listen, openShop } from './emulator.test-support.ts'

const paid = {
  id: 'ORDER000000000001',
  reference: 'ours-1',
  invoice: 'AAAA-2222',
  description: 'Volant AAAA-2222',
  cents: 1210,
  at: '2026-11-10T18:00:00.500Z',
  payer: { email: 'ada@courriel.example', country: 'FR' },
  captures: [
    {
      id: 'CAPTURE0000000001',
      cents: 1210,
      at: '2026-11-10T18:01:00Z',
      refunds: [{ id: 'REFUND00000000001', cents: 210, at: '2026-11-11T09:00:00Z', note: 'Sorry' }],
    },
  ],
}
const left = {
  id: 'ORDER000000000002',
  reference: 'ours-2',
  invoice: 'BBBB-2222',
  description: 'Volant BBBB-2222',
  cents: 500,
  at: '2026-11-12T18:00:00Z',
}

test('past orders are read and refunded like others, added once, and told to nobody', async () => {
  const { shop, received } = await listen()
  const add = () => shop.post('/_emulator/history', { orders: [paid, left] })
  expect((await add()).body).toEqual({ added: 2 })
  expect((await add()).body).toEqual({ added: 0 })
  const { body } = await shop.get(`/v2/checkout/orders/${paid.id}`)
  expect(body).toMatchObject({ status: 'COMPLETED', payer: { address: { country_code: 'FR' } } })
  expect(body.purchase_units[0].payments).toMatchObject({
    captures: [{ status: 'PARTIALLY_REFUNDED', custom_id: 'ours-1', create_time: '2026-11-10T18:01:00Z' }],
    refunds: [{ amount: { value: '2.10' }, note_to_payer: 'Sorry' }],
  })
  expect((await shop.get(`/v2/checkout/orders/${left.id}`)).body.status).toBe('CREATED')
  expect(received).toEqual([])
  const rest = await shop.refund('CAPTURE0000000001', {}, 'rest')
  expect(rest.status).toBe(201)
  expect((await shop.get('/_emulator/book')).body.sums.EUR).toMatchObject({ captured: 1210, net: 0 })
})

test('a past payment can be pending until it is settled, and has no refunds then', async () => {
  const shop = await openShop()
  const [capture] = paid.captures.map((one) => ({ ...one, refunds: undefined, pending: true }))
  const send = (captures: object[]) => shop.post('/_emulator/history', { orders: [{ ...paid, captures }] })
  const refused = await send(paid.captures.map((one) => ({ ...one, pending: true })))
  expect(refused.body.details).toMatchObject([{ field: '/orders/0/captures/0/pending' }])
  expect((await send([capture!])).body).toEqual({ added: 1 })
  const statusOf = async () => (await shop.get(`/v2/payments/captures/${capture!.id}`)).body.status
  expect(await statusOf()).toBe('PENDING')
  expect((await shop.refund(capture!.id, {}, 'early')).status).toBe(422)
  await shop.post(`/_emulator/captures/${capture!.id}/release`)
  expect(await statusOf()).toBe('COMPLETED')
})

test('an id that stands for two things, or more money than was ordered, is refused', async () => {
  const shop = await openShop()
  const send = (orders: object[]) => shop.post('/_emulator/history', { orders })
  const faultsOf = async (orders: object[]): Promise<string[]> =>
    ((await send(orders)).body.details ?? []).map(({ field }: { field: string }) => field)
  const other = { ...paid, id: 'ORDER000000000003' }
  expect(await faultsOf([paid, paid])).toContain('/orders/1/id')
  expect(await faultsOf([paid, other])).toEqual([
    '/orders/1/captures/0/id',
    '/orders/1/captures/0/refunds/0/id',
  ])
  expect(await faultsOf([{ ...left, payer: paid.payer, captures: paid.captures }])).toEqual([
    '/orders/0/captures',
  ])
  expect((await shop.get('/_emulator/health')).body.orders).toBe(0)
  expect((await send([paid])).body).toEqual({ added: 1 })
  expect(await faultsOf([paid, other])).toEqual([
    '/orders/1/captures/0/id',
    '/orders/1/captures/0/refunds/0/id',
  ])
  expect((await shop.get(`/v2/checkout/orders/${paid.id}`)).body.status).toBe('COMPLETED')
  expect((await shop.get('/_emulator/health')).body.orders).toBe(1)
})

test('a past order that cannot be is refused with every fault, and none is added', async () => {
  const shop = await openShop()
  const capture = paid.captures[0]
  const wrong = {
    ...paid,
    id: 'short',
    cents: 0.5,
    at: 'yesterday',
    payer: { email: 'nobody', country: 'fr' },
    captures: [{ ...capture, refunds: [{ id: 'REFUND00000000001', cents: 9999, at: '2026-11-11' }] }],
  }
  const response = await shop.post('/_emulator/history', { orders: [left, wrong] })
  expect(response.status).toBe(400)
  expect(response.body.details.map(({ field }: { field: string }) => field)).toEqual([
    '/orders/1/id',
    '/orders/1/cents',
    '/orders/1/at',
    '/orders/1/payer/email',
    '/orders/1/payer/country',
    '/orders/1/captures/0/refunds',
  ])
  expect((await shop.post('/_emulator/history', {})).status).toBe(400)
  expect((await shop.get('/_emulator/health')).body.orders).toBe(0)
})
