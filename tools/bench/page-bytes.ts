import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { AROUND_EVERY_PAGE } from '#client/page-modules.ts'

export interface Size {
  gzip: number
  brotli: number
}

/** What a first visit of a page loads of the build before anybody has done anything. */
export interface PageBytes {
  page: string
  js: Size
  css: Size
  /** Addresses of the scripts; the list of routes counts with their bytes and comes in the document. */
  scripts: string[]
}

/** Messages of one language, loaded besides the scripts: "fr/shop" by every page, others by the pages that need them. */
export interface MessageBytes {
  name: string
  size: Size
}

export interface BuildBytes {
  pages: PageBytes[]
  messages: MessageBytes[]
}

interface BuiltModule {
  module: string
  imports?: string[]
  css?: string[]
}

interface BuiltRoute extends BuiltModule {
  id: string
  parentId?: string
  path?: string
}

/** React Router's list of what each route consists of: the one that browsers read, too. */
interface RouteManifest {
  entry: BuiltModule
  routes: Record<string, BuiltRoute>
}

const MESSAGES = /virtual:messages\/(\w+\/\w+)$/

/** Measures a build. @throws Error when there is none, or one without pages */
export function buildBytes(clientFolder: string): BuildBytes {
  const [address] = globSync('assets/manifest-*.js', { cwd: clientFolder })
  if (address === undefined) throw new Error(`there is no build in ${clientFolder}`)
  const sizeOf = sizesIn(clientFolder)
  const total = (files: Iterable<string>): Size => [...files].map(sizeOf).reduce(add, { gzip: 0, brotli: 0 })

  const manifest = routeManifest(path.join(clientFolder, address))
  const pages = pagesOf(manifest).map(({ page, parts }): PageBytes => {
    const scripts = new Set(
      parts.flatMap((part) => [...(isLoaded(part, parts) ? [part.module] : []), ...(part.imports ?? [])]),
    )
    const styles = new Set(parts.flatMap((part) => part.css ?? []).map((file) => file.replace(/#$/, '')))
    return { page, js: total([address, ...scripts]), css: total(styles), scripts: [...scripts] }
  })
  if (pages.length === 0) throw new Error(`the build in ${clientFolder} has no pages`)
  return {
    pages,
    messages: messageFiles(clientFolder).map(([name, file]) => ({ name, size: sizeOf(file) })),
  }
}

/** The modules around every page are in the common file (src/server/pages/page-scripts.ts). */
const isLoaded = (part: BuiltModule, parts: readonly BuiltModule[]): boolean =>
  'id' in part
    ? !AROUND_EVERY_PAGE.includes(String(part.id))
    : parts.every((one) => one === part || !isLoaded(one, parts))

/** Every page with the parts it is made of: the entry, its route and the routes around it. */
function pagesOf({ entry, routes }: RouteManifest): { page: string; parts: BuiltModule[] }[] {
  const around = new Set(Object.values(routes).map(({ parentId }) => parentId))
  return Object.values(routes)
    .filter(({ id }) => !around.has(id))
    .map((leaf) => {
      const chain: BuiltRoute[] = []
      for (let at: BuiltRoute | undefined = leaf; at; at = routes[at.parentId ?? '']) chain.unshift(at)
      const steps = chain.flatMap((route) => (route.path ? [route.path] : []))
      return { page: `/${steps.join('/')}`, parts: [entry, ...chain] }
    })
    .toSorted((one, other) => one.page.localeCompare(other.page))
}

const routeManifest = (file: string): RouteManifest =>
  JSON.parse(
    readFileSync(file, 'utf8')
      .replace(/^window\.__reactRouterManifest=/, '')
      .replace(/;\s*$/, ''),
  ) as RouteManifest

function messageFiles(clientFolder: string): [name: string, file: string][] {
  const chunks = JSON.parse(readFileSync(path.join(clientFolder, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    { file: string }
  >
  return Object.entries(chunks).flatMap(([source, { file }]): [string, string][] => {
    const name = MESSAGES.exec(source)?.[1]
    return name === undefined ? [] : [[name, file]]
  })
}

interface ConsoleChunk {
  file: string
  imports?: string[]
  /** Of the entry: the screens and their messages. */
  dynamicImports?: string[]
  css?: string[]
  isDynamicEntry?: boolean
}

export interface ScreenBytes {
  screen: string
  /** Scripts, styles and French messages of a first visit to the screen. */
  size: Size
}

const CONSOLE_ENTRY = 'index.html'
const CONSOLE_FRAME = 'frame.tsx'
const SCREEN = /features\/[\w/-]+\/console\/[\w-]+\.tsx$/

/** The screen of approvals waits for every way to show one, which the application collects. */
const APPROVALS = { screen: 'staff/console/approvals.tsx', collected: 'approvals.ts' }

/** The catalogue that every screen of the console waits for. */
const CONSOLE_MESSAGES = 'console'

/** The declarations of screens in a checkout. */
const DECLARATIONS = 'src/features/**/console/screens.ts'
const APPROVAL_KINDS = 'src/features/**/console/approval-kinds.tsx'

/** The catalogues that each screen waits for besides, as its slice declares it. @param root of a checkout */
export function declaredCatalogues(root: string): Map<string, string[]> {
  return new Map(
    globSync(DECLARATIONS, { cwd: root }).flatMap((file) => {
      const folder = path.dirname(path.relative('src/features', file))
      const screens = readFileSync(path.join(root, file), 'utf8').matchAll(
        /load: \(\) => import\('\.\/([^']+)'\),(?:\s+catalogues: \[([^\]]*)\],)?/g,
      )
      return [...screens].map(([, screen = '', list = '']): [string, string[]] => [
        `${folder}/${screen}`,
        namesIn(list),
      ])
    }),
  )
}

/** The catalogues that each slice's approvals wait for, as it declares them. @param root of a checkout */
export function approvalCatalogues(root: string): Map<string, string[]> {
  return new Map(
    globSync(APPROVAL_KINDS, { cwd: root }).map((file) => {
      const [, list = ''] =
        /^  catalogues: \[([^\]]*)\],$/m.exec(readFileSync(path.join(root, file), 'utf8')) ?? []
      return [path.relative('src/features', file), namesIn(list)]
    }),
  )
}

/** The catalogues of each screen, and of the one of approvals those of every approval. @param root of a checkout */
export function waitedCatalogues(root: string): Map<string, string[]> {
  const waited = declaredCatalogues(root)
  const ofApprovals = [...approvalCatalogues(root).values()].flat()
  const own = waited.get(APPROVALS.screen)
  return own ? waited.set(APPROVALS.screen, [...own, ...ofApprovals]) : waited
}

const namesIn = (list: string): string[] => [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)

/**
 * What a first visit to each screen of the console loads.
 * @param declared the catalogues of each screen; without them every screen counts with all messages
 * @throws Error when there is no build, and for a screen that is not declared
 */
export function consoleBytes(folder: string, declared?: ReadonlyMap<string, string[]>): ScreenBytes[] {
  const chunks = JSON.parse(readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    ConsoleChunk
  >
  const filesOf = (name: string, seen = new Set<string>()): string[] => {
    const chunk = chunks[name]
    if (!chunk || seen.has(name)) return []
    seen.add(name)
    const { file, css = [], imports = [] } = chunk
    return [file, ...css, ...imports.flatMap((one) => filesOf(one, seen))]
  }
  const sizeOf = sizesIn(folder)
  const messages = Object.keys(chunks).filter((name) => /virtual:messages\/fr\//.test(name))
  const screens = (chunks[CONSOLE_ENTRY]?.dynamicImports ?? []).filter((name) => SCREEN.test(name))
  if (screens.length === 0) throw new Error(`the build in ${folder} has no screens`)
  return screens.toSorted().map((screen) => {
    const shown = screen.replace(/^.*features\//, '')
    const own = declared?.get(shown)
    if (declared && !own) throw new Error(`no ${DECLARATIONS} declares ${shown}`)
    const waited = own && [CONSOLE_MESSAGES, ...own]
    const loaded = messages.filter((name) => waited?.includes(name.split('/').at(-1) ?? '') ?? true)
    const beside = shown === APPROVALS.screen ? [APPROVALS.collected] : []
    const parts = [CONSOLE_ENTRY, CONSOLE_FRAME, screen, ...beside, ...loaded]
    const files = new Set(parts.flatMap((name) => filesOf(name)))
    const sizes = [...files].map(sizeOf)
    return { screen: shown, size: sizes.reduce(add, { gzip: 0, brotli: 0 }) }
  })
}

/** Measures each file of a folder once. */
function sizesIn(folder: string): (file: string) => Size {
  const sizes = new Map<string, Size>()
  return (file) => {
    let size = sizes.get(file)
    if (!size) sizes.set(file, (size = compressed(readFileSync(path.join(folder, file)))))
    return size
  }
}

const compressed = (content: Buffer): Size => ({
  gzip: gzipSync(content, { level: 9 }).length,
  brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
})

const add = (one: Size, other: Size): Size => ({
  gzip: one.gzip + other.gzip,
  brotli: one.brotli + other.brotli,
})
