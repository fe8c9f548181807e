import { type Finding, type HouseRule, type Tree, matches } from './tree.ts'

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
    .filter((file) => DOCUMENTS.test(file) && !file.startsWith('tools/gates/'))
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

export const packageRules = {
  versions: { about: 'versions are exact', check: versions },
  node: { about: '.nvmrc names the Node that is installed', check: nodeVersion },
  scripts: { about: 'only existing npm scripts are spoken of', check: scripts },
} satisfies Record<string, HouseRule>
