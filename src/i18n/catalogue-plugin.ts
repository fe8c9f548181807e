import { readFileSync } from 'node:fs'
import path from 'node:path'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../shared/languages.ts'
import {
  BROWSER_NAMESPACES,
  CONSOLE_FRAME,
  SERVER_MESSAGES,
  isForConsole,
  namespacesOf,
} from './namespaces.ts'

const VIRTUAL = 'virtual:messages/'
const SCREENS = 'virtual:console-catalogues'
/** The one whose parts are catalogues of their own. */
const FRAME = 'console'
const FOLDER = import.meta.dirname.replaceAll(path.sep, '/')
const isCatalogue = (id: string): boolean =>
  id.endsWith('.json') && LANGUAGES.some((language) => id.startsWith(`${FOLDER}/${language}/`))

/** The path may contain quotes. */
export const importCatalogue = (name: string, language: string, folder = FOLDER): string =>
  `import ${name} from ${JSON.stringify(`${folder}/${language}/${name}.json`)}`

/** Loads one file for each language, when it is needed. */
function filesOf(catalogue: string): string {
  const files = LANGUAGES.map((language) => `${language}: () => import('${VIRTUAL}${language}/${catalogue}')`)
  return `{ ${files.join(', ')} }`
}

/** Every catalogue that a screen of the console may wait for. */
function screenCatalogues(): string {
  const own = BROWSER_NAMESPACES.filter((name) => isForConsole(name) && name !== FRAME)
  const parts = Object.keys(readFrame(DEFAULT_LANGUAGE)).filter((part) => !isOfFrame(part))
  const names = [...own, ...parts.map((part) => `${FRAME}.${part}`)]
  return `export default { ${names.map((name) => `'${name}': ${filesOf(name)}`).join(', ')} }`
}

const isOfFrame = (part: string): boolean => CONSOLE_FRAME.some((one) => one === part)

const frameFile = (language: string): string => `${FOLDER}/${language}/${FRAME}.json`
const readFrame = (language: string): Tree => JSON.parse(readFileSync(frameFile(language), 'utf8')) as Tree

/**
 * A part of the console's first catalogue, which adds itself to the object of the others.
 * @param part what every screen has, when left out
 */
function partOfFrame(language: string, part?: string): string {
  const all = compiledFrom(frameFile(language), readFrame(language))
  const wanted = ([name]: [string, unknown]): boolean =>
    part === undefined ? isOfFrame(name) : name === part
  const entries = Object.entries(all).filter(wanted)
  if (entries.length === 0) throw new Error(`${FRAME}.json has no part "${part}"`)
  const messages = JSON.stringify(Object.fromEntries(entries))
  if (part === undefined) return `export default { ${FRAME}: ${messages} }`
  return `import frame from '${VIRTUAL}${language}/${FRAME}'
export default { ${FRAME}: Object.assign(frame.${FRAME}, ${messages}) }`
}

type Tree = { [name: string]: string | Tree }
type CompiledTree = { [name: string]: ReturnType<typeof compile> | CompiledTree }

/** Compiles ICU messages, so that browsers need no parser. Malformed messages or keys unlike French fail the build. */
export function messageCatalogues(): Plugin {
  return {
    name: 'volant:message-catalogues',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(VIRTUAL) || id === SCREENS ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${SCREENS}`) {
        this.addWatchFile(frameFile(DEFAULT_LANGUAGE))
        return screenCatalogues()
      }
      if (!id.startsWith(`\0${VIRTUAL}`)) return undefined
      const [catalogue = '', language] = id
        .slice(VIRTUAL.length + 1)
        .split('/')
        .toReversed()
      if (language === undefined) return `export default ${filesOf(catalogue)}`
      const [first, part] = catalogue.split('.')
      if (first === FRAME) {
        this.addWatchFile(frameFile(language))
        return partOfFrame(language, part)
      }
      const names = namespacesOf(catalogue)
      if (names.length === 0) throw new Error(`there is no catalogue "${catalogue}"`)
      const imports = names.map((name) => importCatalogue(name, language))
      return `${imports.join('\n')}\nexport default { ${names.join(', ')} }`
    },
    transform(code, id) {
      if (!isCatalogue(id)) return undefined
      return { code: JSON.stringify(compiledFrom(id, JSON.parse(code) as Tree)), map: null }
    },
  }
}

/** @throws Error for keys unlike French, and for malformed messages */
function compiledFrom(id: string, messages: Tree): CompiledTree {
  const source = `${FOLDER}/${DEFAULT_LANGUAGE}/${path.basename(id)}`
  assertSameKeys(id, messages, JSON.parse(readFileSync(source, 'utf8')) as Tree)
  return compileTree(forBrowsers(messages, path.basename(id, '.json')))
}

function assertSameKeys(id: string, messages: Tree, source: Tree): void {
  const [own, french] = [keysOf(messages), keysOf(source)]
  const lacking = french.filter((key) => !own.includes(key))
  const beyond = own.filter((key) => !french.includes(key))
  if (lacking.length > 0) throw new Error(`${id} lacks ${lacking.join(', ')}`)
  if (beyond.length > 0) throw new Error(`${id} has what French has not: ${beyond.join(', ')}`)
}

const keysOf = (tree: Tree, prefix = ''): string[] =>
  Object.entries(tree).flatMap(([name, node]) =>
    typeof node === 'string' ? [prefix + name] : keysOf(node, `${prefix}${name}.`),
  )

function forBrowsers(tree: Tree, prefix: string): Tree {
  const kept = Object.entries(tree).filter(
    ([name]) => !(SERVER_MESSAGES as readonly string[]).includes(`${prefix}.${name}`),
  )
  return Object.fromEntries(
    kept.map(([name, node]) => [
      name,
      typeof node === 'string' ? node : forBrowsers(node, `${prefix}.${name}`),
    ]),
  )
}

const compileTree = (tree: Tree): CompiledTree =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      typeof node === 'string' ? compile(node) : compileTree(node),
    ]),
  )
