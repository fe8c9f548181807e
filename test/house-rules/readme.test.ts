import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '#server/settings.ts'
import { readSlices } from '../../tools/gates/slices.ts'
import { settingsTable, withSettings } from '../../tools/settings-table.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Rows of a document's tables as cells, however wide they are drawn. */
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

describe('the table of settings in README.md', () => {
  test('is the one that the settings give', () => {
    const readme = read('README.md')
    expect(readme, 'run: npx node tools/settings-table.ts').toBe(withSettings(readme))
  })

  test('differs as soon as a setting is missing, renamed or has another default', () => {
    const readme = read('README.md')
    for (const change of [
      readme.replace(/^\| `HOLD_MINUTES`.*\n/m, ''),
      readme.replace('`HOLD_MINUTES`', '`HOLD_TIME`'),
      readme.replace(`\`${SETTINGS.holdMinutes.fallback}\``, '`7`'),
    ]) {
      expect(change).not.toBe(readme)
      expect(withSettings(change)).toBe(readme)
    }
  })

  test('cannot be lost: a document without its markers is refused', () => {
    expect(() => withSettings(settingsTable())).toThrow(/lacks/)
  })
})

test('the table of slices in ARCHITECTURE.md is the one of slices.json', () => {
  const list = (names: readonly string[]): string => names.join(', ') || 'none'
  const rows = Object.entries(readSlices(root)).map(([name, { about, contracts, server, screens, shares }]) =>
    [`\`${name}\``, about, list(contracts), list(server), list(screens), list(shares)].join(' | '),
  )
  expect(tableRows(read('ARCHITECTURE.md'))).toEqual(expect.arrayContaining(rows))
})
