import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { salesFile } from '#features/reports/server/send-reports.ts'
import { csvCell } from '#platform/documents/csv.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { routesOf } from '../support/printed-routes.ts'
import { type Customer, type Staff, openShop } from '../support/shop.ts'
import { sized } from '../support/tier.ts'

// Every file that somebody can save is found in the source and by asking every address, and no cell of a table is a
// formula for a spreadsheet, whatever people have typed.

type Kind = 'table' | 'pdf' | 'zip' | 'json' | 'text' | 'any'

/** The places where files are made or sent, with what they are. A new one is missing here, and the test says so. */
const FILES: Record<string, readonly Kind[]> = {
  'features/customers/server/staff-customers.routes.ts': ['zip'],
  'features/draws/server/proof-file.ts': ['text'],
  'features/draws/server/public/draw-files.routes.ts': ['zip'],
  'features/draws/server/rehearsals/rehearsals.routes.ts': ['zip'],
  'features/draws/server/checkpoint-mails.ts': ['text'],
  // Checkpoints, and what a winner has claimed: for programs.
  'features/draws/server/seal-files.ts': ['text'],
  // As it was attached.
  'features/emails/server/mailbox.routes.ts': ['any'],
  'features/purchase/orders/server/buyer-orders.routes.ts': ['pdf'],
  'features/purchase/orders/server/staff-orders.routes.ts': ['table'],
  'features/policies/server/policies.routes.ts': ['pdf'],
  'features/postal/server/postal.routes.ts': ['pdf'],
  'features/postal/server/winner-letters.routes.ts': ['pdf'],
  'features/reports/server/reports.routes.ts': ['table'],
  'features/reports/server/send-reports.ts': ['table'],
  'features/staff/server/audit.routes.ts': ['json'],
  'features/tickets/server/ticket-files.ts': ['pdf'],
  'features/tickets/server/tickets.routes.ts': ['pdf'],
}
/** Calls that respond with a table, with a query that lets it show what people typed. */
const QUERIES: Record<string, string> = {
  'POST /api/staff/orders/export': '',
  'GET /api/staff/reports/sales/csv': '?group=contest',
}
const TABLES = Object.keys(QUERIES)

const SOURCE = join(import.meta.dirname, '../../src')
/** What sends a file, attaches one, or names a table. */
const MARK = /'content-disposition',|contentType: '/g
const TABLE_MARK = /text\/csv; charset|tab-separated|spreadsheetml|ms-excel; /

const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(?:-\w+)?\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(SOURCE, file), 'utf8') }))

test('every place that makes a file is known, and tables are written by the one writer', () => {
  const found = sources.flatMap(({ file, text }) => {
    const count =
      file.startsWith('features/') && file.includes('/server/') ? [...text.matchAll(MARK)].length : 0
    return count > 0 ? [[file, count] as const] : []
  })
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(FILES).map(([file, kinds]) => [file, kinds.length])),
  )
  const tables = sources.filter(({ text }) => TABLE_MARK.test(text)).map(({ file }) => file)
  expect(tables.toSorted()).toEqual(Object.keys(FILES).filter((file) => FILES[file]?.includes('table')))
})

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })

/** What a spreadsheet takes for a formula begins with one of these. */
const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−', '\t', '\r', '\n']
/** What some spreadsheets skip before it. */
const BEFORE = [
  '',
  ' ',
  '\u00a0\u3000',
  '"',
  "'",
  '“',
  '’"',
  '\u200b',
  '\ufeff\u200e',
  '\u202e',
  '\u00ad',
  '\u2060 "',
  '\u3164',
  '\u034f',
  '\u2800',
]
const HOSTILE = BEFORE.flatMap((before) =>
  SIGNS.map((sign) => `${before}${sign}1+HYPERLINK("http://x.test")`),
)

/** Rows of a table that a spreadsheet reads (RFC 4180). */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = []
  let [cell, isQuoted] = ['', false]
  for (const sign of text.replace(/^\ufeff/, '')) {
    if (sign === '"') {
      if (!isQuoted && cell.endsWith('\0')) cell = `${cell.slice(0, -1)}"`
      isQuoted = !isQuoted
      if (!isQuoted) cell += '\0'
      continue
    }
    if (!isQuoted && (sign === separator || sign === '\n')) {
      cells.push(cell.replaceAll('\0', ''))
      cell = ''
    } else if (isQuoted || sign !== '\r') cell += sign
  }
  return cells
}

