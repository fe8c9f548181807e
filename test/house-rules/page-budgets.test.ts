import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildBytes } from '../../tools/bench/page-bytes.ts'
import { budgetBreaches } from '../../tools/gates/page-budgets.ts'
import { inCheckout } from './canaries/checkout.ts'

const gate = path.resolve(import.meta.dirname, '../../tools/gates/page-budgets.ts')

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
      route('admin', { parentId: 'root', path: 'admin/orders' }),
    ]),
  })};`,
  'assets/base.js': dense(110_000),
  'assets/base.css': dense(11_000),
  ...Object.fromEntries(['entry', 'root', 'home', 'offers', 'frame'].map((id) => [`assets/${id}.js`, id])),
  'assets/data.js': dense(60_000),
  'assets/admin.js': dense(160_000),
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
    ['home.js', 36_000, ['/ JavaScript (gzip)', '/ JavaScript (brotli)']],
    ['offers.js', 41_000, ['/offers JavaScript (gzip)', '/offers JavaScript (brotli)']],
    ['data.js', 84_000, ['/profile/data JavaScript (gzip)']],
    ['frame.js', 26_000, ['/profile/data JavaScript (gzip)']],
    ['admin.js', 197_000, ['/admin/orders JavaScript (gzip)']],
    [
      'base.css',
      12_300,
      ['/', '/admin/orders', '/offers', '/profile/data'].map((page) => `${page} CSS (gzip)`),
    ],
    ['fr-more.js', 3_400, ['messages fr/account (gzip)']],
    ['fr.js', 8_300, ['messages fr/shop (gzip)', 'messages fr/account (gzip)']],
  ])('with %s of %i bytes: %j', async (file, bytes, breaks) => {
    const found = await inCheckout(changed(file, bytes), ({ root }) => budgetBreaches(buildBytes(root)))
    expect(found.map(({ what }) => what)).toEqual(breaks)
  })

  test('the program fails on a breach and without a build, and passes otherwise', async () => {
    const codeOf = (files: Record<string, string>): Promise<number | null> =>
      inCheckout(files, ({ root }) => spawnSync(process.execPath, [gate, root]).status)
    expect(await codeOf(BUILD)).toBe(0)
    expect(await codeOf(changed('fr.js', 8_300))).toBe(1)
    expect(await codeOf({})).toBe(1)
  })
})
