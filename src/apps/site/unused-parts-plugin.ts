import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/**
 * The release of which this says what is never called. Another one ends the build: whoever takes it reads these functions
 * again, and what calls them, before this number is raised.
 */
const READ = '8.4.0'

/** Functions of a file by name, with what they do instead. */
type Parts = Readonly<Record<string, string>>

const NEVER = "throw new Error('left out of the build')"
const NOTHING = ''

const never = (...names: string[]): Parts => Object.fromEntries(names.map((name) => [name, NEVER]))

/** Discovery of routes while a visitor moves (`routeDiscovery: initial`), instrumentation and server components. */
const SWITCHED_OFF: Readonly<Record<string, Parts>> = {
  'router/instrumentation.js': {
    ...never('getRouteInstrumentationUpdates', 'instrumentClientSideRouter'),
    consumeInstrumentationClientResultMetaReceiver: NOTHING,
  },
  'dom/ssr/fog-of-war.js': {
    ...never('fetchAndApplyManifestPatches'),
    isFogOfWarEnabled: 'return false',
    useFogOFWarDiscovery: NOTHING,
    getPatchRoutesOnNavigationFunction: NOTHING,
  },
  'hooks.js': { RSCErrorHandler: 'return children' },
}

/** Of the router. */
const DISCOVERY: Parts = {
  ...never('discoverRoutes', 'patchRoutes'),
  checkFogOfWar: 'return { active: false, matches: null }',
  getInstrumentationNavigateMeta: NOTHING,
}

/** The console's forms and blockers are React Router's. */
export const UNUSED_BY_CONSOLE = { ...SWITCHED_OFF, 'router/router.js': DISCOVERY }

/**
 * The shop has no actions, fetchers and blockers. Each page loads in browsers by a `clientLoader`, and each error comes to
 * the boundary of `routes/pages.tsx` or, where that fails, to `ServerPage`, which keeps the server's page.
 */
export const UNUSED_BY_SHOP: Readonly<Record<string, Parts>> = {
  ...SWITCHED_OFF,
  'hooks.js': { ...SWITCHED_OFF['hooks.js'], DefaultErrorComponent: 'throw useRouteError()' },
  'router/router.js': {
    ...DISCOVERY,
    ...never(
      'handleAction',
      'fetch',
      'handleFetcherAction',
      'handleFetcherLoader',
      'getBlocker',
      'updateBlocker',
    ),
    shouldBlockNavigation: NOTHING,
    getSubmissionFromNavigation: NOTHING,
    normalizeNavigateOptions: `if (opts && isSubmissionNavigation(opts)) ${NEVER}; return { path }`,
  },
  'dom/lib.js': never('useSubmit', 'useFormAction'),
  'dom/ssr/single-fetch.js': {
    ...never(
      'singleFetchActionStrategy',
      'singleFetchLoaderFetcherStrategy',
      'nonSsrStrategy',
      'fetchAndDecodeViaTurboStream',
      'unwrapSingleFetchResult',
    ),
    bubbleMiddlewareErrors: NOTHING,
  },
  'dom/ssr/routes.js': never(
    'noActionDefinedError',
    'preventInvalidServerHandlerCall',
    'wrapShouldRevalidateForHdr',
  ),
  'dom/ssr/errorBoundaries.js': { BoundaryShell: NEVER, RemixRootDefaultErrorBoundary: 'throw error' },
  'dom/ssr/fallback.js': never('RemixRootDefaultHydrateFallback'),
}

const LIBRARY = /^(.*\/react-router)\/dist\/production\/lib\/(.+)$/

/**
 * Leaves out of the browser's files what React Router decides on only when it runs, and what it warns of (ADR 0013). What is called all the
 * same fails; a function or file that is not there any more ends the build.
 */
export function leaveOutUnused(unused: Readonly<Record<string, Parts>>): Plugin {
  const found = new Set<string>()
  return {
    name: 'volant:leave-out-unused',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    transform(code, id) {
      const [, folder, file = ''] = LIBRARY.exec(id.replaceAll('\\', '/')) ?? []
      const parts = unused[file]
      if (!parts) return undefined
      const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string }
      if (version !== READ) this.error(`React Router ${version} is another than was read (${READ})`)
      const left = leftOut(this.parse(code) as unknown as SyntaxNode, parts)
      const missing = Object.keys(parts).filter((part) => left.every(({ name }) => name !== part))
      if (missing.length > 0) this.error(`${file} of React Router has no ${missing.join(', ')}`)
      found.add(file)
      return { code: left.reduceRight(without, code), map: null }
    },
    buildEnd(error) {
      const missing = Object.keys(unused).filter((file) => !found.has(file))
      if (missing.length > 0 && !error) this.error(`React Router has no ${missing.join(', ')}`)
    },
  }
}

interface SyntaxNode {
  type: string
  start: number
  end: number
  id?: { name: string }
  body?: SyntaxNode
  expression?: SyntaxNode
  callee?: { name?: string }
}

/** A part of the text with what takes its place; `name` of a function that is left out. */
interface LeftOut {
  name?: string
  start: number
  end: number
  instead: string
}

/** What they tell is for developers, whose build has it. */
const WARNINGS = ['warning', 'warnOnce', 'warningOnce']

/** In the order of the text, none within another. */
function leftOut(node: SyntaxNode, parts: Parts): LeftOut[] {
  const { type, id, body, expression, start, end } = node
  if (type === 'FunctionDeclaration' && id && body && Object.hasOwn(parts, id.name))
    return [{ name: id.name, start: body.start, end: body.end, instead: `{${parts[id.name]}}` }]
  if (type === 'ExpressionStatement' && WARNINGS.includes(expression?.callee?.name ?? ''))
    return [{ start, end, instead: ';' }]
  return Object.values(node).flatMap((value: unknown) =>
    [value].flat().flatMap((one) => (isNode(one) ? leftOut(one, parts) : [])),
  )
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value

const without = (code: string, { start, end, instead }: LeftOut): string =>
  `${code.slice(0, start)}${instead}${code.slice(end)}`
