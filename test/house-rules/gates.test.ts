import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  buildBytes,
  consoleBytes,
  declaredCatalogues,
  waitedCatalogues,
} from '../../tools/bench/page-bytes.ts'
import { checkDependencies } from '../../tools/gates/deps.ts'
import { dependencyRules } from '../../tools/gates/dependency-rules.ts'
import { pairFaults } from '../../tools/gates/pairs.ts'
import { checkTables, tableUses } from '../../tools/gates/tables.ts'
import { budgetBreaches, screenBreaches } from '../../tools/gates/page-budgets.ts'
import { DEPENDENCY_BREACHES, DEPENDENCY_FILES, DEPENDENCY_SLICES } from './canaries/dependencies.ts'
import { HARMLESS, READS, WRITES } from './canaries/tables.ts'
import { isExtended } from '../support/tier.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const SLOW = 120_000

/**
 * Lends a small checkout with the project's settings, made of the given files, and removes it afterwards.
 * It lies outside the project, so that no gate of the project ever sees what is broken on purpose.
 */
async function inCheckout<Result>(
  files: Record<string, string>,
  work: (root: string) => Result | Promise<Result>,
): Promise<Result> {
  const nest = fs.mkdtempSync(path.join(os.tmpdir(), 'volant-canary-'))
  const root = path.join(nest, 'checkout')
  try {
    fs.mkdirSync(root)
    // Above the checkout: programs find the packages there and do not take them for files of the checkout.
    fs.symlinkSync(path.join(projectDir, 'node_modules'), path.join(nest, 'node_modules'), 'dir')
    for (const file of ['package.json', 'tsconfig.json'])
      fs.copyFileSync(path.join(projectDir, file), path.join(root, file))
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      fs.writeFileSync(path.join(root, file), text)
    }
    return await work(root)
  } finally {
    fs.rmSync(nest, { recursive: true, force: true })
  }
}

test.runIf(isExtended)('a table without its types is drift', { timeout: SLOW }, async () => {
  const { status, stderr } = await inCheckout({}, (root) => {
    for (const part of ['src', 'db/migrations', 'tools/db-types.ts']) {
      fs.cpSync(path.join(projectDir, part), path.join(root, part), { recursive: true })
    }
    fs.symlinkSync(path.join(projectDir, 'node_modules'), path.join(root, 'node_modules'), 'dir')
    const newest = fs.readdirSync(path.join(root, 'db/migrations')).toSorted().at(-1)!
    fs.appendFileSync(
      path.join(root, 'db/migrations', newest),
      '\ncreate table canary (id int primary key);\n',
    )
    return spawnSync(process.execPath, ['tools/db-types.ts', '--verify'], { cwd: root, encoding: 'utf8' })
  })
  expect(stderr).toContain('does not match db/migrations')
  expect(status).toBe(1)
})

describe('dependencies', () => {
  const inOrder = <Item>(items: Item[]): string[] => items.map((item) => JSON.stringify(item)).sort()

  test('every breach is found, and nothing else', { timeout: SLOW }, async () => {
    const { broken } = await inCheckout(DEPENDENCY_FILES, checkDependencies)
    expect(inOrder(broken)).toEqual(inOrder(DEPENDENCY_BREACHES))
  })

  test('has a canary for every rule', () => {
    const broken = new Set(DEPENDENCY_BREACHES.map(({ rule }) => rule))
    const rules = dependencyRules(DEPENDENCY_SLICES).map(({ name }) => name)
    expect(rules.filter((rule) => !broken.has(rule))).toEqual([])
  })

  test.each([
    ['a circle', { a: ['b'], b: ['a'] }, /server: a -> b -> a is a circle/],
    ['an unknown slice', { a: ['c'] }, /a: "server" names an unknown slice, c/],
    ['itself', { a: ['a'] }, /a: "server" names itself/],
  ])('slices.json cannot name %s', async (_what, server, message) => {
    const table = Object.entries(server).map(([name, list]) => [
      name,
      { about: 'x', contracts: [], server: list, screens: [], shares: [] },
    ])
    const files = { 'slices.json': JSON.stringify(Object.fromEntries(table)), 'src/a.ts': '' }
    await expect(inCheckout(files, checkDependencies)).rejects.toThrow(message)
  })
})

