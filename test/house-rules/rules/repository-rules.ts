import path from 'node:path'
import { GOING_BACK } from '#platform/migrations.ts'
import { IN_SLICE, PLATFORM, type Slices } from '../../../tools/gates/slices.ts'
import { type Finding, type HouseRule, type Tree, isCanary, isCode, isTest, matches } from './tree.ts'

const CLOCK = 'src/shared/clock.ts'

/** What a visitor's machine runs, whose clock may be wrong (ADR 0083). */
const ON_VISITORS_MACHINES = /^src\/(?:apps|client|console-kit|ui|features\/.+\/(?:screens|console))\//
const SERVER_CLOCK = 'src/client/server-clock.ts'

function hiddenClocks(tree: Tree): Finding[] {
  const files = tree.files.filter(
    (file) => file.startsWith('src/') && isCode(file) && !isTest(file) && file !== CLOCK,
  )
  const inBrowsers = files.filter((file) => ON_VISITORS_MACHINES.test(file) && file !== SERVER_CLOCK)
  const visitors = /#shared\/clock\.ts|\bDate\.now\(/g
  return [
    ...files.flatMap((file) => matches(tree, file, /\bnew Date\(\)/g, () => 'new Date() hides a clock')),
    ...inBrowsers.flatMap((file) =>
      matches(tree, file, visitors, () => 'reads the clock of the visitor’s machine'),
    ),
  ]
}

function sliceTable(tree: Tree): Finding[] {
  const { [PLATFORM]: _, ...slices } = JSON.parse(tree.read('slices.json')) as Slices
  const named = Object.keys(slices)
  const found = new Set(tree.files.flatMap((file) => IN_SLICE.exec(file)?.slice(1, 2) ?? []))
  const shared = named.flatMap((slice) =>
    (slices[slice]!.shares ?? []).map((file) => `src/features/${slice}/screens/${file}`),
  )
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

/** Code that runs in browsers. */
const IN_BROWSERS =
  /^src\/(?:client|apps|ui|console-kit|shared|draw-protocol|features\/.+\/(?:screens|console))\//

const ADAPTER = 'src/client/browser-parts.ts'

/** Parts that a browser may lack or forbid, and the one file that touches each and knows what to do without it. */
const BROWSER_PARTS: readonly [part: string, file: string][] = [
  ['localStorage', ADAPTER],
  ['sessionStorage', ADAPTER],
  ['BroadcastChannel', ADAPTER],
  ['navigator.locks', ADAPTER],
  ['navigator.clipboard', ADAPTER],
  ['navigator.share', ADAPTER],
  ['navigator.cookieEnabled', ADAPTER],
  ['document.cookie', ADAPTER],
  ['matchMedia(', ADAPTER],
  ['requestIdleCallback', ADAPTER],
  ['new EventSource(', ADAPTER],
  ['randomUUID(', ADAPTER],
  ['ResizeObserver', 'src/ui/watch-size.ts'],
  ['IntersectionObserver', ADAPTER],
  ['startViewTransition', ADAPTER],
  ['PublicKeyCredential', 'src/console-kit/passkeys.ts'],
  ['navigator.credentials', 'src/console-kit/passkeys.ts'],
  ['navigator.serviceWorker', 'src/server/pages/offline-worker.ts'],
]

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** A comment, or a part of the browser. */
const PART = new RegExp(
  [
    String.raw`/\*[\s\S]*?\*/`,
    '//.*',
    ...BROWSER_PARTS.map(([part]) => String.raw`(?<![\w'])${escaped(part)}`),
  ].join('|'),
  'g',
)

const directParts = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => IN_BROWSERS.test(file) && isCode(file) && !isTest(file))
    .flatMap((file) =>
      matches(tree, file, PART, ([found]) => {
        const owner = BROWSER_PARTS.find(([part]) => part === found)?.[1]
        return owner !== undefined && owner !== file && `${found} belongs in ${owner}: a browser may lack it`
      }),
    )

/** Tests outside the `include` globs of vitest.config.ts, which never run. */
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

const MIGRATION = /^db\/migrations\/(\d{4})-/

/** The first migrations are older than the line. */
const FIRST_WITH_LINE = 34

/** What an older version, which knows nothing of it, may read or fail to write. */
const BREAKING =
  /--.*|\b(?:DROP\s+(?:TABLE|COLUMN|VIEW|TYPE|FUNCTION)|RENAME|(?:SET\s+DATA\s+)?TYPE(?=\s+\w+\s*(?:[,;(]|USING))|SET\s+NOT\s+NULL|ADD\s+COLUMN\b[^,;]*)/gi

/** Migrations that do not say which older versions run after them, or say all although they take something away. */
const ways = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => Number(MIGRATION.exec(file)?.[1] ?? 0) >= FIRST_WITH_LINE)
    .flatMap((file) => {
      const line = GOING_BACK.exec(tree.read(file))
      if (!line) return [`${file}:1  lacks a line «-- Going back: yes», «to NNNN» or «no, why» (ADR 0101)`]
      if (line[1] === undefined) return []
      return matches(tree, file, BREAKING, ([found]) => {
        const isHarmless =
          found.startsWith('--') ||
          (/^add/i.test(found) && !/NOT\s+NULL(?![^]*DEFAULT|[^]*GENERATED)/i.test(found))
        return !isHarmless && `says that every older version runs after «${found.split(/\s+/, 3).join(' ')}»`
      })
    })

const DOCUMENTS = /\.md$|^\.github\/|^lefthook\.yml$|^\.ci\/|\.(ts|tsx|mjs)$/

const SCRIPT = /\bnpm (?:run ([\w-]+(?::[\w-]+)*)|(start|test)\b)/g

function scripts(tree: Tree): Finding[] {
  const known = (JSON.parse(tree.read('package.json')) as { scripts: Record<string, string> }).scripts
  return tree.files
    .filter((file) => DOCUMENTS.test(file) && !isCanary(file))
    .flatMap((file) =>
      matches(tree, file, SCRIPT, ([, run, short]) => {
        const name = run ?? short ?? ''
        return !(name in known) && `there is no script ${name}`
      }),
    )
}

const checkout = path.resolve(import.meta.dirname, '../../..')

const TRACES: [RegExp, string][] = [
  // A checkout right under the root of the disk would forbid a word like "/app".
  ...(checkout.split(path.sep).length > 2
    ? [[new RegExp(`${escaped(checkout)}\\b`, 'g'), 'a path of this machine'] as [RegExp, string]]
    : []),
  [/(?<![\w.])\/(?:home|Users)\/[a-z][\w.-]*\/[\w.-]+/g, "a path of somebody's machine"],
  [/\b[A-Z]:\\\\?Users\\/g, "a path of somebody's machine"],
  [
    /https?:\/\/[\w.-]*(?:registry|npm-?proxy|artifactory|verdaccio|nexus)[\w.-]*(?::\d+)?\//g,
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
  browserParts: { about: 'one file touches each part that a browser may lack', check: directParts },
  clocks: { about: 'only the clock reads the time', check: hiddenClocks },
  slices: { about: 'slices.json names every slice, and only those', check: sliceTable },
  unrun: { about: 'every test is run by a project of vitest', check: unrunTests },
  goingBack: { about: 'a migration says which older versions run after it', check: ways },
  scripts: { about: 'documents and code name only existing npm scripts', check: scripts },
  traces: { about: 'nothing names a machine or a registry', check: (tree) => search(tree, TRACES) },
  secrets: { about: 'no file contains a secret', check: (tree) => search(tree, SECRETS) },
} satisfies Record<string, HouseRule>
