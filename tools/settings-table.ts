/** `npx node tools/settings-table.ts` writes the table of settings into docs/settings.md; a house rule checks it. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { defaults as drandDefaults } from '../emulators/drand/settings.ts'
import { SECRET_NAMES } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'

type Row = readonly [name: string, fallback: string, purpose: string]

const PAGE = 'docs/settings.md'
const page = path.resolve(import.meta.dirname, '..', PAGE)
const START = '<!-- settings: npx node tools/settings-table.ts -->'
const END = '<!-- end of settings -->'

const INTERNAL: ReadonlySet<string> = new Set([SETTINGS.dev.name])

/** Settings of the tools, beyond those of the shop. */
const TOOL_SETTINGS: readonly Row[] = [
  [
    'PAYPAL_PORT',
    new URL(SETTINGS.paypalBaseUrl.fallback ?? '').port,
    'Port of the PayPal emulator, which `npm start` runs unless PAYPAL_BASE_URL is set.',
  ],
  [
    'DRAND_PORT',
    String(drandDefaults.port),
    'Port of the drand emulator, which `npm start` runs in a demonstration unless BEACON_URLS or BEACON_CHAIN is set.',
  ],
  ['CHROME_PATH', '', 'Chromium for `npm test`; left out, one is found or fetched.'],
]

const cell = (text: string): string => text.replaceAll('|', '\\|')
const code = (text: string | undefined): string => (text ? `\`${text}\`` : 'none')

function settingRows(): string[][] {
  const shop: Row[] = Object.values(SETTINGS)
    .filter(({ name }) => !INTERNAL.has(name))
    .map(({ name, fallback, purpose }) => [name, fallback ?? '', purpose])
  return [...shop, ...TOOL_SETTINGS].map(([name, fallback, purpose]) => [
    SECRET_NAMES.includes(name) ? `${code(name)}, ${code(`${name}_FILE`)}` : code(name),
    code(cell(fallback)),
    cell(purpose),
  ])
}

/** Returns the table in the formatter's layout: every column is as wide as its widest cell. */
export function settingsTable(): string {
  const rows = [['Setting', 'Default', 'Purpose'], ...settingRows()]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[], fill = ' '): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line([], '-'), ...body.map((row) => line(row))].join('\n')
}

/** @returns the document with a new table between its markers @throws Error when a marker is missing */
export function withSettings(document: string): string {
  const [start, end] = [document.indexOf(START), document.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`${PAGE} lacks "${START}" or "${END}".`)
  return `${document.slice(0, start + START.length)}\n\n${settingsTable()}\n\n${document.slice(end)}`
}

if (import.meta.main) {
  writeFileSync(page, withSettings(readFileSync(page, 'utf8')))
  console.log(`${PAGE} written.`)
}
