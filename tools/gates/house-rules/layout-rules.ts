import path from 'node:path'
import type { Slices } from '../slices.ts'
import { type Finding, type HouseRule, type Tree, isCode } from './tree.ts'

const ROOT_FILES = /\.(contract|rules)(\.test)?\.ts$/
const KEBAB = /^[a-z0-9]+([.-][a-z0-9]+)*$/

const inSlices = (tree: Tree): { file: string; slice: string; rest: string }[] =>
  tree.files
    .filter((file) => file.startsWith('src/features/'))
    .map((file) => {
      const [, , slice = '', ...rest] = file.split('/')
      return { file, slice, rest: rest.join('/') }
    })

function sliceTable(tree: Tree): Finding[] {
  const slices = JSON.parse(tree.read('slices.json')) as Slices
  const named = Object.keys(slices)
  const shared = named.flatMap((slice) =>
    (slices[slice]!.shares ?? []).map((file) => `src/features/${slice}/screens/${file}`),
  )
  const found = new Set(inSlices(tree).map(({ slice }) => slice))
  return [
    ...named.filter((slice) => !found.has(slice)).map((slice) => `slices.json:1  ${slice} has no folder`),
    ...shared
      .filter((file) => !tree.files.includes(file))
      .map((file) => `slices.json:1  shares ${file}, which does not exist`),
    ...[...found]
      .filter((slice) => !named.includes(slice))
      .map((slice) => `src/features/${slice}:1  not in slices.json`),
  ]
}

/** A slice's folder is its map: contract and rules on top, then only `server` and `screens`. */
function sliceFolders(tree: Tree): Finding[] {
  const files = inSlices(tree)
  const wrong = files.filter(({ rest }) =>
    rest.includes('/') ? !/^(server|screens)\//.test(rest) : !ROOT_FILES.test(rest),
  )
  const servers = new Set(files.filter(({ rest }) => rest.startsWith('server/')).map(({ slice }) => slice))
  const closed = [...servers].filter((slice) => !tree.files.includes(`src/features/${slice}/server/index.ts`))
  return [
    ...wrong.map(({ file }) => `${file}:1  neither a contract, rules, server nor screens`),
    ...closed.map((slice) => `src/features/${slice}/server:1  has no front door, index.ts`),
  ]
}

const barrels = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => file.startsWith('src/') && /\/index\.tsx?$/.test(file))
    .filter((file) => !/^src\/features\/[^/]+\/server\/index\.ts$/.test(file))
    .map((file) => `${file}:1  only the front door of a slice is an index`)

const fileNames = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => isCode(file) && /^(src|emulators|tools|test|db)\//.test(file))
    .filter((file) => !KEBAB.test(path.basename(file)))
    .map((file) => `${file}:1  is not in kebab-case`)

const JOURNEYS = /^test\/e2e\/[^/]+\.e2e\.ts$/
const LAYER_TESTS: [RegExp, RegExp, string][] = [
  [/\.e2e\.tsx?$/, JOURNEYS, 'a journey lives in test/e2e'],
  [/\.spec\.tsx?$/, /^$/, 'tests are named .test or .e2e'],
  [
    /\.screen\.test\.tsx$/,
    /^src\/(features\/[^/]+\/screens|ui|app)\//,
    'a screen test lies beside its screen',
  ],
  [/\.rules\.test\.ts$/, /^src\/features\/[^/]+\/[^/]+$/, 'a test of rules lies beside them'],
  [
    /\.routes\.test\.ts$/,
    /^src\/(features\/[^/]+\/server|platform|server)\//,
    'a test of routes lies beside them',
  ],
]

const misplacedTests = (tree: Tree): Finding[] =>
  tree.files.flatMap((file) =>
    LAYER_TESTS.filter(([name, place]) => name.test(file) && !place.test(file)).map(
      ([, , why]) => `${file}:1  ${why}`,
    ),
  )

/** The `include` globs of every project in vitest.config.ts: a test outside them is green because nobody runs it. */
function unrunTests(tree: Tree): Finding[] {
  const globs = [
    ...tree.read('vitest.config.ts').matchAll(/'([^'\n]*\*[^'\n]*\.(?:test|e2e)\.[^'\n]*)'/g),
  ].map(([, glob]) => glob!)
  return tree.files
    .filter(
      (file) => /\.(test|e2e)\.(tsx?|mjs)$/.test(file) && !globs.some((glob) => path.matchesGlob(file, glob)),
    )
    .map((file) => `${file}:1  belongs to no project of vitest.config.ts`)
}

export const layoutRules = {
  slices: { about: 'slices.json names every slice, and only those', check: sliceTable },
  folders: { about: 'a slice has its contract, rules, server and screens', check: sliceFolders },
  barrels: { about: 'there are no barrels', check: barrels },
  names: { about: 'files are named in kebab-case', check: fileNames },
  places: { about: 'a test lies where its name says', check: misplacedTests },
  unrun: { about: 'every test is run by a project of vitest', check: unrunTests },
} satisfies Record<string, HouseRule>
