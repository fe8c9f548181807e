import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

const ENTRIES = 1_000_000
/** A roomy machine lets Node keep more than it needs; with a small heap the process shows what it needs. */
const SMALL_HEAP = '--max-semi-space-size=8 --max-old-space-size=192'
/** Above what a fresh process needs. */
const MOST_MB = 300
const PATIENCE = { timeout: 30 * 60_000, interval: 50 }

/** Resident memory of a process in MB, now and at most so far. */
function memoryOf({ child }: ShopProcess): { now: number; most: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const read = (name: string): number => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
  return { now: read('VmRSS'), most: read('VmHWM') }
}

// Outside of the test, so that its shop and its folder end with the file.
const lab = isExtended ? await drawLab() : undefined

/** docs/performance.md has what it prints. */
test.runIf(isExtended)(
  'worker and web process need less than 300 MB for a draw of a million entries, and no statement of theirs is too long',
  async () => {
    const { shop, time, beacon, newContest, stateOf } = lab!
    const { pool } = shop
    const { id: userId } = await shop.newCustomer()
    const contest = await newContest({ total_tickets: ENTRIES })
    for (let first = 1; first <= ENTRIES; first += 100_000)
      await pool.query(
        `INSERT INTO tickets (id, offer_id, number, user_id, source)
         SELECT gen_random_uuid(), $1, n, $2, 'demo' FROM generate_series($3::int, $4::int) AS n`,
        [contest.id, userId, first, first + 99_999],
      )
    const folder = temporaryFolder('volant-million-')
    const startOne = async (role: 'web' | 'worker') => {
      const one = await startShopProcess({
        env: {
          DATABASE_URL: shop.url,
          DATA_DIR: folder,
          SECRET_KEY: shop.secret,
          LOG_KEY: '5e'.repeat(32),
          PUBLIC_URL: shop.config.publicUrl,
          PAYPAL_BASE_URL: shop.paypal.url,
          BEACON_URLS: beacon.url,
          BEACON_CHAIN: JSON.stringify(beacon.chain),
          NODE_OPTIONS: SMALL_HEAP,
          ROLES: role,
          LOG_LEVEL: 'warn',
        },
      })
      await one.whenReady()
      return { one, fresh: memoryOf(one).now }
    }
    const [worker, web] = await Promise.all([startOne('worker'), startOne('web')])
    const figures: Record<string, string> = {}
    const timed = async (what: string, act: () => Promise<unknown>): Promise<void> => {
      const start = performance.now()
      await act()
      figures[what] = `${((performance.now() - start) / 1000).toFixed(1)} s`
    }
    const isIn = (state: string) => () =>
      vi.waitUntil(async () => (await stateOf(contest.id)) === state, PATIENCE)
    const logged = async (): Promise<number> =>
      (await pool.query('SELECT entries FROM draw_logs WHERE id = $1', [contest.id])).rows[0].entries

    await pool.query('UPDATE offers SET tickets_sold = $2 WHERE id = $1', [contest.id, ENTRIES])
    await timed('log', () => vi.waitUntil(async () => (await logged()) === ENTRIES, PATIENCE))
    for (const [what, at, state] of [
      ['close and list', contest.listed, 'listed'],
      ['seal', contest.sealed, 'sealed'],
      ['draw', contest.draw + 3, 'drawn'],
    ] as const) {
      await time.goTo(at)
      await timed(what, isIn(state))
    }
    const get = async (path: string): Promise<Response> => {
      const response = await fetch(web.one.url(`/draws/${contest.slug}/${path}`))
      expect([path, response.status]).toEqual([path, 200])
      return response
    }
    await timed('1,000 proofs', async () => {
      for (let index = 1; index < ENTRIES; index += ENTRIES / 1000)
        expect(await (await get(`leaf?index=${index}`)).json()).toMatchObject({ index })
    })
    let bytes = 0
    await timed('evidence pack', async () => {
      const { body } = await get(`${contest.slug}-evidence.zip`)
      for await (const part of body!) bytes += part.length
    })
    const above = ({ one, fresh }: typeof worker): number => Math.round(memoryOf(one).most - fresh)
    const memory = { worker: above(worker), web: above(web) }
    console.log({ entries: ENTRIES, ...figures, packMB: Math.round(bytes / 2 ** 20), memoryMB: memory })
    await Promise.all([worker, web].map(({ one }) => one.end('SIGTERM')))
    expect(Math.max(memory.worker, memory.web)).toBeLessThan(MOST_MB)
  },
  2 * 3_600_000,
)
