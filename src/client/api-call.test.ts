import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CallSession, type Transport, createApiCall } from './api-call.ts'

const texts = { network: 'no network', unexpected: 'unexpected' }
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
const cut = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'))

/** A call whose requests get a response in turn. */
function callWith(responses: (() => Response | Promise<Response>)[], session?: CallSession) {
  const transport = vi.fn<Transport>(async () => await (responses.shift() ?? (() => json(500, {})))())
  const call = createApiCall({ transport, language: 'nl', texts, ...(session && { session }) })
  const headers = (index = 0): Headers => new Headers(transport.mock.calls[index]?.[1].headers)
  return { call, transport, headers }
}

const sessionOf = (token: string | null, renewed: string | null = 'new') => ({
  accessToken: () => token,
  renew: vi.fn<CallSession['renew']>(async () => renewed),
})

describe('a call', () => {
  test('sends the token, the language of the page and JSON [spec 7.2, 7.5]', async () => {
    const { call, transport, headers } = callWith([() => json(200, { ok: 1 })], sessionOf('abc'))
    await expect(call('POST', '/api/x/', { body: { a: 1 } })).resolves.toEqual({ ok: 1 })
    expect([headers().get('authorization'), headers().get('accept-language')]).toEqual(['Bearer abc', 'nl'])
    expect(transport.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"a":1}' })
    expect(transport.mock.calls[0]?.[1].signal).toBeNull()
  })

  test('of a visitor sends no token [spec 7.3]', async () => {
    const { call, headers } = callWith([() => json(200, [])], sessionOf(null))
    await call('GET', '/api/offers/')
    expect(headers().has('authorization')).toBe(false)
  })

  test('without a response fails as a network failure, and is not repeated without a key [spec 8.5]', async () => {
    const { call, transport, headers } = callWith([cut])
    const failure = { network: true, status: 0, message: 'no network' }
    await expect(call('POST', '/api/x/')).rejects.toMatchObject(failure)
    expect(transport).toHaveBeenCalledOnce()
    expect(headers().has('idempotency-key')).toBe(false)
  })

  test.each([
    [
      'shows the detail and code of a refusal',
      json(409, { detail: 'Uitverkocht', code: 'offer.soldOut' }),
      { status: 409, message: 'Uitverkocht', detail: 'Uitverkocht', code: 'offer.soldOut' },
    ],
    [
      'shows the first message of each field of a form',
      json(400, { email: ['taken', 'odd'], username: ['short'] }),
      { fields: { email: 'taken', username: 'short' } },
    ],
    ['shows a plain text', json(400, 'Closed today'), { message: 'Closed today', detail: 'Closed today' }],
    [
      'hides the page of a broken server [spec 8.6]',
      new Response('<html>stack</html>', { status: 502 }),
      { status: 502, message: 'unexpected' },
    ],
    [
      'hides the details of a broken server [spec 8.6]',
      json(500, { detail: 'x' }),
      { status: 500, message: 'unexpected' },
    ],
  ])('%s', async (_, response, failure) => {
    await expect(callWith([() => response]).call('POST', '/api/x/')).rejects.toMatchObject(failure)
  })
})

describe('a call with a key', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is repeated once, a second after its connection was cut, with the same key', async () => {
    const { call, transport, headers } = callWith([cut, () => json(200, { ok: 1 })])
    const response = call('POST', '/api/x/', { body: { a: 1 }, key: 'k' })
    await vi.advanceTimersByTimeAsync(999)
    expect(transport).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(1)
    await expect(response).resolves.toEqual({ ok: 1 })
    expect(transport).toHaveBeenCalledTimes(2)
    expect(transport.mock.calls[1]).toEqual(transport.mock.calls[0])
    expect(headers().get('idempotency-key')).toBe('k')
  })

  test('fails as a network failure when the repetition is cut, too', async () => {
    const { call, transport } = callWith([cut, cut])
    const response = call('POST', '/api/x/', { key: 'k' }).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(await response).toMatchObject({ network: true, status: 0 })
    expect(transport).toHaveBeenCalledTimes(2)
  })

  test('is not repeated after any response', async () => {
    const { call, transport } = callWith([() => json(503, {})])
    await expect(call('POST', '/api/x/', { key: 'k' })).rejects.toMatchObject({ status: 503 })
    expect(transport).toHaveBeenCalledOnce()
  })
})

describe('a 401', () => {
  test('is renewed once and retried once [spec 4.3, 4.5, 9.15]', async () => {
    const session = sessionOf('old')
    const { call, headers } = callWith([() => json(401, {}), () => json(200, 1)], session)
    await expect(call('GET', '/api/cart/')).resolves.toBe(1)
    expect(session.renew).toHaveBeenCalledExactlyOnceWith('old')
    expect(headers(1).get('authorization')).toBe('Bearer new')
  })

  test('after the retry is final [spec 4.3]', async () => {
    const session = sessionOf('old')
    const responses = [() => json(401, {}), () => json(401, { detail: 'no' })]
    const { call, transport } = callWith(responses, session)
    await expect(call('GET', '/api/cart/')).rejects.toMatchObject({ status: 401, message: 'no' })
    expect(session.renew).toHaveBeenCalledOnce()
    expect(transport).toHaveBeenCalledTimes(2)
  })

  test('without a renewal stays a 401', async () => {
    const { call, transport } = callWith([() => json(401, { detail: 'log in' })], sessionOf('old', null))
    await expect(call('GET', '/api/cart/')).rejects.toMatchObject({ status: 401, message: 'log in' })
    expect(transport).toHaveBeenCalledOnce()
  })

  test('of the login itself is its response [spec 7.2]', async () => {
    const session = sessionOf('old')
    const { call, headers } = callWith([() => json(401, { detail: 'wrong' })], session)
    await expect(call('POST', '/api/token/', { anonymous: true })).rejects.toMatchObject({ message: 'wrong' })
    expect(session.renew).not.toHaveBeenCalled()
    expect(headers().get('authorization')).toBe('Bearer old')
  })
})
