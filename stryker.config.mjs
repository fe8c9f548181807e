/**
 * Mutation tests of the pure files (`npm run mutation`): each mutant must fail a test of vitest.mutation.config.ts.
 * docs/planted-faults.md names those that survive.
 */
export default {
  mutate: [
    'src/features/purchase/orders/order-machine.rules.ts',
    'src/features/purchase/orders/paying-capture.rules.ts',
    'src/features/purchase/orders/shown-prices.rules.ts',
    'src/features/purchase/refunds/refund-plan.rules.ts',
    'src/features/offers/offers.rules.ts',
    'src/features/purchase/cart/cart.rules.ts',
    'src/features/tickets/server/number-permutation.ts',
    'src/shared/countries.ts',
    'src/shared/money.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  // Stryker rewrites tsconfig.json by TypeScript's programming interface, which TypeScript 7 does not have.
  tsconfigFile: 'none',
  concurrency: 2,
  thresholds: { high: 95, low: 90, break: 90 },
  ignorePatterns: ['/build', '/data', '/public', '/art', '/.screenshots', '/.react-router'],
  tempDirName: '.cache/mutation/sandbox',
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: '.cache/mutation/report.html' },
  jsonReporter: { fileName: '.cache/mutation/report.json' },
}
