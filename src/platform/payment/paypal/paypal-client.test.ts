import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { paypalClient, paypalTransport } from './paypal-client.ts'
import { responding } from '../../../../test/support/responding.ts'

/** Sends one request to such a server. */
async function ask(respond: (response: ServerResponse) => void, timeoutMs = 5_000) {
  return paypalTransport(timeoutMs)(`${await responding(respond)}/v2`, {
    method: 'POST',
    headers: {},
    body: '{}',
  })
}

test('a response comes back as it is, whatever its status', async () => {
  const response = await ask((response) => response.writeHead(422, { 'x-debug': 'a1' }).end('{"no":true}'))
  expect(response).toMatchObject({ status: 422, text: '{"no":true}', headers: { 'x-debug': 'a1' } })
})

test('a redirect is not followed', async () => {
  const paths: string[] = []
  const baseUrl = await responding((response, path) => {
    paths.push(path)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const response = await paypalTransport(5_000)(`${baseUrl}/v2`, { method: 'POST', headers: {}, body: '{}' })
  expect([response.status, paths]).toEqual([302, ['/v2']])
})

const trickle = (response: ServerResponse) => void response.writeHead(200).write('{"status":')
const cut = (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': 100 }).write('{}')
  setImmediate(() => response.destroy())
}
const flood = (response: ServerResponse): void =>
  void (response.write('x'.repeat(64 * 1024))
    ? setImmediate(flood, response)
    : response.once('drain', () => flood(response)))

test.each([
  ['is silent', () => {}, 50, /no answer in time/],
  ['begins to respond and never ends', trickle, 50, /no answer in time|aborted|cut off/],
  ['is cut off', cut, 5_000, /aborted|cut off/],
  ['responds without end', flood, 5_000, /too long/],
])('a provider that %s is given up', async (_what, response, timeoutMs, message) => {
  await expect(ask(response, timeoutMs)).rejects.toThrow(message)
})

test.each([
  [400, 'PayPalRefused'],
  [408, 'ProviderUnknown'],
  [422, 'PayPalRefused'],
  [425, 'ProviderUnknown'],
  [429, 'ProviderUnknown'],
  [500, 'ProviderUnknown'],
])('a response %i is %s', async (status, name) => {
  const token = '{"access_token":"x","expires_in":300}'
  const baseUrl = await responding((response, path) =>
    path === '/v1/oauth2/token' ? response.end(token) : response.writeHead(status).end('{}'),
  )
  const client = paypalClient({ baseUrl, clientId: 'x', clientSecret: 'x', timeoutMs: 5_000 })
  await expect(client.getOrder('ORDER')).rejects.toMatchObject({ name })
})

const clientOf = async (respond: (response: ServerResponse) => void) => {
  const token = '{"access_token":"x","expires_in":300}'
  const baseUrl = await responding((response, path) =>
    path === '/v1/oauth2/token' ? response.end(token) : respond(response),
  )
  return paypalClient({ baseUrl, clientId: 'x', clientSecret: 'x', timeoutMs: 5_000 })
}

test.each<[string, number, body: string, name: string, fault?: object]>([
  ['a page of a proxy', 403, '<html>no</html>', 'PayPalRefused', {}],
  ['nothing', 422, '', 'PayPalRefused', {}],
  ['a list', 422, '[1]', 'PayPalRefused', {}],
  [
    'parts of another form',
    422,
    '{"name":7,"details":[null,{"issue":1},{"issue":"X"}],"links":{}}',
    'PayPalRefused',
    { details: [{ issue: undefined }, { issue: 'X' }] },
  ],
  [
    'details that are no list',
    422,
    '{"name":"N","details":"no"}',
    'PayPalRefused',
    { name: 'N', details: undefined },
  ],
  ['a page instead of an order', 200, '<html>ok</html>', 'ProviderUnknown'],
  ['a page of an error', 500, '<html>no</html>', 'ProviderUnknown'],
  ['nothing instead of an order', 201, '', 'ProviderUnknown'],
])('a response with %s (%i) is read', async (_what, status, body, name, fault) => {
  const client = await clientOf((response) => void response.writeHead(status).end(body))
  await expect(client.captureOrder('ORDER', 'request')).rejects.toMatchObject({
    name,
    ...(fault && { fault }),
  })
})

test.each([
  [401, 'PayPalRefused'],
  [429, 'ProviderUnknown'],
  [500, 'ProviderUnknown'],
])('a token that is refused with %i is %s', async (status, name) => {
  const baseUrl = await responding((response) => void response.writeHead(status).end('{}'))
  const client = paypalClient({ baseUrl, clientId: 'x', clientSecret: 'x', timeoutMs: 5_000 })
  await expect(client.getOrder('ORDER')).rejects.toMatchObject({ name })
})
