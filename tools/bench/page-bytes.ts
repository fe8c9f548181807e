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
  const sizes = new Map<string, Size>()
  const sizeOf = (file: string): Size => {
    let size = sizes.get(file)
    if (!size) sizes.set(file, (size = compressed(readFileSync(path.join(clientFolder, file)))))
    return size
  }
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

const compressed = (content: Buffer): Size => ({
  gzip: gzipSync(content, { level: 9 }).length,
  brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
})

const add = (one: Size, other: Size): Size => ({
  gzip: one.gzip + other.gzip,
  brotli: one.brotli + other.brotli,
})
