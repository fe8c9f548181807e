import { expect, test } from 'vitest'
import { drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { drawAdvance, appendEntries } from '#features/draws/server/index.ts'
import { moveDueOffers } from '#features/offers/server/index.ts'
import { isExtended } from '../support/tier.ts'

const ENTRIES = Number(process.env['MILLION'] ?? 1_000_000)
const MEGABYTE = 2 ** 20
/** Above what the process needs before. */
const MOST_MB = 300

/** Figures of this test are in docs/performance.md. */
test.runIf(isExtended)(
  'a draw of a million entries stays within 300 MB and the timeouts of the shop, from the log to the pack',
  async () => {
    const lab = await drawLab()
    const { shop, time } = lab
    const { pool } = shop
    const { id: userId } = await shop.newCustomer()
    const contest = await lab.newContest({ total_tickets: ENTRIES })
    await pool.query('SET statement_timeout = 0')
    const [rows, chunk] = [ENTRIES, 100_000]
    for (let first = 1; first <= rows; first += chunk)
      await pool.query(
        `INSERT INTO tickets (id, offer_id, number, user_id, source)
         SELECT gen_random_uuid(), $1, n, $2, 'demo' FROM generate_series($3::int, $4::int) AS n`,
        [contest.id, userId, first, Math.min(rows, first + chunk - 1)],
      )
    await pool.query('UPDATE offers SET tickets_sold = $2 WHERE id = $1', [contest.id, ENTRIES])

    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
    const figures: Record<string, string> = {}
    const timed = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
      const start = performance.now()
      const result = await act()
      figures[what] = `${((performance.now() - start) / 1000).toFixed(1)} s`
      return result
    }
    await timed('append', () => appendEntries(shop.draws))
    expect(await shop.counters(contest.id)).toMatchObject({ tickets_sold: ENTRIES })
    const advance = drawAdvance(shop.draws)
    const steps = [
      ['close and list', contest.listed, 'listed'],
      ['seal', contest.sealed, 'sealed'],
      ['draw', contest.draw + 3, 'drawn'],
    ] as const
    for (const [what, at, state] of steps) {
      await time.goTo(at)
      await moveDueOffers({ ...shop.draws, publishTerms: shop.publishTerms })
      await timed(what, advance)
      expect([what, await lab.stateOf(contest.id)]).toEqual([what, state])
    }
    const address = `${shop.config.publicUrl}/draws/${contest.slug}`
    await timed('1,000 proofs', async () => {
      for (let proof = 0; proof < 1000; proof += 1) {
        const index = 1 + ((proof * 7919) % ENTRIES)
        expect((await (await fetch(`${address}/leaf?index=${index}`)).json()).index).toBe(index)
      }
    })
    let bytes = 0
    await timed('evidence pack', async () => {
      const answer = await fetch(`${address}/${contest.slug}-evidence.zip`)
      expect(answer.status).toBe(200)
      for await (const part of answer.body!) bytes += part.length
    })
    clearInterval(watch)
    const above = Math.round((most - before) / MEGABYTE)
    console.log({ entries: ENTRIES, ...figures, packMB: Math.round(bytes / MEGABYTE), memoryMB: above })
    expect(above).toBeLessThan(MOST_MB)
  },
  60 * 60_000,
)