describe('pairs of rooms', () => {
  const DRAW = 'src/features/draws/console/draw.tsx'
  const ORDER = 'src/features/purchase/orders/console/order.tsx'
  const link = (from: string, to: string) => ({ from, to })
  const both = [link(DRAW, ORDER), link(ORDER, DRAW)]
  const known = { 'draws purchase/orders': 'one shows the other' }
  const unlisted = `draws and purchase/orders know each other both ways:\n  ${DRAW} -> ${ORDER}\n  ${ORDER} -> ${DRAW}`
  const gone = 'draws and purchase/orders do not know each other both ways: their line in PAIRS can go'

  test.each([
    ['one way', [link(DRAW, ORDER), link(DRAW, 'src/shared/money.ts')], {}, []],
    ['both ways', both, {}, [unlisted]],
    [
      'both ways, by other files',
      [...both, link(DRAW, `${ORDER}x`), link(`${ORDER}x`, DRAW)],
      {},
      [unlisted],
    ],
    ['both ways, and listed', both, known, []],
    ['one way, and listed', [link(DRAW, ORDER)], known, [gone]],
    ['inside one slice', [link(DRAW, `${DRAW}x`), link(`${DRAW}x`, DRAW)], {}, []],
    [
      'two folders that are no slices',
      [link('src/i18n/keys.ts', 'src/shared/money.ts'), link('src/shared/fields.ts', 'src/i18n/keys.ts')],
      { ...known },
      [
        'i18n and shared know each other both ways:\n  src/i18n/keys.ts -> src/shared/money.ts\n  src/shared/fields.ts -> src/i18n/keys.ts',
        gone,
      ],
    ],
    ['a file outside of the rooms', [link('tools/a.ts', DRAW), link(DRAW, 'tools/a.ts')], {}, []],
  ])('%s', (_what, imports, listed, faults) => expect(pairFaults(imports, listed)).toEqual(faults))

  test('are counted over imports of what is shipped, not of tests', { timeout: SLOW }, async () => {
    const files = {
      'slices.json': JSON.stringify(DEPENDENCY_SLICES),
      'src/shared/a.ts': "import '../i18n/b.ts'\nexport const a = 1\n",
      'src/i18n/b.ts': 'export const b = 1\n',
      'src/i18n/b.test.ts': "import '../shared/a.ts'\n",
    }
    const { shipped } = await inCheckout(files, checkDependencies)
    expect(shipped).toEqual([link('src/shared/a.ts', 'src/i18n/b.ts')])
  })
})

