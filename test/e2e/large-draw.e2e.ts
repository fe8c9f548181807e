import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sharedStage } from '../support/stage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

const { visit } = await sharedStage()
const MAKER = path.resolve(import.meta.dirname, '../../src/draw-protocol/large-draw.test-support.ts')
const ENTRIES = '200000'
const SLOWER = 4

/** A million entries are checked in src/draw-protocol/large-draw.test.ts, without a page. */
test.runIf(isExtended)(
  'a processor of a quarter of the speed checks 200,000 entries while the progress bar moves',
  async () => {
    const folder = temporaryFolder()
    execFileSync(process.execPath, [MAKER, 'make', folder, ENTRIES])
    const { page, context, faults } = await visit('/draws/verify')
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    await page.evaluate(() => {
      const seen = new Set<string>()
      const watch = (): void => {
        const bar = document.querySelector('[data-step] svg[role=img]')
        if (bar) seen.add(bar.getAttribute('aria-label') ?? '')
        requestAnimationFrame(watch)
      }
      watch()
      Object.assign(globalThis, { seenProgress: seen })
    })
    await page
      .locator('input[type=file]')
      .setInputFiles(readdirSync(folder).map((name) => path.join(folder, name)))
    const verdict = page.locator('[data-verdict]')
    await verdict.waitFor({ timeout: 600_000 })
    expect(await verdict.getAttribute('data-verdict')).toBe('passed')
    const seen = await page.evaluate(() => [
      ...(globalThis as unknown as { seenProgress: Set<string> }).seenProgress,
    ])
    // Many per cents of several steps, each painted.
    expect(seen.length).toBeGreaterThan(20)
    expect(faults).toEqual([])
  },
  15 * 60_000,
)
