/**
 * `npm run budgets`: holds what each page of the build loads against its budget in bytes. Timings differ from run to
 * run and are never a gate; bytes are exact.
 *
 *   node tools/gates/page-budgets.ts [folder of a built client]
 */
import path from 'node:path'
import {
  type BuildBytes,
  type MessageBytes,
  type ScreenBytes,
  type Size,
  buildBytes,
  consoleBytes,
  waitedCatalogues,
} from '../bench/page-bytes.ts'

/** Budgets in bytes (ADR 0013). */
interface Budget {
  gzip: number
  brotli?: number
}

const JS: readonly { pages: RegExp; budget: Budget }[] = [
  { pages: /^\/$/, budget: { gzip: 139_500, brotli: 121_300 } },
  { pages: /^\/offers$/, budget: { gzip: 143_000, brotli: 124_500 } },
  { pages: /^\/draws(?!\/verify)/, budget: { gzip: 156_000, brotli: 136_400 } },
  { pages: /./, budget: { gzip: 181_500 } },
]
const CSS: Budget = { gzip: 12_000 }
/** With a stylesheet of its own, which no other page loads. */
const LIVE_CSS: Budget = { gzip: 12_900 }
/** The messages that every page loads. */
const EVERYWHERE = 'shop'
const MESSAGES: Budget = { gzip: 9_450 }
/** A draw says everything that can become of it, and every rule of its terms. */
const DRAWS: Budget = { gzip: 10_300 }

/** Scripts, styles and messages of a screen of the console. */
const SCREEN: Budget = { gzip: 200_000 }

interface Breach {
  what: string
  bytes: number
  budget: number
}

/** Everything that is above its budget. */
export function budgetBreaches({ pages, messages }: BuildBytes): Breach[] {
  return [
    ...pages.flatMap(({ page, js, css }) => [
      ...held(`${page} JavaScript`, js, JS.find((row) => row.pages.test(page))!.budget),
      ...held(`${page} CSS`, css, page.endsWith('/live') ? LIVE_CSS : CSS),
    ]),
    ...visits(messages).flatMap(({ name, size }) =>
      held(`messages ${name}`, size, name.endsWith('/draws') ? DRAWS : MESSAGES),
    ),
  ]
}

/** Every screen of the console that is above the budget of its first load. */
export const screenBreaches = (screens: readonly ScreenBytes[]): Breach[] =>
  screens.flatMap(({ screen, size }) => held(`console ${screen}`, size, SCREEN))

/** A catalogue whose pages load another one, too. */
const BESIDE: Readonly<Record<string, string>> = { address: 'account', sessions: 'account' }

/** What one visit loads of a language: the messages of every page, and at most one catalogue with what is beside it. */
function visits(messages: readonly MessageBytes[]): MessageBytes[] {
  return messages.map(({ name, size }) => {
    const [language, catalogue = ''] = name.split('/')
    const others = [EVERYWHERE, BESIDE[catalogue]].filter((one) => one !== undefined && one !== catalogue)
    return others.reduce<MessageBytes>(
      (visit, other) => {
        const beside = messages.find((one) => one.name === `${language}/${other}`)
        if (!beside) throw new Error(`the build has no messages ${other} beside ${name}`)
        const { gzip, brotli } = visit.size
        return { name, size: { gzip: gzip + beside.size.gzip, brotli: brotli + beside.size.brotli } }
      },
      { name, size },
    )
  })
}

const held = (what: string, size: Size, budget: Budget): Breach[] =>
  (['gzip', 'brotli'] as const).flatMap((kind) => {
    const most = budget[kind]
    return most !== undefined && size[kind] > most
      ? [{ what: `${what} (${kind})`, bytes: size[kind], budget: most }]
      : []
  })

/** A table of the exact figures, for people. */
export function bytesTable({ pages, messages }: BuildBytes): string {
  const kB = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(8)
  return [
    `${'page'.padEnd(28)} JS gzip   brotli CSS gzip  requests`,
    ...pages.map(
      ({ page, js, css, scripts }) =>
        `${page.padEnd(28)}${kB(js.gzip)} ${kB(js.brotli)} ${kB(css.gzip)} ${String(scripts.length + 1).padStart(9)}`,
    ),
    ...messages.map(
      ({ name, size }) => `${`messages ${name}`.padEnd(28)}${kB(size.gzip)} ${kB(size.brotli)}`,
    ),
  ].join('\n')
}

if (import.meta.main) {
  const folder = process.argv[2] ?? path.resolve(import.meta.dirname, '../../build/client')
  const bytes = buildBytes(folder)
  console.log(bytesTable(bytes))
  // A folder that is named has no console beside it.
  const declared = waitedCatalogues(path.resolve(import.meta.dirname, '../..'))
  const screens =
    process.argv[2] === undefined ? consoleBytes(path.resolve(folder, '../console'), declared) : []
  for (const { screen, size } of screens)
    console.log(`console ${screen.padEnd(44)} ${size.gzip} ${size.brotli}`)
  const breaches = [...budgetBreaches(bytes), ...screenBreaches(screens)]
  for (const { what, bytes: found, budget } of breaches) {
    console.error(`${what}: ${found} bytes, ${budget} allowed`)
  }
  process.exitCode = breaches.length > 0 ? 1 : 0
}
