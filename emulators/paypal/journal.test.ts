import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { captureOf, createClient, eur, listen, openShop, orderBody } from './emulator.test-support.ts'

let stateFile = ''
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paypal-emulator-'))
  stateFile = join(folder, 'deep', 'book.ndjson')
  return () => rm(folder, { recursive: true })
})

const program = new URL('main.ts', import.meta.url).pathname

/** The program itself, as `npm start` runs it. */
async function run(): Promise<{ child: ChildProcess; url: string; ended: Promise<unknown[]> }> {
  const child = spawn(process.execPath, [program, '--port', '0', '--state-file', stateFile], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const address = () => /^listening on (http\S+)$/m.exec(output)?.[1]
  await expect.poll(address, { timeout: 20_000 }).toBeDefined()
  return { child, url: address() ?? '', ended: once(child, 'exit') }
}

test('what a response told survives kill -9, also a token, a request id and the certificate', async () => {
  const first = await run()
  const shop = await createClient(first.url)
  const id = await shop.approved('pending@buyer.test', orderBody({ invoice_id: 'i-1' }))
  const captureId = captureOf(await shop.capture(id, 'cap-1')).id
  await shop.post(`/_emulator/captures/${captureId}/release`)
  const refund = await shop.refund(captureId, { amount: eur('2.10') }, 'ref-1')
  const before = (await shop.get('/_emulator/book')).body
  first.child.kill('SIGKILL')
  await first.ended

  const second = await run()
  const again = await createClient(second.url)
  expect((await again.get('/_emulator/book')).body).toEqual(before)
  expect(before.sums.EUR).toMatchObject({ captured: 1210, refunded: 210, net: 1000 })
  expect((await again.capture(id, 'cap-1')).status).toBe(200)
  const same = await again.refund(captureId, { amount: eur('2.10') }, 'ref-1')
  expect(same).toMatchObject({ status: 200, body: { id: refund.body.id } })
  const oldToken = { authorization: `Bearer ${shop.token}` }
  const read = await again.call('GET', `/v2/payments/captures/${captureId}`, undefined, oldToken)
  expect(read.status).toBe(200)
  second.child.kill('SIGTERM')
  expect(await second.ended).toEqual([0, null])
})

/** A journal of one order, changed by `damage`; then an emulator that adds another order. */
async function reopened(damage: (whole: string) => Promise<void>) {
  const first = await openShop({ stateFile })
  await first.create()
  await first.close()
  const whole = await readFile(stateFile, 'utf8')
  await damage(whole)
  const second = await openShop({ stateFile })
  await second.create()
  await second.close()
  const { emulator } = await openShop({ stateFile })
  return { whole, orders: emulator.book.orders.size }
}

test('an incomplete last line is dropped, and the journal goes on after it', async () => {
  const { whole, orders } = await reopened(() => appendFile(stateFile, '["order","TORN",{"id":"TO'))
  expect(orders).toBe(2)
  const after = await readFile(stateFile, 'utf8')
  expect(after.startsWith(whole)).toBe(true)
  expect(after).not.toContain('TORN')
})

test('a last line without its newline still counts', async () => {
  const { orders } = await reopened((whole) => writeFile(stateFile, whole.trimEnd()))
  expect(orders).toBe(2)
})

test('a damaged line in the middle stops the start and names the line', async () => {
  const damaged = reopened(() => appendFile(stateFile, 'garbage\n["order","X",{}]\n'))
  await expect(damaged).rejects.toThrow(/line 3 is damaged/)
})

test('memory and journal stay flat: the oldest orders are forgotten, with what belongs to them', async () => {
  const shop = await openShop({ stateFile, keepOrders: 100 })
  const { book } = shop.emulator
  const pay = async (buyer: string, at: number): Promise<string> => {
    const id = await shop.approved(buyer, orderBody({ invoice_id: `i-${at}` }))
    await shop.capture(id, `cap-${at}`)
    return id
  }
  const pending = await pay('pending@buyer.test', -1)
  const open = await shop.approved()
  const refunded = captureOf(await shop.capture(await shop.approved())).id
  await shop.refund(refunded)
  for (let at = 0; at < 300; at += 1) {
    if (at % 3 > 0) await shop.create()
    else await pay('buyer@buyer.test', at)
  }
  expect(book.orders.size).toBeLessThanOrEqual(110)
  expect(book.captures.size).toBeLessThan(50)
  expect([...book.captures.values()].every(({ orderId }) => book.orders.has(orderId))).toBe(true)
  expect([book.orders.has(pending), book.orders.has(open), book.refunds.size]).toEqual([true, true, 0])
  const { body } = await shop.get('/_emulator/book')
  expect(body.orders.length + body.forgotten).toBe(303)
  // A number that a forgotten order had used is free again.
  const sameNumber = await shop.approved('buyer@buyer.test', orderBody({ invoice_id: 'i-0' }))
  expect((await shop.capture(sameNumber)).status).toBe(201)
  await shop.close()

  const before = (await readFile(stateFile, 'utf8')).length
  const again = await openShop({ stateFile, keepOrders: 100 })
  expect((await again.get('/_emulator/book')).body.forgotten).toBe(body.forgotten)
  expect((await again.get(`/v2/checkout/orders/${pending}`)).body.status).toBe('COMPLETED')
  await again.close()
  expect((await readFile(stateFile, 'utf8')).length).toBeLessThan(before / 2)
})

test('of the events the last ones stay, and request ids as long as their order', async () => {
  const shop = await openShop({ keepOrders: 10 })
  const { book } = shop.emulator
  const first = await shop.approved()
  for (let at = 0; at < 6_000; at += 1) await shop.emulator.approve(first)
  expect(book.events.size).toBeLessThanOrEqual(5_500)
  await Promise.all(Array.from({ length: 1_200 }, (_, at) => shop.create(orderBody(), `create-${at}`)))
  expect(book.remembered.size).toBeLessThan(300)
})

test('events that were not delivered are delivered after a restart', async () => {
  const first = await openShop({ stateFile, webhookUrl: 'http://127.0.0.1:9/none', webhookRetryMs: 60_000 })
  await first.approved()
  await first.emulator.webhooksIdle()
  await first.close()
  const { received } = await listen({ stateFile })
  await expect.poll(() => received).toHaveLength(1)
})

test('the program says that its port is taken', async () => {
  const { port } = new URL((await openShop()).emulator.url)
  const child = spawn(process.execPath, [program, '--port', port], { stdio: ['ignore', 'ignore', 'pipe'] })
  expect(await text(child.stderr)).toContain(`port ${port} is taken. Set PORT`)
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(1)
})
