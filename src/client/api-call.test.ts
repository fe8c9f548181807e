import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CallSession, type Transport, createApiCall } from './api-call.ts'

const texts = { network: 'no network', unexpected: 'unexpected' }
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })

/** A call whose requests are answered in turn. */
function callWith(answers: (() => Response | Promise<Response>)[], session?: CallSession) {
  const transport = vi.fn<Transport>(async () => await (answers.shift() ?? (() => json(500, {})))())
  return { call: createApiCall({ transport, language: 'nl', texts, ...(session && { session }) }), transport }
}

const sentHeaders = (transport: ReturnType<typeof callWith>['transport'], index = 0): Headers =>
  new Headers(transport.mock.calls[index]?.[1].headers)

describe('a call', () => {
  test('sends the token, the language of the page and JSON [spec 7.2, 7.5]', async () => {
    const { call, transport } = callWith([() => json(200, { ok: 1 })], {
      accessToken: () => 'abc',
      renew: vi.fn<CallSession['renew']>(),
    })
    await expect(call('POST', '/api/x/', { body: { a: 1 } })).resolves.toEqual({ ok: 1 })
    expect(sentHeaders(transport).get('authorization')).toBe('Bearer abc')
    expect(sentHeaders(transport).get('accept-language')).toBe('nl')
    expect(transport.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"a":1}' })
    expect(transport.mock.calls[0]?.[1].signal).toBeUndefined()
  })

  test('of a visitor sends no token [spec 7.3]', async () => {
    const { call, transport } = callWith([() => json(200, [])], {
      accessToken: () => null,
      renew: vi.fn<CallSession['renew']>(),
    })
    await call('GET', '/api/offers/')
    expect(sentHeaders(transport).has('authorization')).toBe(false)
  })

  test('without an answer says that the network failed [spec 8.5]', async () => {
    const { call } = callWith([() => Promise.reject(new TypeError('Failed to fetch'))])
    await expect(call('GET', '/api/x/')).rejects.toMatchObject({
      network: true,
      status: 0,
      message: 'no network',
    })
  })

  describe('with a key', () => {
    const cut = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'))

    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test('is repeated once, a second later, when the connection is cut: the same call with the same key', async () => {
      const { call, transport } = callWith([cut, () => json(200, { ok: 1 })])
      const answer = call('POST', '/api/x/', { body: { a: 1 }, key: 'k' })
      await vi.advanceTimersByTimeAsync(999)
      expect(transport).toHaveBeenCalledOnce()
      await vi.advanceTimersByTimeAsync(1)
      await expect(answer).resolves.toEqual({ ok: 1 })
      expect(transport).toHaveBeenCalledTimes(2)
      expect(transport.mock.calls[1]).toEqual(transport.mock.calls[0])
      expect(sentHeaders(transport).get('idempotency-key')).toBe('k')
    })

    test('says that the network failed when the repetition is cut as well', async () => {
      const { call, transport } = callWith([cut, cut])
      const answer = call('POST', '/api/x/', { key: 'k' }).catch((error: unknown) => error)
      await vi.runAllTimersAsync()
      expect(await answer).toMatchObject({ network: true, status: 0 })
      expect(transport).toHaveBeenCalledTimes(2)
    })

    test('is not repeated once an answer came, whatever it is', async () => {
      const { call, transport } = callWith([() => json(503, {})])
      await expect(call('POST', '/api/x/', { key: 'k' })).rejects.toMatchObject({ status: 503 })
      expect(transport).toHaveBeenCalledOnce()
    })
  })

  test('without a key is never repeated', async () => {
    const { call, transport } = callWith([() => Promise.reject(new TypeError('Failed to fetch'))])
    await expect(call('POST', '/api/x/')).rejects.toMatchObject({ network: true })
    expect(transport).toHaveBeenCalledOnce()
    expect(sentHeaders(transport).has('idempotency-key')).toBe(false)
  })

  test('that is refused speaks the words of the server', async () => {
    const { call } = callWith([() => json(409, { detail: 'Uitverkocht', code: 'offer.soldOut' })])
    await expect(call('POST', '/api/x/')).rejects.toMatchObject({
      status: 409,
      message: 'Uitverkocht',
      detail: 'Uitverkocht',
      code: 'offer.soldOut',
    })
  })

  test('of a form gives the first message of each field', async () => {
    const { call } = callWith([() => json(400, { email: ['taken', 'odd'], username: ['short'] })])
    await expect(call('POST', '/api/x/')).rejects.toMatchObject({
      fields: { email: 'taken', username: 'short' },
    })
  })

  test('answered by a plain text shows it as it is', async () => {
    const { call } = callWith([() => json(400, 'Closed today')])
    await expect(call('POST', '/api/x/')).rejects.toMatchObject({
      message: 'Closed today',
      detail: 'Closed today',
    })
  })

  test('that breaks the server shows the general sentence, not its insides [spec 8.6]', async () => {
    const { call } = callWith([
      () => new Response('<html>stack</html>', { status: 502 }),
      () => json(500, { detail: 'x' }),
    ])
    await expect(call('GET', '/api/x/')).rejects.toMatchObject({ status: 502, message: 'unexpected' })
    await expect(call('GET', '/api/x/')).rejects.toMatchObject({ status: 500, message: 'unexpected' })
  })
})

describe('a 401', () => {
  test('is renewed once and retried once [spec 4.3, 4.5, 9.15]', async () => {
    const renew = vi.fn<CallSession['renew']>(async () => 'new')
    const { call, transport } = callWith([() => json(401, {}), () => json(200, 1)], {
      accessToken: () => 'old',
      renew,
    })
    await expect(call('GET', '/api/cart/')).resolves.toBe(1)
    expect(renew).toHaveBeenCalledExactlyOnceWith('old')
    expect(sentHeaders(transport, 1).get('authorization')).toBe('Bearer new')
  })

  test('after the retry is final [spec 4.3]', async () => {
    const renew = vi.fn<CallSession['renew']>(async () => 'new')
    const { call, transport } = callWith([() => json(401, {}), () => json(401, { detail: 'no' })], {
      accessToken: () => 'old',
      renew,
    })
    await expect(call('GET', '/api/cart/')).rejects.toMatchObject({ status: 401, message: 'no' })
    expect(renew).toHaveBeenCalledOnce()
    expect(transport).toHaveBeenCalledTimes(2)
  })

  test('that cannot be renewed stays a 401', async () => {
    const { call, transport } = callWith([() => json(401, { detail: 'log in' })], {
      accessToken: () => 'old',
      renew: async () => null,
    })
    await expect(call('GET', '/api/cart/')).rejects.toMatchObject({ status: 401, message: 'log in' })
    expect(transport).toHaveBeenCalledOnce()
  })

  test('of the login itself is an answer, not an expired session [spec 7.2]', async () => {
    const renew = vi.fn<CallSession['renew']>(async () => 'new')
    const { call, transport } = callWith([() => json(401, { detail: 'wrong' })], {
      accessToken: () => 'old',
      renew,
    })
    await expect(call('POST', '/api/token/', { anonymous: true })).rejects.toMatchObject({ message: 'wrong' })
    expect(renew).not.toHaveBeenCalled()
    expect(sentHeaders(transport).get('authorization')).toBe('Bearer old')
  })
})