describe('tables', () => {
  const tables = new Set(['orders', 'carts', 'offers'])
  const told = new Set(['insertRows', 'updateRows'])
  const found = (code: string, kind: 'writes' | 'reads'): string[] =>
    tableUses('a.ts', code, tables, told)
      .uses.filter((use) => use.kind === kind && use.table === 'orders')
      .map(({ table }) => table)

  test.each(WRITES)('a write is found: %s', (code) => expect(found(code, 'writes')).toContain('orders'))
  test.each(READS)('a read is found, and is no write: %s', (code) =>
    expect([found(code, 'reads'), found(code, 'writes')]).toEqual([['orders'], []]),
  )
  test.each(HARMLESS)('what only looks like it is none: %s', (code) =>
    expect(tableUses('a.ts', code, tables, told)).toMatchObject({ uses: [], nameless: [] }),
  )

  const row = (more: object) => ({ tables: [], reads: [], ...more })
  /** A checkout of two slices and the platform, each with one table and one file. */
  const checked = (rows: object, files: Record<string, string> = {}) =>
    inCheckout(
      {
        'slices.json': JSON.stringify({
          platform: row({ tables: ['jobs'] }),
          'purchase/cart': row({ tables: ['carts'] }),
          orders: row({ tables: ['orders'] }),
          ...rows,
        }),
        'src/platform/database-types.ts':
          'export interface DB {\n  carts: Carts;\n  jobs: Jobs;\n  orders: Orders;\n}\n',
        'src/platform/jobs.ts': 'export const note = (db) => sql`INSERT INTO jobs DEFAULT VALUES`',
        ...files,
      },
      (root) => checkTables(root).faults,
    )
  const file = 'src/features/purchase/cart/server/cart.repository.ts'
  const write = "export const pay = (db) =>\n  db.updateTable('orders')"
  const read = "export const count = (db) =>\n  db.selectFrom('orders')"
  const writes = [{ tables: ['orders'], because: 'one statement' }]

  test.each<[string, object, Record<string, string>, string[]]>([
    ['nothing', {}, {}, []],
    ['a write to its own table', {}, { [file]: "db.insertInto('carts')" }, []],
    [
      'a foreign write',
      {},
      { [file]: write },
      [`${file}:2  purchase/cart writes orders, which belongs to orders`],
    ],
    [
      'a foreign write of a screen, a tool for the browser or a module',
      {},
      {
        'src/features/purchase/cart/screens/cart.tsx': write,
        'src/features/purchase/cart/server/deep/er/cart.mts': write,
        'src/server/other.mjs': write,
      },
      [
        'src/features/purchase/cart/screens/cart.tsx:2  purchase/cart writes orders, which belongs to orders',
        'src/features/purchase/cart/server/deep/er/cart.mts:2  purchase/cart writes orders, which belongs to orders',
        'src/server/other.mjs:2  platform writes orders, which belongs to orders',
      ],
    ],
    [
      'a test that writes what it likes',
      {},
      { 'src/features/purchase/cart/server/cart.routes.test.ts': write },
      [],
    ],
    ['an exception', { 'purchase/cart': row({ tables: ['carts'], writes }) }, { [file]: write }, []],
    [
      'an exception that nothing needs',
      { 'purchase/cart': row({ tables: ['carts'], writes }) },
      {},
      ['slices.json:1  purchase/cart does not write orders'],
    ],
    [
      'an exception without a reason',
      { 'purchase/cart': row({ tables: ['carts'], writes: [{ tables: ['orders'], because: ' ' }] }) },
      { [file]: write },
      ['slices.json:1  purchase/cart writes orders without a reason'],
    ],
    [
      'a foreign read',
      {},
      { [file]: read },
      [`${file}:2  purchase/cart reads orders: slices.json does not say so`],
    ],
    [
      'a listed read',
      { 'purchase/cart': row({ tables: ['carts'], reads: ['orders'] }) },
      { [file]: read },
      [],
    ],
    [
      'a listed read that there is not',
      { 'purchase/cart': row({ tables: ['carts'], reads: ['orders'] }) },
      {},
      ['slices.json:1  purchase/cart does not read orders'],
    ],
    [
      'a listed read of its own table',
      { 'purchase/cart': row({ tables: ['carts'], reads: ['carts'] }) },
      { [file]: "db.selectFrom('carts')" },
      [
        'slices.json:1  purchase/cart owns carts, and need not name it again',
        'slices.json:1  purchase/cart does not read carts',
      ],
    ],
    [
      'a table that nobody owns',
      { 'purchase/cart': row({}) },
      { [file]: "db.insertInto('carts')" },
      ['slices.json:1  nobody owns carts', `${file}:1  purchase/cart writes carts, which belongs to nobody`],
    ],
    [
      'a table that two own',
      { 'purchase/cart': row({ tables: ['carts', 'orders'] }) },
      {},
      ['slices.json:1  orders has two owners'],
    ],
    [
      'an owner of a table that there is not',
      { 'purchase/cart': row({ tables: ['baskets', 'carts'] }) },
      {},
      ['slices.json:1  purchase/cart names baskets: there is no such table'],
    ],
    [
      'a list in no order',
      { orders: row({ tables: ['orders', 'carts'] }), 'purchase/cart': row({}) },
      {},
      ['slices.json:1  orders: "tables" must be in the order of the alphabet, each once'],
    ],
    [
      'a foreign write by functions that are told the table, one by the other',
      {},
      {
        'src/platform/rows.ts':
          'export function insertRows(trx, table) { return sql`INSERT INTO ${sql.table(table)}` }',
        'src/server/rows.ts': 'export function insertMany(trx, name) { return insertRows(trx, name) }',
        [file]: "insertMany(trx, 'carts')\ninsertMany(trx, 'orders')",
        'src/features/purchase/cart/server/more.ts': 'insertRows(trx, elsewhere)',
      },
      [
        `${file}:2  purchase/cart writes orders, which belongs to orders`,
        'src/features/purchase/cart/server/more.ts:1  writes a table that the file does not name',
      ],
    ],
    [
      'a file of a slice without a row',
      {},
      { 'src/features/gifts/server/gifts.repository.ts': read },
      ['src/features/gifts/server/gifts.repository.ts:2  gifts has no row in slices.json'],
    ],
    [
      'a write that names no table',
      {},
      { [file]: 'export const drop = (db, table) => db.deleteFrom(table)' },
      [`${file}:1  writes a table that the file does not name`],
    ],
  ])('%s', async (_what, rows, files, faults) => expect(await checked(rows, files)).toEqual(faults))

  test.each([
    ['tables', { 'purchase/cart': { reads: [] } }, /purchase\/cart: "tables" must be a list/],
    ['reads', { 'purchase/cart': { tables: [], reads: 'orders' } }, /purchase\/cart: "reads" must be a list/],
    [
      'writes',
      { 'purchase/cart': row({ writes: { orders: 'x' } }) },
      /purchase\/cart: "writes" must be a list/,
    ],
  ])('slices.json of the wrong shape is refused: %s', async (_what, rows, message) => {
    await expect(checked(rows)).rejects.toThrow(message)
  })

  test('the program fails on a fault and where it finds nothing at all, and passes otherwise', async () => {
    const types = 'export interface DB {\n  carts: Carts;\n}\n'
    const codeOf = (code: string): Promise<number | null> =>
      inCheckout(
        {
          'slices.json': JSON.stringify({ 'purchase/cart': row({ tables: ['carts'] }) }),
          'src/platform/database-types.ts': types,
          [file]: code,
        },
        (root) => spawnSync(process.execPath, [path.join(projectDir, 'tools/gates/tables.ts'), root]).status,
      )
    expect(await codeOf("db.insertInto('carts'), db.selectFrom('carts')")).toBe(0)
    expect(await codeOf("db.insertInto('carts'), db.selectFrom('carts'), db.deleteFrom(table)")).toBe(0)
    expect(await codeOf('db.selectFrom(sql`carts`), db.deleteFrom(table)')).toBe(1)
    expect(await codeOf('')).toBe(1)
  })
})

