import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openShop } from '../shop.ts'
import { sized } from '../tier.ts'
import { saleCommands } from './commands.ts'
import { setStage } from './stage.ts'

/** The most commands of one run; about half of them are tried, and most of those make sense at their turn. */
const LENGTH = 400
const RUNS = sized({ short: 2, extended: 10 })
/** Steps of each half. MODEL_STEPS and MODEL_SEED make a longer run, or repeat one. */
const STEPS = Number(process.env['MODEL_STEPS'] ?? sized({ short: 1_000, extended: 50_000 }))
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000_000)

/**
 * Plays random commands on a shop of its own and compares every answer and every table with the model. Two files share
 * the steps, because files run in parallel.
 */
export async function playSales(half: 1 | 2): Promise<void> {
  const seed = SEED + half * 1_000_000
  const shop = await openShop({ env: { LIMITS_FACTOR: '1000000' } })
  // Notifications come when the commands say so.
  shop.paypal.faults.change({ missingWebhooks: 1 })

  test(`buyers, the provider and time in any order: the shop does as the model (seed ${seed})`, async () => {
    let steps = 0
    const commands = fc.commands(saleCommands, { maxCommands: LENGTH, size: 'max' })
    const run = fc.asyncProperty(commands, (some) =>
      fc.asyncModelRun(() => setStage(shop, () => (steps += 1)), some),
    )
    for (let round = 0; steps < STEPS; round += 1) {
      const before = steps
      await fc.assert(run, { numRuns: RUNS, seed: seed + round })
      expect(steps, 'a round without a step').toBeGreaterThan(before)
    }
  }, 3_600_000)
}
