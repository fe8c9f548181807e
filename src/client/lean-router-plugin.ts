import type { Plugin } from 'vite'

/**
 * Parts of React Router that the shop has switched off by its settings, and which the library decides on only when it
 * runs: discovering routes while the visitor moves (`routeDiscovery: initial`) and instrumentation (none is given).
 * What stands in for them is what the library itself does in that case.
 */
const SWITCHED_OFF: Record<string, string> = {
  'lib/dom/ssr/fog-of-war.js': `
    export const URL_LIMIT = 7680
    export const isFogOfWarEnabled = () => false
    export const getPatchRoutesOnNavigationFunction = () => undefined
    export const useFogOFWarDiscovery = () => undefined
    export const getManifestPath = (given) => given || '/__manifest'
    export const getPathsWithAncestors = (paths) => paths
    export const getPartialManifest = (manifest) => manifest
    export const handleClientVersionMismatch = async () => false`,
  'lib/router/instrumentation.js': `
    export const consumeInstrumentationClientResultMetaReceiver = () => undefined
    export const getRouteInstrumentationUpdates = () => ({})
    export const instrumentClientSideRouter = (router) => router
    export const instrumentHandler = (handler) => handler
    export const instrumentationResultMetaContext = undefined`,
}

/**
 * The document asks for its modules itself (src/server/pages/page-scripts.ts). In the browser the library would ask
 * once more, by links, for files that the page does without.
 */
const PRELOADS = {
  part: 'lib/dom/ssr/components.js',
  links: /, !enableFogOfWar \? [^]+?\}\)\), initialScripts\);/,
  without: ', initialScripts);',
}

const RELEASE = '/react-router/dist/production/'

/** Names of components for a tool of developers; each keeps a component in the file that nothing uses. */
const DISPLAY_NAME = /^\w+\.displayName = "[^"]+";$/gm

/**
 * Leaves out of the browser's files what the shop never runs of React Router: 3 kB of every first visit. An update of
 * the library that moves one of the parts, or exports more from it, fails the build here.
 */
export function leanRouter(): Plugin {
  const replaced = new Set<string>()
  return {
    name: 'volant:lean-router',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    transform(code, id) {
      const at = id.replaceAll('\\', '/').indexOf(RELEASE)
      if (at < 0) return undefined
      const part = id.slice(at + RELEASE.length)
      const standIn = SWITCHED_OFF[part]
      if (part === PRELOADS.part) {
        if (!PRELOADS.links.test(code)) throw new Error(`${part} of React Router preloads in another way`)
        replaced.add(part)
        return {
          code: code.replaceAll(DISPLAY_NAME, '').replace(PRELOADS.links, PRELOADS.without),
          map: null,
        }
      }
      if (standIn === undefined) return { code: code.replaceAll(DISPLAY_NAME, ''), map: null }
      requireSameExports(part, code, standIn)
      replaced.add(part)
      return { code: standIn, map: null }
    },
    buildEnd(error) {
      const missing = [...Object.keys(SWITCHED_OFF), PRELOADS.part].filter((part) => !replaced.has(part))
      if (!error && missing.length > 0) throw new Error(`React Router no longer has ${missing.join(', ')}`)
    },
  }
}

function requireSameExports(part: string, code: string, standIn: string): void {
  const listed = /^export \{ (.+) \};$/m.exec(code)?.[1]?.split(', ') ?? []
  const lacking = listed.filter((name) => !standIn.includes(`export const ${name} =`))
  if (listed.length === 0 || lacking.length > 0) {
    throw new Error(`${part} of React Router is not what its stand-in expects: ${lacking.join(', ')}`)
  }
}