/** Text that takes about this many bytes, however it is compressed. */
const dense = (bytes: number): string => randomBytes(bytes).toString('base64')

const route = (id: string, more: object): [string, object] => [
  id,
  { id, module: `/assets/${id}.js`, imports: ['/assets/base.js'], css: ['/assets/base.css#'], ...more },
]

/** A build whose pages are all within their budgets; the base is shared and counts once for each page. */
const BUILD: Record<string, string> = {
  'assets/manifest-1.js': `window.__reactRouterManifest=${JSON.stringify({
    entry: { module: '/assets/entry.js', imports: ['/assets/base.js'], css: ['/assets/base.css#'] },
    routes: Object.fromEntries([
      route('root', { path: '' }),
      route('home', { parentId: 'root', index: true }),
      route('offers', { parentId: 'root', path: 'offers' }),
      route('frame', { parentId: 'root', path: 'profile' }),
      route('data', { parentId: 'frame', path: 'data' }),
    ]),
  })};`,
  'assets/base.js': dense(110_000),
  'assets/base.css': dense(11_000),
  ...Object.fromEntries(['entry', 'root', 'home', 'offers', 'frame'].map((id) => [`assets/${id}.js`, id])),
  'assets/data.js': dense(60_000),
  'assets/fr.js': dense(5_000),
  'assets/fr-more.js': dense(2_000),
  '.vite/manifest.json': JSON.stringify({
    '\u0000virtual:messages/fr/shop': { file: 'assets/fr.js' },
    '\u0000virtual:messages/fr/account': { file: 'assets/fr-more.js' },
    'src/a.ts': { file: 'assets/base.js' },
  }),
}
const changed = (file?: string, bytes = 0): Record<string, string> =>
  file === undefined ? BUILD : { ...BUILD, [`assets/${file}`]: dense(bytes) }

