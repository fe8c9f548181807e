import type { DependencyFindings } from '../../../tools/gates/deps.ts'

const slices = {
  offers: { about: 'contests', contracts: [], server: [], screens: [], shares: [] },
  cart: {
    about: 'the cart',
    contracts: ['offers'],
    server: ['offers'],
    screens: ['offers'],
    shares: ['cart-slice.ts'],
  },
}

/** What each file imports; `types` are imported as types only. All the rest is right and must stay unmentioned. */
const IMPORTS: Record<string, string[]> = {
  // Right: every way that is open.
  'src/shared/money.ts': ['type #i18n/keys.ts'],
  'src/shared/clock.ts': ['./money.ts'],
  'src/i18n/keys.ts': [],
  'src/i18n/server-translator.ts': ['#shared/money.ts', 'node:fs'],
  'src/ui/button.tsx': ['#shared/money.ts', 'react'],
  'src/platform/database.ts': ['#shared/clock.ts', 'kysely', 'node:fs'],
  'src/client/api.ts': ['#features/cart/cart.contract.ts', '#shared/money.ts'],
  'src/features/offers/offers.contract.ts': ['#shared/money.ts', '#i18n/keys.ts', 'zod/mini'],
  'src/features/offers/offers.rules.ts': ['./offers.contract.ts'],
  'src/features/offers/server/index.ts': ['./offers.repository.ts'],
  'src/features/offers/server/offers.repository.ts': ['#platform/database.ts', '../offers.rules.ts'],
  'src/features/offers/screens/offer-card.tsx': ['#ui/button.tsx', '#client/api.ts', '../offers.rules.ts'],
  'src/features/cart/cart.contract.ts': ['#features/offers/offers.contract.ts'],
  'src/features/cart/server/index.ts': ['./cart.service.ts'],
  'src/features/cart/server/cart.service.ts': [
    '#features/offers/server/index.ts',
    '#features/offers/offers.rules.ts',
  ],
  'src/features/cart/server/cart.routes.test.ts': [
    '../../offers/server/offers.repository.ts',
    '../../../../test/support/shop.ts',
  ],
  'src/features/cart/screens/cart-page.tsx': [
    '#features/offers/screens/offer-card.tsx',
    '../cart.contract.ts',
  ],
  'src/features/cart/screens/cart-slice.ts': ['#client/api.ts', './bad.tsx'],
  'src/features/offers/screens/use-add.ts': ['#features/cart/screens/cart-slice.ts'],
  'src/app/root.tsx': [
    '#features/cart/screens/cart-page.tsx',
    'react-router',
    'virtual:messages/fr',
    './+types/root',
  ],
  'src/server/main.ts': [
    '#features/cart/server/index.ts',
    '#platform/database.ts',
    '#i18n/server-translator.ts',
  ],
  'emulators/paypal/main.ts': ['./book.ts', 'fastify'],
  'emulators/paypal/book.ts': [],
  'test/support/shop.ts': ['#server/main.ts', 'vitest'],
  'tools/start.ts': ['#features/cart/server/index.ts'],

  // Wrong, one by one.
  'src/shared/bad.ts': ['#ui/button.tsx', 'node:fs'],
  'src/ui/bad.tsx': ['#client/api.ts', '#i18n/server-translator.ts'],
  'src/i18n/bad.ts': ['#client/api.ts'],
  'src/client/bad.ts': ['#features/cart/screens/cart-page.tsx'],
  'src/platform/bad.ts': ['type #features/cart/cart.contract.ts'],
  'src/app/bad.ts': ['type #features/cart/server/index.ts'],
  'src/server/bad.ts': ['#features/offers/server/offers.repository.ts', '#app/root.tsx'],
  'src/features/offers/bad.rules.ts': ['#features/cart/cart.contract.ts'],
  'src/features/offers/server/bad.ts': ['type #features/cart/server/index.ts'],
  'src/features/offers/screens/bad.tsx': ['type ../server/index.ts', '#features/cart/screens/cart-page.tsx'],
  'src/features/cart/bad.rules.ts': ['#client/api.ts'],
  'src/features/cart/server/bad.ts': ['../../offers/server/offers.repository.ts'],
  'src/features/cart/screens/bad.tsx': ['#platform/database.ts'],
  'src/features/cart/screens/development.tsx': ['vitest'],
  'emulators/paypal/bad.ts': ['../../src/shared/money.ts'],
  'src/features/cart/server/reach.ts': ['../../../../test/support/shop.ts'],
  'tools/bad.ts': ['#features/offers/server/offers.repository.ts'],
  'src/shared/circle-a.ts': ['./circle-b.ts'],
  'src/shared/circle-b.ts': ['./circle-a.ts'],
  'src/shared/lost.ts': ['#shared/gone.ts'],
  'src/shared/alone.ts': [],
}

