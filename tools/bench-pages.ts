/**
 * `npm run bench:pages`: what pages weigh and how fast they are. Bytes are exact; everything else depends on the machine,
 * so measure on one that does nothing else, and compare within one run.
 *
 *   node tools/bench-pages.ts [--only bytes|lighthouse|rate|inp|documents …] [--runs N] [--json file]
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { measureDocuments } from './bench/documents.ts'
import { measureInteractions } from './bench/interactions.ts'
import { measurePages } from './bench/lighthouse.ts'
import { buildBytes } from './bench/page-bytes.ts'
import { measureRates } from './bench/rates.ts'
import { type BenchShop, startBenchShop } from './bench/shop.ts'
import { documentTable, interactionTable, lighthouseTable, rateTable } from './bench/tables.ts'
import { bytesTable } from './gates/page-budgets.ts'
import { buildIfNeeded } from './run/build.ts'
import { endingSignal } from './run/ending.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const PARTS = ['bytes', 'lighthouse', 'rate', 'inp', 'documents'] as const
const OFFERS = 24
const projectDir = path.resolve(import.meta.dirname, '..')

const USAGE = `npm run bench:pages -- [--only ${PARTS.join('|')} …] [--runs N] [--json file]`

const { values } = readOptions(USAGE, {
  options: {
    only: { type: 'string', multiple: true, default: [...PARTS] },
    runs: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
})
const unknown = values.only.filter((part) => !(PARTS as readonly string[]).includes(part))
const runs = Number(values.runs)
if (unknown.length > 0 || !Number.isInteger(runs) || runs < 1) endWithUsage(USAGE)

const wants = (part: (typeof PARTS)[number]): boolean => values.only.includes(part)
const log = (line: string): void => console.error(line)
const result: Record<string, unknown> = {}

await buildIfNeeded(projectDir, endingSignal())
if (wants('bytes')) {
  const bytes = (result['bytes'] = buildBytes(path.join(projectDir, 'build/client')))
  console.log(bytesTable(bytes))
}
if (values.only.some((part) => part !== 'bytes')) {
  const shop = await startBenchShop(OFFERS, log)
  try {
    await measure(shop)
  } finally {
    await shop.stop()
  }
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)

async function measure(shop: BenchShop): Promise<void> {
  const url = shop.secureUrl ?? shop.url
  result['protocol'] = shop.secureUrl ? 'HTTP/2' : 'HTTP/1.1'
  if (wants('lighthouse')) {
    const tokens = await shop.signIn()
    const pages = [
      ...['/', '/offers', '/login', '/policies/terms-and-conditions'].map((page) => ({ path: page })),
      { path: shop.offerPath, tokens },
    ]
    const figures = await measurePages(url, pages, runs, log)
    result['lighthouse'] = figures
    const title = `Lighthouse, phone, medians of ${runs}, ${String(result['protocol'])}`
    console.log(`\n${title}\n${lighthouseTable(figures)}`)
  }
  if (wants('rate')) {
    const rates = (result['rate'] = await measureRates(shop.url))
    console.log(`\nOne process, 16 connections, HTTP/1.1, ${OFFERS} contests\n${rateTable(rates)}`)
  }
  if (wants('inp')) {
    const found = await measureInteractions(url, shop.offerPath, await shop.signIn())
    result['inp'] = found
    console.log(`\nInteractions, processor slowed down 4 times\n${interactionTable(found)}`)
  }
  if (wants('documents')) {
    const found = (result['documents'] = await measureDocuments(shop))
    const made = `${found.documents} tickets were downloaded`
    console.log(`\nPages beside downloads of tickets, phases in turn; ${made}\n${documentTable(found.pages)}`)
  }
}
