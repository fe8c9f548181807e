import { describe, expect, test, vi } from 'vitest'
import { RESPONSE_MS, PAGE_MS } from './freshness.ts'
import { ShortCache } from './short-cache.ts'

function cacheAt() {
  const clock = { now: 0 }
  return { clock, cache: new ShortCache<number>({ ttlMs: 450, capacity: 1000, now: () => clock.now }) }
}

const isFound = (page: number): boolean => page === 200

describe('a cached value', () => {
  test('is made once for concurrent callers', async () => {
    const { cache } = cacheAt()
    const make = vi.fn<() => Promise<number>>(async () => 1)
    await Promise.all(Array.from({ length: 20 }, () => cache.get('/', make)))
    expect(make).toHaveBeenCalledOnce()
  })

  test('is made again after its time', async () => {
    const { cache, clock } = cacheAt()
    let made = 0
    const make = async (): Promise<number> => ++made
    await cache.get('/', make)
    clock.now = 449
    await expect(cache.get('/', make)).resolves.toBe(1)
    clock.now = 450
    await expect(cache.get('/', make)).resolves.toBe(2)
  })

  test('is not kept when it failed or is not worth it', async () => {
    const { cache } = cacheAt()
    await expect(cache.get('/', async () => 404, isFound)).resolves.toBe(404)
    await expect(cache.get('/', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    await expect(cache.get('/', async () => 200, isFound)).resolves.toBe(200)
  })

  test('is found without waiting only when it is ready, fresh and worth keeping', async () => {
    const { cache, clock } = cacheAt()
    const making = cache.get('/', async () => 1)
    expect(cache.find('/')).toBeUndefined()
    await making
    expect([cache.find('/'), cache.find('/other')]).toEqual([1, undefined])
    clock.now = 450
    expect(cache.find('/')).toBeUndefined()
    await cache.get('/gone', async () => 404, isFound)
    expect(cache.find('/gone')).toBeUndefined()
  })
})

test('the oldest values are removed beyond the capacity', async () => {
  const { cache } = cacheAt()
  for (let page = 0; page <= 1000; page++) await cache.get(String(page), async () => page)
  await expect(cache.get('0', async () => -1)).resolves.toBe(-1)
  await expect(cache.get('1000', async () => -1)).resolves.toBe(1000)
})

test('expired values are removed long before the capacity is reached', async () => {
  const { cache, clock } = cacheAt()
  for (const name of ['a', 'b', 'c']) await cache.get(name, async () => 1)
  clock.now = 300
  await cache.get('d', async () => 1)
  expect(cache.size).toBe(4)
  clock.now = 450
  await cache.get('e', async () => 1)
  expect(cache.size).toBe(2)
})

test('a page and its data are together younger than a second', () => {
  expect(RESPONSE_MS + PAGE_MS).toBeLessThan(1000)
})
