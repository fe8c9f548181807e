import { onTestFinished, expect, test, vi } from 'vitest'
import { decodeJwt } from 'jose'
import { SERVER_TIME, timeOfHeader } from '#shared/server-time.ts'
import { openShop } from '../support/shop.ts'

// What browsers count by: the database's clock, whatever the clocks of the web processes say.

const shop = await openShop({ pages: true })

const databaseMs = async (): Promise<number> => {
  const { rows } = await shop.pool.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  )
  return rows[0]!.ms
}

/** Seconds between the time that a response carries and that of the database. */
async function secondsOff(url: string): Promise<number> {
  const { headers } = await shop.app.inject(url)
  const told = timeOfHeader(String(headers[SERVER_TIME]))
  return Math.abs(Math.round(((told?.shown ?? NaN) - (await databaseMs())) / 1000))
}

const HOUR_MS = 3_600_000

test.each([-2 * HOUR_MS, 0.5 * HOUR_MS, 24 * HOUR_MS])(
  'pages, responses and tokens of a process whose clock is %i ms ahead have the time of the database',
  async (ahead) => {
    const customer = await shop.newCustomer()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead })
    onTestFinished(() => void vi.useRealTimers())
    // The second of two comes from the cache.
    for (const url of ['/', '/', '/draws', '/nothing-here', '/api/offers/', '/api/settings/', '/api/cart/'])
      expect([url, await secondsOff(url)]).toEqual([url, 0])
    const { body } = await shop.app.inject(`/offers?lang=en`)
    const [, renderedAt] = /\\"renderedAt\\",(\d+)/.exec(body) ?? []
    expect(Math.abs(Number(renderedAt) - (await databaseMs()))).toBeLessThan(2_000)
    const { access = '' } = await shop.sessionOf(customer)
    expect(Math.abs((decodeJwt(access).iat ?? 0) - (await databaseMs()) / 1000)).toBeLessThan(2)
    const response = await shop.app.inject({
      url: '/api/cart/',
      headers: { authorization: `Bearer ${access}` },
    })
    expect(response.statusCode).toBe(200)
  },
)
