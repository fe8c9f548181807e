import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '#server/settings.ts'
import { readSlices } from '../../tools/gates/slices.ts'
import { settingsTable, withSettings } from '../../tools/settings-table.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Returns the rows of a document's tables as cells, without padding. */
const tableRows = (document: string): string[] =>
  document
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
        .join(' | '),
    )

const SETTINGS_PAGE = 'docs/settings.md'

describe(`the table of settings in ${SETTINGS_PAGE}`, () => {
  test('matches the settings', () => {
    const page = read(SETTINGS_PAGE)
    expect(page, 'run: npx node tools/settings-table.ts').toBe(withSettings(page))
  })

  test('differs when a setting is missing, renamed or has another default', () => {
    const page = read(SETTINGS_PAGE)
    for (const change of [
      page.replace(/^\| `HOLD_MINUTES`.*\n/m, ''),
      page.replace('`HOLD_MINUTES`', '`HOLD_TIME`'),
      page.replace(`\`${SETTINGS.holdMinutes.fallback}\``, '`7`'),
    ]) {
      expect(change).not.toBe(page)
      expect(withSettings(change)).toBe(page)
    }
  })

  test('cannot get lost: a document without its markers is refused', () => {
    expect(() => withSettings(settingsTable())).toThrow(/lacks/)
  })
})

test('README.md has at most 150 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('the table of slices in ARCHITECTURE.md is the one of slices.json', () => {
  const list = (names: readonly string[]): string => names.join(', ') || 'none'
  const rows = Object.entries(readSlices(root)).map(([name, { about, contracts, server, screens, shares }]) =>
    [`\`${name}\``, about, list(contracts), list(server), list(screens), list(shares)].join(' | '),
  )
  expect(tableRows(read('ARCHITECTURE.md'))).toEqual(expect.arrayContaining(rows))
})
