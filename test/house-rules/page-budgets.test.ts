import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { BUDGET_CANARIES, budgetCanary } from './canaries/page-budgets.ts'
import { inCheckout } from './canaries/checkout.ts'
import { budgetBreaches } from '../../tools/gates/page-budgets.ts'
import { buildBytes } from '../../tools/bench/page-bytes.ts'

const SLOW = 120_000
const gate = path.resolve(import.meta.dirname, '../../tools/gates/page-budgets.ts')

describe('budgets of pages', () => {
  test.each(BUDGET_CANARIES)('$breaks', { timeout: SLOW }, async ({ change, breaks }) => {
    const found = await inCheckout(budgetCanary(change), ({ root }) => budgetBreaches(buildBytes(root)))
    expect(found.map(({ what }) => what)).toEqual(breaks)
    expect(found.every(({ bytes, budget }) => bytes > budget)).toBe(true)
  })

  test(
    'the program ends badly on a breach, on a folder without a build, and well otherwise',
    { timeout: SLOW },
    async () => {
      const codeOf = (files: Record<string, string>): Promise<number | null> =>
        inCheckout(files, ({ root }) => spawnSync(process.execPath, [gate, root]).status)
      expect(await codeOf(budgetCanary({}))).toBe(0)
      expect(await codeOf(budgetCanary(BUDGET_CANARIES.at(-1)!.change))).toBe(1)
      expect(await codeOf({})).toBe(1)
    },
  )

  test('a file that several parts of a page name counts once', async () => {
    const [home] = await inCheckout(budgetCanary({}), ({ root }) => buildBytes(root).pages)
    expect(home).toMatchObject({
      page: '/',
      // The entry's and the root's own files are never asked for, and the document carries the list of routes.
      scripts: ['/assets/base.js', '/assets/home.js'],
    })
  })
})
