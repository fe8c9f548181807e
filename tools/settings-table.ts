/** `npx node tools/settings-table.ts` writes the list of settings into docs/settings.md; a house rule checks it. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { defaults as drandDefaults } from '../emulators/drand/settings.ts'
import { defaults as stampDefaults } from '../emulators/tsa/settings.ts'
import { defaults as witnessDefaults } from '../emulators/witness/settings.ts'
import { SECRET_NAMES } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'

type Row = readonly [name: string, fallback: string, purpose: string]

const PAGE = 'docs/settings.md'
const page = path.resolve(import.meta.dirname, '..', PAGE)
const START = '<!-- settings: npx node tools/settings-table.ts -->'
const END = '<!-- end of settings -->'

/** Set by tools of ours, and by nobody else. */
const INTERNAL: ReadonlySet<string> = new Set([SETTINGS.dev.name, 'VOLANT_DEMO_HISTORY', 'VOLANT_REHEARSAL'])

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
    'Port of the drand emulator, which `npm start` runs unless BEACON_URLS or BEACON_CHAIN is set.',
  ],
  [
    'WITNESS_PORT',
    String(witnessDefaults.port),
    'Port of the witness emulator, which `npm start` runs unless WITNESS_POLICY is set.',
  ],
  [
    'STAMP_PORT',
    String(stampDefaults.port),
    'Port of the time stamp emulator, which `npm start` runs unless STAMP_URL is set, where the program openssl is there.',
  ],
  ['CHROME_PATH', '', 'Chromium for `npm test`; left out, one is found or fetched.'],
]

const code = (text: string): string => `\`${text}\``

/** Returns a line for each setting: its name, that of its file where it is a secret, its default and its purpose. */
export function settingsList(): string {
  const shop: Row[] = Object.values(SETTINGS)
    .filter(({ name }) => !INTERNAL.has(name))
    .map(({ name, fallback, purpose }) => [name, fallback ?? '', purpose])
  return [...shop, ...TOOL_SETTINGS]
    .map(([name, fallback, purpose]) => {
      const names = SECRET_NAMES.includes(name) ? `${code(name)}, ${code(`${name}_FILE`)}` : code(name)
      return `- ${names}${fallback && ` (${code(fallback)})`}: ${purpose}`
    })
    .join('\n')
}

/** @returns the document with a new list between its markers @throws Error when a marker is missing */
export function withSettings(document: string): string {
  const [start, end] = [document.indexOf(START), document.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`${PAGE} lacks "${START}" or "${END}".`)
  return `${document.slice(0, start + START.length)}\n\n${settingsList()}\n\n${document.slice(end)}`
}

if (import.meta.main) {
  writeFileSync(page, withSettings(readFileSync(page, 'utf8')))
  console.log(`${PAGE} written.`)
}
