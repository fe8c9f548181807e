import { type ChildProcess, spawn } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClient, orderBody, startWithClient } from './emulator.test-support.ts'

let folder = ''
let stateFile = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paypal-emulator-'))
  stateFile = join(folder, 'deep', 'book.ndjson')
})
afterEach(() => rm(folder, { recursive: true }))

/** The program itself, as `npm start` runs it. */
async function run(
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string; ended: Promise<number | null> }> {
  const child = spawn(
    process.execPath,
    [new URL('main.ts', import.meta.url).pathname, '--port', '0', '--state-file', stateFile],
    {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const address = /^listening on (http\S+)$/m.exec(said)?.[1]
      if (address) resolve(address)
    })
    void ended.then((code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
  return { child, url, ended }
}

test('what was answered survives kill -9, also a token, a request id and the certificate', async () => {
  const first = await run()
  const shop = await createClient(first.url)
  const id = await shop.approved('pending@buyer.test', orderBody({ invoice_id: 'i-1' }))
  const taken = await shop.capture(id, 'cap-1')
  const captureId = taken.body.purchase_units[0].payments.captures[0].id
  await shop.post(`/_emulator/captures/${captureId}/release`)
  const refund = await shop.refund(captureId, { amount: { currency_code: 'EUR', value: '2.10' } }, 'ref-1')
  const before = (await shop.get('/_emulator/book')).body
  first.child.kill('SIGKILL')
  await first.ended

  const second = await run()
  const again = await createClient(second.url)
  expect((await again.get('/_emulator/book')).body).toEqual(before)
  expect(before.sums.EUR).toMatchObject({ captured: 1210, refunded: 210, net: 1000 })
  expect((await again.capture(id, 'cap-1')).status).toBe(200)
  const same = await again.refund(captureId, { amount: { currency_code: 'EUR', value: '2.10' } }, 'ref-1')
  expect(same).toMatchObject({ status: 200, body: { id: refund.body.id } })
  const withOldToken = await fetch(`${second.url}/v2/payments/captures/${captureId}`, {
    headers: { authorization: `Bearer ${shop.token}` },
  })
  expect(withOldToken.status).toBe(200)
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
})

test('a torn last line is dropped and the book goes on after it', async () => {
  const first = await startWithClient({ stateFile })
  await first.create()
  await first.close()
  const whole = await readFile(stateFile, 'utf8')
  await appendFile(stateFile, '["order","TORN",{"id":"TO')
  const second = await startWithClient({ stateFile })
  expect(second.emulator.book.orders.size).toBe(1)
  await second.create()
  await second.close()
  const after = await readFile(stateFile, 'utf8')
  expect(after.startsWith(whole)).toBe(true)
  expect(after).not.toContain('TORN')
  const third = await startWithClient({ stateFile })
  expect(third.emulator.book.orders.size).toBe(2)
  await third.close()
})

test('a last line without its newline still counts', async () => {
  const first = await startWithClient({ stateFile })
  await first.create()
  await first.close()
  await writeFile(stateFile, (await readFile(stateFile, 'utf8')).trimEnd())
  const second = await startWithClient({ stateFile })
  await second.create()
  await second.close()
  const third = await startWithClient({ stateFile })
  expect(third.emulator.book.orders.size).toBe(2)
  await third.close()
})

test('a damaged line in the middle stops the start and names the line', async () => {
  const first = await startWithClient({ stateFile })
  await first.create()
  await first.close()
  await appendFile(stateFile, 'garbage\n["order","X",{}]\n')
  await expect(startWithClient({ stateFile })).rejects.toThrow(/line 3 is damaged/)
})

test('events that were not delivered are delivered after a restart', async () => {
  const { createServer } = await import('node:http')
  const first = await startWithClient({
    stateFile,
    webhookUrl: 'http://127.0.0.1:9/none',
    webhookRetryMs: 60_000,
  })
  await first.approved()
  await first.emulator.webhooksIdle()
  await first.close()
  let heard = 0
  const server = createServer((_request, reply) => {
    heard += 1
    reply.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const second = await startWithClient({ stateFile, webhookUrl: `http://127.0.0.1:${port}/` })
  await expect.poll(() => heard).toBe(1)
  await second.close()
  server.close()
})

test('a taken port is said plainly', async () => {
  const first = await startWithClient()
  const port = new URL(first.emulator.url).port
  const child = spawn(process.execPath, [new URL('main.ts', import.meta.url).pathname, '--port', port], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(1)
  expect(said).toContain(`port ${port} is taken. Set PORT`)
  await first.close()
})
