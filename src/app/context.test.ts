import { describe, expect, test, vi } from 'vitest'
import type { ApiCall, Transport } from '#client/api-call.ts'
import { keepingAnswers } from './context.ts'

/** Counts its calls; each answer says which one it was. */
function counting() {
  let count = 0
  const call = vi.fn<(method: string, path: string) => Promise<unknown>>(async () => (count += 1))
  return { call: call as unknown as ApiCall, spy: call }
}
const shop = (): Transport => async () => new Response()

describe('the contests that pages are made of', () => {
  test('are asked for once by all pages of the same moment', async () => {
    const { call, spy } = counting()
    const transport = shop()
    const pages = Array.from({ length: 30 }, () => keepingAnswers(call, transport, 'fr'))
    const answers = await Promise.all(pages.map((get) => get('GET', '/api/offers/')))
    expect(new Set(answers)).toEqual(new Set([1]))
    expect(spy).toHaveBeenCalledOnce()
  })

  test('are those of this address, language and shop', async () => {
    const { call, spy } = counting()
    const transport = shop()
    await keepingAnswers(call, transport, 'fr')('GET', '/api/offers/')
    await keepingAnswers(call, transport, 'nl')('GET', '/api/offers/')
    await keepingAnswers(call, transport, 'fr')('GET', '/api/offers/aube/')
    await keepingAnswers(call, shop(), 'fr')('GET', '/api/offers/')
    expect(spy).toHaveBeenCalledTimes(4)
  })

  test('are asked for again when they could not be had', async () => {
    const call = vi.fn<() => Promise<unknown>>().mockRejectedValueOnce(new Error('away')).mockResolvedValue(1)
    const get = keepingAnswers(call as unknown as ApiCall, shop(), 'fr')
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
  await keepingAnswers(call, transport, 'fr')(method, path)
  await keepingAnswers(call, transport, 'fr')(method, path)
  expect(spy).toHaveBeenCalledTimes(2)
})
