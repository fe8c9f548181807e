import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { paypalClient, paypalTransport } from './paypal-client.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Starts a server that answers as told. @returns its address */
async function answering(answer: (response: ServerResponse, path: string) => void): Promise<string> {
  server = createServer((request, response) => answer(response, request.url ?? ''))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sends one request to such a server. */
async function ask(answer: (response: ServerResponse) => void, timeoutMs = 5_000) {
  return paypalTransport(timeoutMs)(`${await answering(answer)}/v2`, {
    method: 'POST',
    headers: {},
    body: '{}',
  })
}

test('an answer comes back as it is, whatever its status', async () => {
  const answer = await ask((response) => response.writeHead(422, { 'x-debug': 'a1' }).end('{"no":true}'))
  expect(answer).toMatchObject({ status: 422, text: '{"no":true}', headers: { 'x-debug': 'a1' } })
})

test('a provider that is silent is given up', async () => {
  await expect(ask(() => {}, 50)).rejects.toThrow('no answer in time')
})

test('one that begins to answer and never ends is given up too', async () => {
  const trickle = (response: ServerResponse) => void response.writeHead(200).write('{"status":')
  await expect(ask(trickle, 50)).rejects.toThrow(/no answer in time|aborted|cut off/)
})

test('an answer that is cut off does not pass for a whole one', async () => {
  const cut = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': 100 }).write('{}')
    setImmediate(() => response.destroy())
  }
  await expect(ask(cut)).rejects.toThrow(/aborted|cut off/)
})

test('an answer without end is not read to its end', async () => {
  const flood = (response: ServerResponse) => {
    const more = (): void =>
      void (response.write('x'.repeat(64 * 1024)) ? setImmediate(more) : response.once('drain', more))
    response.writeHead(200)
    more()
  }
  await expect(ask(flood)).rejects.toThrow('too long')
})

test.each([
  [400, 'PayPalRefused'],
  [408, 'ProviderUnknown'],
  [422, 'PayPalRefused'],
  [425, 'ProviderUnknown'],
  [429, 'ProviderUnknown'],
  [500, 'ProviderUnknown'],
])('an answer %i is %s', async (status, name) => {
  const token = '{"access_token":"x","expires_in":300}'
  const baseUrl = await answering((response, path) =>
    path === '/v1/oauth2/token' ? response.end(token) : response.writeHead(status).end('{}'),
  )
  const client = paypalClient({ baseUrl, clientId: 'x', clientSecret: 'x', timeoutMs: 5_000 })
  await expect(client.getOrder('ORDER')).rejects.toMatchObject({ name })
})
