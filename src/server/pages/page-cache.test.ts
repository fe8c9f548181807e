import { describe, expect, test, vi } from 'vitest'
import { PageCache } from './page-cache.ts'

function cacheAt() {
  const clock = { now: 0 }
  return { clock, cache: new PageCache<number>(() => clock.now) }
}

const always = (): boolean => true

describe('a page', () => {
  test('is made once for all who ask at the same time', async () => {
    const { cache } = cacheAt()
    const make = vi.fn<() => Promise<number>>(async () => 1)
    await Promise.all(Array.from({ length: 20 }, () => cache.get('/', make, always)))
    expect(make).toHaveBeenCalledOnce()
  })

  test('is never older than a second', async () => {
    const { cache, clock } = cacheAt()
    let made = 0
    const make = async (): Promise<number> => ++made
    await cache.get('/', make, always)
    clock.now = 999
    await expect(cache.get('/', make, always)).resolves.toBe(1)
    clock.now = 1000
    await expect(cache.get('/', make, always)).resolves.toBe(2)
  })

  test('is made anew after an invalidation, even one that comes while it is being made', async () => {
    const { cache } = cacheAt()
    const slow = Promise.withResolvers<number>()
    const first = cache.get('/', () => slow.promise, always)
    cache.invalidate()
    await expect(cache.get('/', async () => 2, always)).resolves.toBe(2)
    slow.resolve(1)
    await expect(first).resolves.toBe(1)
    await expect(cache.get('/', async () => 3, always)).resolves.toBe(2)
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
    await expect(cache.get('/', () => Promise.reject(new Error('down')), always)).rejects.toThrow('down')
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
    for (let page = 0; page <= 1000; page++) await cache.get(String(page), async () => page, always)
    await expect(cache.get('0', async () => -1, always)).resolves.toBe(-1)
    await expect(cache.get('1000', async () => -1, always)).resolves.toBe(1000)
  })
})
