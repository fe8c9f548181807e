import path from 'node:path'
import type { Slices } from '../../../tools/gates/slices.ts'
import {
  type Finding,
  type HouseRule,
  type Tree,
  findIn,
  isCanary,
  isCode,
  isTest,
  matches,
  nameOf,
} from './tree.ts'

const CLOCK = 'src/shared/clock.ts'

const product = (tree: Tree, folders: readonly string[]): string[] =>
  tree.files.filter(
    (file) => isCode(file) && !isTest(file) && folders.some((folder) => file.startsWith(folder)),
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
      findIn(tree, file, (report) => ({
        CallExpression(node) {
          const name = node.callee.type === 'MemberExpression' ? nameOf(node.callee) : undefined
          if (name && QUERY_STARTS.has(name)) report(node, `${name}() belongs in a repository`)
        },
        TaggedTemplateExpression(node) {
          if (nameOf(node.tag) === 'sql') report(node, 'SQL belongs in a repository')
        },
      })),
    )

const hiddenClocks = (tree: Tree): Finding[] =>
  product(tree, ['src/'])
    .filter((file) => file !== CLOCK)
    .flatMap((file) =>
      findIn(tree, file, (report) => ({
        NewExpression(node) {
          if (nameOf(node.callee) === 'Date' && node.arguments.length === 0)
            report(node, 'new Date() hides a clock')
        },
      })),
    )

const EXCUSE =
  /(?:oxlint|eslint)-disable(?:-(?:next-)?line)?\b(?![^\n]* -- \S)|@ts-ignore\b|@ts-nocheck\b|@ts-expect-error\b(?! \S)/g

const silentExcuses = (tree: Tree): Finding[] =>
  tree.files
    .filter(
      (file) => isCode(file) && !isCanary(file) && file !== 'test/house-rules/rules/repository-rules.ts',
    )
    .flatMap((file) => matches(tree, file, EXCUSE, ([excuse]) => `${excuse} without a reason`))

const ROOT_FILES = /\.(contract|rules)(\.test)?\.ts$/

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

/** The `include` globs of every project in vitest.config.ts: a test outside them is green because nobody runs it. */
function unrunTests(tree: Tree): Finding[] {
  const globs = [
    ...tree.read('vitest.config.ts').matchAll(/'([^'\n]*\*[^'\n]*\.(?:test|e2e)\.[^'\n]*)'/g),
  ].map(([, glob]) => glob!)
  return tree.files
    .filter(
      (file) =>
        /\.(test|spec|e2e)\.(tsx?|mjs)$/.test(file) && !globs.some((glob) => path.matchesGlob(file, glob)),
    )
    .map((file) => `${file}:1  belongs to no project of vitest.config.ts`)
}

type Manifest = {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  overrides?: Record<string, string>
}

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/
/** What npm runs without `run`. */
const DOCUMENTS = /\.md$|^\.github\/|^lefthook\.yml$|^\.ci\/|\.(ts|tsx|mjs)$/

const manifestOf = (tree: Tree): Manifest => JSON.parse(tree.read('package.json')) as Manifest

function versions(tree: Tree): Finding[] {
  const { dependencies, devDependencies, overrides } = manifestOf(tree)
  const all = Object.entries({ ...dependencies, ...devDependencies, ...overrides })
  const loose = all.filter(([, version]) => !EXACT.test(version))
  const router = new Set(
    all.filter(([name]) => /^(@react-router\/|react-router)/.test(name)).map(([, version]) => version),
  )
  return [
    ...loose.map(([name, version]) => `package.json:1  ${name} is not an exact version: ${version}`),
    // npm otherwise mixes two releases of packages that only work together.
    ...(router.size > 1
      ? [`package.json:1  React Router in several versions: ${[...router].join(', ')}`]
      : []),
  ]
}

function nodeVersion(tree: Tree): Finding[] {
  const [pinned, named] = [manifestOf(tree).dependencies.node, tree.read('.nvmrc').trim()]
  return pinned === named ? [] : [`.nvmrc:1  names Node ${named}, package.json installs ${pinned}`]
}

function scripts(tree: Tree): Finding[] {
  const known = new Set(Object.keys(manifestOf(tree).scripts))
  return tree.files
    .filter((file) => DOCUMENTS.test(file) && !isCanary(file))
    .flatMap((file) =>
      matches(
        tree,
        file,
        /\bnpm (?:run ([\w-]+(?::[\w-]+)*)|(start|test)\b)/g,
        ([, run, short]) => run ?? short ?? '',
      ).filter((finding) => !known.has(finding.split('  ')[1]!)),
    )
    .map((finding) => finding.replace('  ', '  there is no script '))
}