describe('budgets of pages', () => {
  test.each<[string | undefined, number, string[]]>([
    [undefined, 0, []],
    ['home.js', 40_000, ['/ JavaScript (gzip)', '/ JavaScript (brotli)']],
    ['offers.js', 42_500, ['/offers JavaScript (gzip)', '/offers JavaScript (brotli)']],
    ['data.js', 84_000, ['/profile/data JavaScript (gzip)']],
    ['frame.js', 26_000, ['/profile/data JavaScript (gzip)']],
    ['base.css', 12_300, ['/', '/offers', '/profile/data'].map((page) => `${page} CSS (gzip)`)],
    ['fr-more.js', 4_600, ['messages fr/account (gzip)']],
    ['fr.js', 9_500, ['messages fr/shop (gzip)', 'messages fr/account (gzip)']],
  ])('with %s of %i bytes: %j', async (file, bytes, breaks) => {
    const found = await inCheckout(changed(file, bytes), (root) => budgetBreaches(buildBytes(root)))
    expect(found.map(({ what }) => what)).toEqual(breaks)
  })

  test('a screen of the console counts with its entry, frame, styles and the messages of a language', async () => {
    const screen = 'features/purchase/orders/console/order.tsx'
    const build = (bytes: number): Record<string, string> => ({
      '.vite/manifest.json': JSON.stringify({
        'index.html': {
          file: 'entry.js',
          imports: ['_base.js'],
          css: ['base.css'],
          dynamicImports: ['frame.tsx', `../${screen}`],
        },
        '_base.js': { file: 'base.js' },
        'frame.tsx': { file: 'frame.js', isDynamicEntry: true, imports: ['_base.js'] },
        [`../${screen}`]: { file: 'order.js', isDynamicEntry: true, imports: ['index.html'] },
        '../../virtual:messages/fr/console': { file: 'fr.js', isDynamicEntry: true },
        '../../virtual:messages/nl/console': { file: 'nl.js', isDynamicEntry: true },
        'command-palette.tsx': { file: 'palette.js', isDynamicEntry: true },
      }),
      'entry.js': dense(40_000),
      'base.js': dense(100_000),
      'base.css': dense(10_000),
      'frame.js': dense(10_000),
      'order.js': dense(bytes),
      'fr.js': dense(10_000),
      'nl.js': dense(90_000),
      'palette.js': dense(90_000),
    })
    const found = (bytes: number): Promise<string[]> =>
      inCheckout(build(bytes), (root) => screenBreaches(consoleBytes(root)).map(({ what }) => what))
    expect(await found(20_000)).toEqual([])
    expect(await found(40_000)).toEqual(['console purchase/orders/console/order.tsx (gzip)'])
    // What it waits for besides is what its slice declares.
    const measured = (declared: string): Promise<number | undefined> =>
      inCheckout(
        {
          ...build(1_000),
          '.vite/manifest.json': build(1_000)['.vite/manifest.json']!.replace(
            '{',
            `{ "../../virtual:messages/fr/consoleOrders": { "file": "nl.js" },`,
          ),
          'src/features/purchase/orders/console/screens.ts': declared,
        },
        (root) => consoleBytes(root, declaredCatalogues(root))[0]?.size.gzip,
      )
    const load = "{ path: '/orders/:id', load: () => import('./order.tsx'),"
    const without = (await measured(`${load} follows: false }`)) ?? 0
    expect(await measured(`${load}\n catalogues: ['consoleOrders'],\n}`)).toBeGreaterThan(without + 90_000)
    await expect(measured('')).rejects.toThrow('declares purchase/orders/console/order.tsx')
  })

  test('the screen of approvals counts with every way to show one, and with its messages', async () => {
    const screen = 'features/staff/console/approvals.tsx'
    const chunk = (file: string, more: object = {}) => ({ file, isDynamicEntry: true, ...more })
    const files = {
      '.vite/manifest.json': JSON.stringify({
        'index.html': { file: 'entry.js', dynamicImports: ['frame.tsx', `../${screen}`, 'approvals.ts'] },
        'frame.tsx': chunk('frame.js'),
        [`../${screen}`]: chunk('screen.js'),
        'approvals.ts': chunk('approvals.js', { imports: ['_shared.js'] }),
        '_shared.js': { file: 'shared.js' },
        '../../virtual:messages/fr/console': chunk('fr.js'),
        '../../virtual:messages/fr/consoleDraws': chunk('draws.js'),
      }),
      'entry.js': dense(1_000),
      'frame.js': dense(1_000),
      'screen.js': dense(1_000),
      'approvals.js': dense(20_000),
      'shared.js': dense(30_000),
      'fr.js': dense(1_000),
      'draws.js': dense(40_000),
      'src/features/staff/console/screens.ts': "{ load: () => import('./approvals.tsx'), follows: 'list' }",
      'src/features/draws/console/approval-kinds.tsx':
        "export const approvalKinds = {\n  catalogues: ['consoleDraws'],\n}",
    }
    const measured = await inCheckout(files, (root) => consoleBytes(root, waitedCatalogues(root)))
    expect(measured.map(({ screen: name }) => name)).toEqual(['staff/console/approvals.tsx'])
    expect(measured[0]!.size.gzip).toBeGreaterThan(90_000)
    expect(measured[0]!.size.gzip).toBeLessThan(100_000)
  })

  test('the program fails on a breach and without a build, and passes otherwise', async () => {
    const codeOf = (files: Record<string, string>): Promise<number | null> =>
      inCheckout(
        files,
        (root) =>
          spawnSync(process.execPath, [path.join(projectDir, 'tools/gates/page-budgets.ts'), root]).status,
      )
    expect(await codeOf(BUILD)).toBe(0)
    expect(await codeOf(changed('fr.js', 9_300))).toBe(1)
    expect(await codeOf({})).toBe(1)
  })
})