const statement = (to: string): string =>
  to.startsWith('type ') ? `import type {} from '${to.slice(5)}'` : `import '${to}'`

export const DEPENDENCY_FILES: Record<string, string> = {
  'slices.json': JSON.stringify(slices),
  ...Object.fromEntries(
    Object.entries(IMPORTS).map(([file, imports]) => [
      file,
      `${imports.map(statement).join('\n')}\nexport const it = 1\n`,
    ]),
  ),
}

export const DEPENDENCY_SLICES = slices

type Breach = DependencyFindings['broken'][number]
const breach = (rule: string, from: string, to: string): Breach => ({ rule, from, to })

export const DEPENDENCY_BREACHES: Breach[] = [
  breach(
    'cart: cart-slice.ts knows no screen',
    'src/features/cart/screens/cart-slice.ts',
    'src/features/cart/screens/bad.tsx',
  ),
  breach('shared stands alone', 'src/shared/bad.ts', 'src/ui/button.tsx'),
  breach('browser code runs without Node', 'src/shared/bad.ts', 'fs'),
  breach('ui knows no business', 'src/ui/bad.tsx', 'src/client/api.ts'),
  breach('ui knows no business', 'src/ui/bad.tsx', 'src/i18n/server-translator.ts'),
  breach('browser code reads compiled texts', 'src/ui/bad.tsx', 'src/i18n/server-translator.ts'),
  breach('i18n stands on the kernel', 'src/i18n/bad.ts', 'src/client/api.ts'),
  breach('client speaks contracts', 'src/client/bad.ts', 'src/features/cart/screens/cart-page.tsx'),
  breach('platform knows no business', 'src/platform/bad.ts', 'src/features/cart/cart.contract.ts'),
  breach('app joins screens', 'src/app/bad.ts', 'src/features/cart/server/index.ts'),
  breach(
    'src/server joins front doors',
    'src/server/bad.ts',
    'src/features/offers/server/offers.repository.ts',
  ),
  breach('src/server joins front doors', 'src/server/bad.ts', 'src/app/root.tsx'),
  breach(
    'offers: contract and rules stay pure',
    'src/features/offers/bad.rules.ts',
    'src/features/cart/cart.contract.ts',
  ),
  breach(
    'offers: server uses front doors',
    'src/features/offers/server/bad.ts',
    'src/features/cart/server/index.ts',
  ),
  breach(
    'offers: screens stay in front',
    'src/features/offers/screens/bad.tsx',
    'src/features/offers/server/index.ts',
  ),
  breach(
    'offers: screens stay in front',
    'src/features/offers/screens/bad.tsx',
    'src/features/cart/screens/cart-page.tsx',
  ),
  breach('cart: contract and rules stay pure', 'src/features/cart/bad.rules.ts', 'src/client/api.ts'),
  breach(
    'cart: server uses front doors',
    'src/features/cart/server/bad.ts',
    'src/features/offers/server/offers.repository.ts',
  ),
  breach('cart: screens stay in front', 'src/features/cart/screens/bad.tsx', 'src/platform/database.ts'),
  breach(
    'no development package at run time',
    'src/features/cart/screens/development.tsx',
    'node_modules/vitest/dist/index.js',
  ),
  breach('emulators share no code', 'emulators/paypal/bad.ts', 'src/shared/money.ts'),
  breach(
    'the product imports no emulator, test or tool',
    'src/features/cart/server/reach.ts',
    'test/support/shop.ts',
  ),
  breach('cart: server uses front doors', 'src/features/cart/server/reach.ts', 'test/support/shop.ts'),
  breach('tools use front doors', 'tools/bad.ts', 'src/features/offers/server/offers.repository.ts'),
  breach('no circle', 'src/shared/circle-a.ts', 'src/shared/circle-b.ts'),
  breach('everything resolves', 'src/shared/lost.ts', '#shared/gone.ts'),
  breach('no orphan', 'src/shared/alone.ts', 'src/shared/alone.ts'),
]
