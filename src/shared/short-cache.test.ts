import { describe, expect, test, vi } from 'vitest'
import { ANSWER_MS, PAGE_MS } from './freshness.ts'
import { ShortCache } from './short-cache.ts'

function cacheAt() {
  const clock = { now: 0 }
  return { clock, cache: new ShortCache<number>({ ttlMs: 450, capacity: 1000, now: () => clock.now }) }
}

describe('a value', () => {
  test('is made once for all who ask at the same time', async () => {
    const { cache } = cacheAt()
    const make = vi.fn<() => Promise<number>>(async () => 1)
    await Promise.all(Array.from({ length: 20 }, () => cache.get('/', make)))
    expect(make).toHaveBeenCalledOnce()
  })

  test('is never older than it may be', async () => {
    const { cache, clock } = cacheAt()
    let made = 0
    const make = async (): Promise<number> => ++made
    await cache.get('/', make)
    clock.now = 449
    await expect(cache.get('/', make)).resolves.toBe(1)
    clock.now = 450
    await expect(cache.get('/', make)).resolves.toBe(2)
  })

  test('that is not worth it, or failed, is not kept', async () => {
    const { cache } = cacheAt()
    await expect(
      cache.get(
        '/',
        async () => 404,
        (page) => page === 200,
      ),
    ).resolves.toBe(404)
    await expect(cache.get('/', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    await expect(
      cache.get(
        '/',
        async () => 200,
        (page) => page === 200,
      ),
    ).resolves.toBe(200)
  })

  test('pushes out the oldest when there are too many', async () => {
    const { cache } = cacheAt()
    for (let page = 0; page <= 1000; page++) await cache.get(String(page), async () => page)
    await expect(cache.get('0', async () => -1)).resolves.toBe(-1)
    await expect(cache.get('1000', async () => -1)).resolves.toBe(1000)
  })
})

describe('without waiting', () => {
  test('only a value that is there, worth keeping and fresh is found', async () => {
    const { cache, clock } = cacheAt()
    const making = cache.get('/', async () => 1)
    expect(cache.find('/')).toBeUndefined()
    await making
    expect(cache.find('/')).toBe(1)
    expect(cache.find('/other')).toBeUndefined()
    clock.now = 450
    expect(cache.find('/')).toBeUndefined()
    await cache.get(
      '/gone',
      async () => 404,
      () => false,
    )
    expect(cache.find('/gone')).toBeUndefined()
  })
})

test('what is too old takes no room, long before there is too much', async () => {
  const { cache, clock } = cacheAt()
  for (const name of ['a', 'b', 'c']) await cache.get(name, async () => 1)
  clock.now = 300
  await cache.get('d', async () => 1)
  expect(cache.size).toBe(4)
  clock.now = 450
  await cache.get('e', async () => 1)
  expect(cache.size).toBe(2)
})

test('a page and what it is made of are together younger than a second', () => {
  expect(ANSWER_MS + PAGE_MS).toBeLessThan(1000)
})