const RECORD = /^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/
const PARTS = ['Context', 'Decision', 'Consequences', 'Alternatives', 'Enforced by']
const HEAD =
  /^# \d{4} .+\n\n(?:Status: (?:accepted|superseded by \d{4})) · Area: .+ · Date: \d{4}-\d{2}-\d{2}\n/

const documents = (tree: Tree): string[] => tree.files.filter((file) => file.endsWith('.md'))

/** Links between documents; pictures count, the web does not. */
function links(tree: Tree): Finding[] {
  const known = new Set(tree.files.flatMap((file) => [file, ...foldersOf(file)]))
  return documents(tree).flatMap((file) =>
    matches(
      tree,
      file,
      /\]\((?!https?:|mailto:|#)([^)\s#]+\.(?:md|tsx?|mjs|json|ya?ml|sql|css)|[^)\s#]+\/)(?:#[^)]*)?\)/g,
      ([, to]) => to!,
    )
      .filter((finding) => !known.has(target(file, finding.split('  ')[1]!)))
      .map((finding) => finding.replace('  ', '  links to nothing: ')),
  )
}

const target = (from: string, to: string): string =>
  path.posix.normalize(path.posix.join(path.posix.dirname(from), to)).replace(/\/$/, '')

const foldersOf = (file: string): string[] =>
  file
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))

function records(tree: Tree): Finding[] {
  const found = documents(tree).filter((file) => file.startsWith('docs/adr/'))
  return found.flatMap((file, index) => {
    const number = RECORD.exec(file)?.[1]
    if (!number) return [`${file}:1  is not named NNNN-title.md`]
    const text = tree.read(file)
    const missing = PARTS.filter((part) => !text.includes(`\n**${part}.** `))
    return [
      ...(Number(number) === index + 1
        ? []
        : [`${file}:1  the record before it is missing, or the number is taken`]),
      ...(HEAD.test(text) && text.startsWith(`# ${number} `)
        ? []
        : [`${file}:1  lacks title, status, area or date`]),
      ...missing.map((part) => `${file}:1  lacks ${part}`),
    ]
  })
}

const checkout = path.resolve(import.meta.dirname, '../../..')
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const TRACES: [RegExp, string][] = [
  // A checkout right under the root of the disk would forbid a word like "/app".
  ...(checkout.split(path.sep).length > 2
    ? [[new RegExp(`${escaped(checkout)}\\b`, 'g'), 'a path of this machine'] as [RegExp, string]]
    : []),
  [/(?<![\w.])\/(?:home|Users)\/[a-z][\w.-]*\/[\w.-]+/g, "a path of somebody's machine"],
  [/\b[A-Z]:\\\\?Users\\/g, "a path of somebody's machine"],
  [
    /https?:\/\/(?!registry\.npmjs\.org\b)[\w.-]*(?:registry|npm-?proxy|artifactory|verdaccio|nexus)[\w.-]*(?::\d+)?\//g,
    'a package registry',
  ],
]

const SECRETS: [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\\?n?[A-Za-z0-9+/]{40}/g, 'a private key'],
  [/\b(?:_authToken|_auth)\s*=\s*\S+/g, 'a registry token'],
  [/\b(?:ghp|gho|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{20,}/g, 'an access token'],
  [/\bAKIA[0-9A-Z]{16}\b/g, 'a cloud key'],
  [/\b[sr]k_live_[A-Za-z0-9]{16,}/g, 'a payment key'],
]

const search = (tree: Tree, patterns: [RegExp, string][]): Finding[] =>
  tree.files
    .filter((file) => !isCanary(file))
    .flatMap((file) =>
      patterns.flatMap(([pattern, what]) => matches(tree, file, pattern, () => `names ${what}`)),
    )

/** Rules about code, folders, packages and documents, beyond what lint and the dependency gate check. */
export const repositoryRules = {
  queries: { about: 'SQL lives in repositories and the platform', check: queriesOutsideRepositories },
  clocks: { about: 'only the clock reads the time', check: hiddenClocks },
  excuses: { about: 'a gate is silenced with a reason beside it', check: silentExcuses },
  slices: { about: 'slices.json names every slice, and only those', check: sliceTable },
  folders: { about: 'a slice has its contract, rules, server and screens', check: sliceFolders },
  barrels: { about: 'there are no barrels', check: barrels },
  unrun: { about: 'every test is run by a project of vitest', check: unrunTests },
  versions: { about: 'versions are exact', check: versions },
  node: { about: '.nvmrc names the Node that is installed', check: nodeVersion },
  scripts: { about: 'documents and code name only existing npm scripts', check: scripts },
  links: { about: 'links between documents lead somewhere', check: links },
  records: { about: 'decision records are numbered and complete', check: records },
  traces: { about: 'nothing names a machine or a registry', check: (tree) => search(tree, TRACES) },
  secrets: { about: 'no secret lies in the tree', check: (tree) => search(tree, SECRETS) },
} satisfies Record<string, HouseRule>
