import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '#server/config.ts'
import { readSlices } from '../../tools/gates/slices.ts'
import { withSettings } from '../../tools/settings-table.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

test('the table in docs/settings.md matches the settings', () => {
  const page = read('docs/settings.md')
  expect(page, 'run: npx node tools/settings-table.ts').toBe(withSettings(page))
  const withoutOne = page.replace(/^\| `HOLD_MINUTES`.*\n/m, '')
  expect(withoutOne).not.toBe(page)
  expect(withSettings(withoutOne)).toBe(page)
  expect(() => withSettings('a page without the markers of the table')).toThrow(/lacks/)
})

test('the table of slices in ARCHITECTURE.md matches slices.json', () => {
  const list = (names: readonly string[]): string => names.join(', ') || 'none'
  const rows = read('ARCHITECTURE.md')
    .split('\n')
    .map((line) => line.replaceAll(/\s*\|\s*/g, '|'))
  for (const [name, { about, contracts, server, screens, shares }] of Object.entries(readSlices(root))) {
    const cells = [`\`${name}\``, about, list(contracts), list(server), list(screens), list(shares)]
    expect(rows).toContain(`|${cells.join('|')}|`)
  }
})

test('I7 allows the longest hold that the settings allow, extended once, and a minute more', () => {
  const longest = 180
  expect(readConfig({ HOLD_MINUTES: String(longest) }).holdMinutes).toBe(longest)
  expect(() => readConfig({ HOLD_MINUTES: String(longest + 1) })).toThrow('HOLD_MINUTES')
  expect(read('db/invariants.sql')).toContain(
    `hold_until > state_changed_at + interval '${2 * longest + 1} minutes'`,
  )
})
