import type { ESTree } from 'vite'
import { findIn, nameOf } from './syntax.ts'
import { type Finding, type HouseRule, type Tree, isCode, isTest, matches } from './tree.ts'

const ENVIRONMENT_READERS = ['src/server/config.ts', 'emulators/paypal/main.ts']
const CLOCK = 'src/shared/clock.ts'

const product = (tree: Tree, folders: readonly string[]): string[] =>
  tree.files.filter(
    (file) => isCode(file) && !isTest(file) && folders.some((folder) => file.startsWith(folder)),
  )

const isProcess = (node: ESTree.Node | null): boolean =>
  node?.type === 'Identifier' && node.name === 'process'

const takesEnv = (pattern: ESTree.BindingPattern): boolean =>
  pattern.type === 'ObjectPattern' &&
  pattern.properties.some(
    (one) => one.type === 'Property' && one.key.type === 'Identifier' && one.key.name === 'env',
  )

/** Also the ways that lint does not see: `process['env']`, `const { env } = process`, `import { env }`. */
const environmentReaders = (tree: Tree): Finding[] =>
  product(tree, ['src/', 'emulators/'])
    .filter((file) => !ENVIRONMENT_READERS.includes(file))
    .flatMap((file) =>
      findIn(tree, file, (tell) => ({
        MemberExpression(node) {
          const name = node.computed && node.property.type === 'Literal' ? node.property.value : nameOf(node)
          if (isProcess(node.object) && name === 'env') tell(node, 'reads the environment')
        },
        VariableDeclarator(node) {
          if (isProcess(node.init) && takesEnv(node.id)) tell(node, 'reads the environment')
        },
        ImportDeclaration(node) {
          const from = node.source.value === 'node:process' || node.source.value === 'process'
          if (from) tell(node, 'imports the environment')
        },
      })),
    )

const QUERY_STARTS = new Set([
  'selectFrom',
  'selectNoFrom',
  'insertInto',
  'replaceInto',
  'updateTable',
  'deleteFrom',
  'mergeInto',
])

const mayQuery = (file: string): boolean =>
  file.endsWith('.repository.ts') || file.startsWith('src/platform/')

const queriesOutsideRepositories = (tree: Tree): Finding[] =>
  product(tree, ['src/'])
    .filter((file) => !mayQuery(file))
    .flatMap((file) =>
      findIn(tree, file, (tell) => ({
        CallExpression(node) {
          const name = node.callee.type === 'MemberExpression' ? nameOf(node.callee) : undefined
          if (name && QUERY_STARTS.has(name)) tell(node, `${name}() belongs in a repository`)
        },
        TaggedTemplateExpression(node) {
          if (nameOf(node.tag) === 'sql') tell(node, 'SQL belongs in a repository')
        },
      })),
    )

const hiddenClocks = (tree: Tree): Finding[] =>
  product(tree, ['src/'])
    .filter((file) => file !== CLOCK)
    .flatMap((file) =>
      findIn(tree, file, (tell) => ({
        NewExpression(node) {
          if (nameOf(node.callee) === 'Date' && node.arguments.length === 0)
            tell(node, 'new Date() hides a clock')
        },
      })),
    )

const TEST_CALLS = new Set(['test', 'it', 'describe', 'suite', 'bench'])
const SILENCING = new Set(['only', 'skip', 'todo', 'fails'])

const silencedTests = (tree: Tree): Finding[] =>
  tree.files.filter(isTest).flatMap((file) =>
    findIn(tree, file, (tell) => ({
      MemberExpression(node) {
        const name = nameOf(node)
        if (name && SILENCING.has(name) && TEST_CALLS.has(rootName(node) ?? ''))
          tell(node, `.${name} silences tests`)
      },
    })),
  )

/** `test` of `test.each.only`. */
function rootName(node: ESTree.MemberExpression): string | undefined {
  let at: ESTree.Expression | ESTree.Super = node
  while (at.type === 'MemberExpression' || at.type === 'CallExpression') {
    at = at.type === 'MemberExpression' ? at.object : at.callee
  }
  return nameOf(at)
}

const emulatorsInReach = (tree: Tree): Finding[] =>
  product(tree, ['src/']).flatMap((file) =>
    findIn(tree, file, (tell) => ({
      Literal(node) {
        if (typeof node.value === 'string' && /(^|\/)emulators\//.test(node.value))
          tell(node, 'reaches for an emulator')
      },
    })),
  )

const EXCUSE =
  /(?:oxlint|eslint)-disable(?:-(?:next-)?line)?\b(?![^\n]* -- \S)|@ts-ignore\b|@ts-nocheck\b|@ts-expect-error\b(?! \S)/g

const silentExcuses = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => isCode(file) && !file.startsWith('tools/gates/'))
    .flatMap((file) => matches(tree, file, EXCUSE, ([excuse]) => `${excuse} without a reason`))

export const codeRules = {
  environment: { about: 'only the configuration reads the environment', check: environmentReaders },
  queries: { about: 'SQL lives in repositories and the platform', check: queriesOutsideRepositories },
  clocks: { about: 'only the clock reads the time', check: hiddenClocks },
  silence: { about: 'no test is skipped or run alone', check: silencedTests },
  excuses: {
    about: 'a gate is silenced with a reason beside it',
    check: silentExcuses,
  },
  emulators: {
    about: 'the shop reaches providers by settings, never an emulator by its files',
    check: emulatorsInReach,
  },
} satisfies Record<string, HouseRule>
