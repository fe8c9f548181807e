import { describe, expect, test, vi } from 'vitest'
import type { ApiCall, Transport } from '#client/api-call.ts'
import { withCachedResponses } from './context.ts'

/** Counts its calls; each response is its number. */
function counting() {
  let count = 0
  const call = vi.fn<(method: string, path: string) => Promise<unknown>>(async () => (count += 1))
  return { call: call as unknown as ApiCall, spy: call }
}
const shop = (): Transport => async () => new Response()

describe('the contests of pages', () => {
  test('are requested once by concurrent pages', async () => {
    const { call, spy } = counting()
    const transport = shop()
    const pages = Array.from({ length: 30 }, () => withCachedResponses(call, transport, 'fr'))
    const responses = await Promise.all(pages.map((get) => get('GET', '/api/offers/')))
    expect(new Set(responses)).toEqual(new Set([1]))
    expect(spy).toHaveBeenCalledOnce()
  })

  test('are kept by address, language and shop', async () => {
    const { call, spy } = counting()
    const transport = shop()
    await withCachedResponses(call, transport, 'fr')('GET', '/api/offers/')
    await withCachedResponses(call, transport, 'nl')('GET', '/api/offers/')
    await withCachedResponses(call, transport, 'fr')('GET', '/api/offers/aube/')
    await withCachedResponses(call, shop(), 'fr')('GET', '/api/offers/')
    expect(spy).toHaveBeenCalledTimes(4)
  })

  test('are requested again after a failure', async () => {
    const call = vi.fn<() => Promise<unknown>>().mockRejectedValueOnce(new Error('away')).mockResolvedValue(1)
    const get = withCachedResponses(call as unknown as ApiCall, shop(), 'fr')
    await expect(get('GET', '/api/offers/')).rejects.toThrow('away')
    await expect(get('GET', '/api/offers/')).resolves.toBe(1)
  })
})

test.each([
  ['POST', '/api/offers/'],
  ['GET', '/api/demo/emails/'],
  ['GET', '/api/settings/'],
])('%s %s is never kept', async (method, path) => {
  const { call, spy } = counting()
  const transport = shop()
  await withCachedResponses(call, transport, 'fr')(method, path)
  await withCachedResponses(call, transport, 'fr')(method, path)
  expect(spy).toHaveBeenCalledTimes(2)
})
