import { globSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { randomDraw } from '../support/random-draws.ts'
import { sharedStage } from '../support/stage.ts'
import { isExtended } from '../support/tier.ts'

const BUILD = path.resolve(import.meta.dirname, '../../build/client/assets')
const DRAWS = 10_000
const AT_ONCE = 100

const { visit } = await sharedStage()

/** The core alone does the same in tools/random-draws.test.ts; here the built worker of the pages does it in Chromium. */
test.runIf(isExtended)(
  'the worker of the page finds the winner of each draw with a list and a signature at random',
  async () => {
    const [file = ''] = globSync('verify.worker-*.js', { cwd: BUILD })
    // The security policies of the shop's pages allow their own calls of the worker alone.
    const { page } = await visit()
    await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    await page.goto('/blank')
    await page.evaluate(
      (address) => Object.assign(globalThis, { drawWorker: new Worker(address, { type: 'module' }) }),
      `/assets/${file}`,
    )
    for (let first = 0; first < DRAWS; first += AT_ONCE) {
      const draws = Array.from({ length: AT_ONCE }, (_, at) => randomDraw(first + at))
      const packs = draws.map(({ files }) =>
        [...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString('latin1')] as const),
      )
      const found = await page.evaluate(async (given) => {
        const { drawWorker } = globalThis as unknown as { drawWorker: Worker }
        const outcomes: { verdict: string; winners: number[] }[] = []
        for (const files of given) {
          const outcome = new Promise<{ verdict: string; winners: { number: number }[] }>(
            (resolve, reject) => {
              drawWorker.addEventListener('error', () => reject(new Error('the worker does not start')))
              const listen = ({ data }: MessageEvent): void => {
                if (data.type !== 'pack' && data.type !== 'broken') return
                drawWorker.removeEventListener('message', listen)
                resolve(data.outcome ?? { verdict: 'broken', winners: [] })
              }
              drawWorker.addEventListener('message', listen)
            },
          )
          const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.codePointAt(0)!)
          drawWorker.postMessage({
            type: 'pack',
            files: files.map(([name, text]) => ({ name, content: new Blob([bytesOf(text)]) })),
            kept: { termsHash: '', listHash: '', checkpoints: '' },
            proof: '',
          })
          const { verdict, winners } = await outcome
          outcomes.push({ verdict, winners: winners.map(({ number }) => number) })
        }
        return outcomes
      }, packs)
      expect(found).toEqual(draws.map(({ findings: { winners } }) => ({ verdict: 'passed', winners })))
    }
  },
  2 * 3_600_000,
)
