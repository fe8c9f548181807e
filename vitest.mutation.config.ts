import { defineConfig } from 'vitest/config'

/** The tests that stryker.config.json runs against every mutant: those of the pure files, without a database. */
export default defineConfig({
  test: {
    include: [
      'src/features/**/*.rules.test.ts',
      'src/features/tickets/server/number-permutation.test.ts',
      'src/shared/*.test.ts',
    ],
    testTimeout: 60_000,
  },
})
