import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * What axe finds wrong on the page as it stands, one line each.
 * @param without rules that cannot judge here
 * @param options false where documents within the page are not looked at
 */
export async function violations(
  page: Page,
  without: readonly string[] = [],
  { iframes = true } = {},
): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations: found } = await page.evaluate(
    ({ rules, off, frames }) =>
      (window as unknown as { axe: typeof axe }).axe.run({
        runOnly: { type: 'tag', values: rules },
        iframes: frames,
        rules: Object.fromEntries(off.map((rule) => [rule, { enabled: false }])),
      }),
    { rules: RULES, off: without, frames: iframes },
  )
  return found.flatMap((one) =>
    one.nodes.map((node) => `${one.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}
