import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { sized } from '../../test/support/tier.ts'
import { STEPS, type Step } from './steps.ts'

/** About what a phone gives a page: little room for new objects, which are many. */
const LITTLE_ROOM = ['--max-semi-space-size=8', '--max-old-space-size=64']
/** Nothing of them is in the draw. */
const OPEN = new Set<Step>(['stamps', 'forfeitures', 'end'])
const PROGRAM = path.join(import.meta.dirname, 'large-draw.test-support.ts')

interface Checked {
  outcomes: string[]
  winners: number[]
  told: number
  megabytes: number
}

const run = async (...words: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [...LITTLE_ROOM, PROGRAM, ...words])).stdout

test('a large draw is checked in parts and within 240 MB, with its progress told', async () => {
  const entries = sized({ short: 5_000, extended: 1_000_000 })
  const folder = temporaryFolder()
  await run('make', folder, String(entries))
  const check = async (how: 'parts' | 'whole'): Promise<Checked> =>
    JSON.parse(await run('check', folder, how)) as Checked
  const inParts = await check('parts')
  expect(inParts.outcomes).toEqual(STEPS.map((step) => (OPEN.has(step) ? 'skipped' : 'passed')))
  expect(inParts.told).toBeGreaterThan(entries / 1_000)
  expect(inParts.megabytes).toBeLessThan(240)
  const whole = await check('whole')
  expect(whole.winners).toEqual(inParts.winners)
  // The same files held whole: what the bound above would find. A small draw shows no difference.
  expect(whole.megabytes).toBeGreaterThan(inParts.megabytes * sized({ short: 0, extended: 1.25 }))
}, 600_000)
