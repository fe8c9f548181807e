import { readFileSync } from 'node:fs'
import path from 'node:path'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../shared/languages.ts'
import { SERVER_MESSAGES, namespacesOf } from './namespaces.ts'

const VIRTUAL = 'virtual:messages/'
const FOLDER = import.meta.dirname.replaceAll(path.sep, '/')
const isCatalogue = (id: string): boolean =>
  id.endsWith('.json') && LANGUAGES.some((language) => id.startsWith(`${FOLDER}/${language}/`))

/** The path may contain quotes. */
export const importCatalogue = (name: string, language: string, folder = FOLDER): string =>
  `import ${name} from ${JSON.stringify(`${folder}/${language}/${name}.json`)}`

/** Loads one file for each language, when it is needed. */
function filesOf(catalogue: string): string {
  const files = LANGUAGES.map((language) => `${language}: () => import('${VIRTUAL}${language}/${catalogue}')`)
  return `export default { ${files.join(', ')} }`
}

type Tree = { [name: string]: string | Tree }
type CompiledTree = { [name: string]: ReturnType<typeof compile> | CompiledTree }

/** Compiles ICU messages, so that browsers need no parser. Malformed messages or keys unlike French fail the build. */
export function messageCatalogues(): Plugin {
  return {
    name: 'volant:message-catalogues',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(VIRTUAL) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${VIRTUAL}`)) return undefined
      const [catalogue = '', language] = id
        .slice(VIRTUAL.length + 1)
        .split('/')
        .toReversed()
      const names = namespacesOf(catalogue)
      if (names.length === 0) throw new Error(`there is no catalogue "${catalogue}"`)
      if (language === undefined) return filesOf(catalogue)
      const imports = names.map((name) => importCatalogue(name, language))
      return `${imports.join('\n')}\nexport default { ${names.join(', ')} }`
    },
    transform(code, id) {
      if (!isCatalogue(id)) return undefined
      const messages = JSON.parse(code) as Tree
      const source = `${FOLDER}/${DEFAULT_LANGUAGE}/${path.basename(id)}`
      assertSameKeys(id, messages, JSON.parse(readFileSync(source, 'utf8')) as Tree)
      return {
        code: JSON.stringify(compileTree(forBrowsers(messages, path.basename(id, '.json')))),
        map: null,
      }
    },
  }
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
