import { randomBytes } from 'node:crypto'

/** Text that takes about this many bytes, however it is compressed. */
const dense = (bytes: number): string => randomBytes(bytes).toString('base64')

const route = (id: string, more: object): object => ({
  id,
  module: `/assets/${id}.js`,
  imports: ['/assets/base.js'],
  css: ['/assets/base.css#'],
  ...more,
})

const manifest = (routes: object[]): string =>
  `window.__reactRouterManifest=${JSON.stringify({
    entry: { module: '/assets/entry.js', imports: ['/assets/base.js'], css: ['/assets/base.css#'] },
    routes: Object.fromEntries(routes.map((one) => [(one as { id: string }).id, one])),
  })};`

/** A build whose pages are all within their budgets: the base is shared, and counts once a page. */
const WITHIN: Record<string, string> = {
  'assets/manifest-1.js': manifest([
    route('root', { path: '' }),
    route('home', { parentId: 'root', index: true }),
    route('offers', { parentId: 'root', path: 'offers' }),
    route('frame', { parentId: 'root', path: 'profile' }),
    route('data', { parentId: 'frame', path: 'data' }),
    route('admin', { parentId: 'root', path: 'admin/orders' }),
  ]),
  'assets/base.js': dense(110_000),
  'assets/base.css': dense(11_000),
  'assets/entry.js': 'e',
  'assets/root.js': 'r',
  'assets/home.js': 'h',
  'assets/offers.js': 'o',
  'assets/frame.js': 'f',
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

/** Builds that break one budget each, by what the gate says of them. */
export const BUDGET_CANARIES: { change: Record<string, string>; breaks: string[] }[] = [
  { change: {}, breaks: [] },
  { change: { 'assets/home.js': dense(36_000) }, breaks: ['/ JavaScript (gzip)', '/ JavaScript (brotli)'] },
  {
    change: { 'assets/offers.js': dense(41_000) },
    breaks: ['/offers JavaScript (gzip)', '/offers JavaScript (brotli)'],
  },
  { change: { 'assets/data.js': dense(84_000) }, breaks: ['/profile/data JavaScript (gzip)'] },
  { change: { 'assets/frame.js': dense(26_000) }, breaks: ['/profile/data JavaScript (gzip)'] },
  { change: { 'assets/admin.js': dense(197_000) }, breaks: ['/admin/orders JavaScript (gzip)'] },
  {
    change: { 'assets/base.css': dense(12_300) },
    breaks: ['/ CSS (gzip)', '/admin/orders CSS (gzip)', '/offers CSS (gzip)', '/profile/data CSS (gzip)'],
  },
  { change: { 'assets/fr-more.js': dense(3_400) }, breaks: ['messages fr/account (gzip)'] },
  {
    change: { 'assets/fr.js': dense(8_300) },
    breaks: ['messages fr/shop (gzip)', 'messages fr/account (gzip)'],
  },
]

export const budgetCanary = (change: Record<string, string>): Record<string, string> => ({
  ...WITHIN,
  ...change,
})