const NUMBER = /^-?\d+(?:[.,]\d+)?$/
const IS_FORMULA = new RegExp(
  `^[\\s\\p{Z}\\p{C}\\p{M}\\p{Pi}\\p{Pf}"\u3164\u2800]*[${SIGNS.map((sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`).join('')}]`,
  'u',
)

/** The cells of a table that a spreadsheet would take for a formula. */
const formulasIn = (text: string, separator: string): string[] =>
  cellsOf(text, separator).filter((cell) => IS_FORMULA.test(cell) && !NUMBER.test(cell))

test('no text of people begins a cell as a formula, whatever stands before its sign', () => {
  for (const separator of [';', ','])
    expect(
      HOSTILE.filter((text) => formulasIn(`${csvCell(text, separator)}\r\n`, separator).length > 0),
    ).toEqual([])
  expect(
    ['a=b', 'Dupont-Martin', '"Rosa" - mijn auto', 'l’été', '5+1'].map((text) => csvCell(text, ';')),
  ).toEqual(['a=b', 'Dupont-Martin', '"""Rosa"" - mijn auto"', 'l’été', '5+1'])
})

/** Pages, data and pictures; anything else is a file. */
const KNOWN_PAGES =
  /^(?:application\/(?:json|manifest\+json|xml|javascript)|text\/(?:html|css|javascript|plain|xml|x-python)|image\/|font\/|$)/
const KNOWN_FILES = /^(?:application\/(?:pdf|zip|json|jsonl|x-ndjson)|text\/plain)$/

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

describe('every address', () => {
  let staff: Staff
  let customer: Customer
  let places: Record<string, string | number>

  beforeAll(async () => {
    staff = await shop.newStaff('owner')
    const paid = await shop.paidOrder(1)
    customer = paid.customer
    places = { orders: paid.ours.id, customers: customer.id, offers: paid.offerId }
    await staff.stepUp('orders.export')
  })

  const ask = (route: string, language: string) => {
    const [method = 'GET', pattern = ''] = route.split(' ')
    const path = pattern
      .replaceAll(/([\w-]+)\/:\w+/g, (_, kind: string) => `${kind}/${places[kind] ?? 'x'}`)
      .replaceAll(/:\w+/g, 'x')
    return shop.app.inject({
      method: method as 'GET',
      url: `${path}/${QUERIES[route] ?? ''}`,
      headers: { cookie: staff.cookie, origin: shop.config.publicUrl, 'accept-language': language },
    })
  }

  test('that responds with a file responds with one of a known kind, and no table is unknown', async () => {
    const routes = routesOf(shop.app).filter(
      (route) => (route.startsWith('GET ') && !/\/live$|\.pdf$/.test(route)) || TABLES.includes(route),
    )
    const unknown: string[] = []
    const tables: string[] = []
    for (const route of routes) {
      const { headers, statusCode } = await ask(route, 'en')
      const [type = ''] = String(headers['content-type'] ?? '').split(';')
      const isFile = headers['content-disposition'] !== undefined || !KNOWN_PAGES.test(type)
      if (statusCode >= 300 || !isFile) continue
      if (type === 'text/csv') tables.push(route)
      else if (!KNOWN_FILES.test(type)) unknown.push(`${route}: ${type}`)
    }
    expect(unknown).toEqual([])
    expect(tables.toSorted()).toEqual(TABLES.toSorted())
  })

  test('with a table has no formula in it, whatever people have typed', async () => {
    const found: string[] = []
    // As an earlier version of the shop may have stored them.
    await shop.pool.query('ALTER TABLE offers DISABLE TRIGGER USER')
    const year = new Date().getFullYear()
    const period = `contest ${year - 1}-12-31 ${year}-12-30`
    const typed = HOSTILE.filter((_, at) => at % sized({ short: 37, extended: 1 }) === 0)
    for (const [index, text] of typed.entries()) {
      const title = literal(text)
      await shop.pool.query(`
        UPDATE users SET username = ${title}, email = ${title} WHERE id = ${customer.id};
        UPDATE offers SET titles = jsonb_build_object('fr', ${title}, 'nl', ${title}, 'en', ${title})`)
      const language = LANGUAGES[index % LANGUAGES.length]!
      const separator = language === 'en' ? ',' : ';'
      const files = await Promise.all(TABLES.map(async (route) => (await ask(route, language)).body))
      const [mailed] = await salesFile(shop.db, shop.config.timeZone, period, language)
      for (const file of [...files, mailed!.content.toString()]) {
        expect(cellsOf(file, separator)).toContain(`'${text}`)
        found.push(...formulasIn(file, separator))
      }
    }
    expect(found).toEqual([])
  })
})
