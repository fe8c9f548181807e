import path from 'node:path'
import { expect, test } from 'vitest'
import { outputOf } from '../../tools/bench/rates.ts'
import { isExtended } from '../support/tier.ts'

const MINUTES = 3
/** MB; without the limits a web process reaches 800 in the time, and a worker 700. */
const MOST = 400

// The figures of an hour are in docs/performance.md; a run of some minutes finds what is several times too much.
test.runIf(isExtended)(
  'a web process and a worker that sell hold less than 400 MB each',
  { timeout: 900_000 },
  async () => {
    const tool = path.resolve(import.meta.dirname, '../../tools/bench-memory.ts')
    const output = await outputOf([tool, '--minutes', String(MINUTES), '--every', '1', '--report-only'])
    const [, sold = ''] = /(\d+) purchases/.exec(output) ?? []
    expect(Number(sold)).toBeGreaterThan(100)
    for (const process of ['web', 'worker']) {
      const [, most = ''] = new RegExp(`^${process} +\\d+ +\\d+ +(\\d+) `, 'm').exec(output) ?? []
      expect(Number(most), output).toBeGreaterThan(100)
      expect(Number(most), output).toBeLessThan(MOST)
    }
  },
)
