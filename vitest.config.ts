import { defineConfig } from 'vitest/config'
import { globSync, readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { EXTENDED_ONLY } from './test/support/extended-only.ts'

/** Tests that need the real database: routes, platform, races. */
const HTTP = [
  'src/**/*.routes.test.ts',
  'src/**/*.db.test.ts',
  'db/**/*.db.test.ts',
  'test/http/**/*.test.ts',
  'tools/**/*.db.test.ts',
]

const UNIT = [
  'src/**/*.test.{ts,tsx}',
  'emulators/**/*.test.ts',
  'db/**/*.test.ts',
  'test/house-rules/**/*.test.ts',
  'tools/**/*.test.{ts,mjs}',
]

/** Unit tests that replace a module, a global or the clock: what they replace would stay in the modules of others. */
const REPLACING = globSync(UNIT).filter((file) =>
  /\bvi\.(?:mock|doMock|stubGlobal|stubEnv|useFakeTimers)\(/.test(readFileSync(file, 'utf8')),
)

/** Files that take much longer than others of their size. */
const LONG =
  /\/(verify-draw|draw-walk\.db|start\.db|embedded\.db|.*backup\.db|rehearsal\.db|read-replica.*|database-servers\.db|sale-model-\d|fuzz|customers|restarts)\.test\.ts$|\/(console.*|every-page|foreign-changes|payment|first-draw|draws|purchase)\.e2e\.ts$/

/** Begins with the long files, so that no worker is left with one of them at the end, and the others by their size. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const orders = [...new Set(sorted.map(({ project }) => project))]
    return orders.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
    })
  }
}

/** The files of a project that `npm test` leaves out. */
const leftOut = (project: keyof typeof EXTENDED_ONLY): string[] =>
  process.env['VOLANT_TESTS'] === 'short' ? EXTENDED_ONLY[project] : []

/** What is waited for comes in its own time; a busy machine needs more of it, and Vitest's second is too little for one. */
const expectations = { poll: { timeout: 30_000 } }

const unit = { maxWorkers: 2, sequence: { groupOrder: 2 }, testTimeout: 60_000, expect: expectations }

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: UNIT,
          exclude: [...HTTP, ...REPLACING, ...leftOut('unit')],
          // A worker loads a module once for all its files.
          isolate: false,
          ...unit,
        },
      },
      {
        test: { name: 'unit-replacing', include: REPLACING, exclude: HTTP, ...unit },
      },
      {
        test: {
          name: 'http',
          include: HTTP,
          exclude: leftOut('http'),
          globalSetup: ['test/support/global-setup.ts'],
          // A worker loads the shop once for all its files; what they do not share is their databases.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          // Some start whole shops and databases, which takes a busy machine most of a minute; a test that hangs costs no more.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: expectations,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/e2e/**/*.e2e.ts'],
          exclude: leftOut('browser'),
          globalSetup: ['test/support/global-setup.ts'],
          // A worker keeps what its files share: the modules, the browser, a shop.
          isolate: false,
          // With two, one of them ends alone with a long file (151 s instead of 167 with three, 30 November).
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: expectations,
        },
      },
    ],
  },
})
