import path from 'node:path'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'
import { LANGUAGES } from '../shared/languages.ts'
import { BROWSER_NAMESPACES } from './namespaces.ts'

const VIRTUAL = 'virtual:messages/'
const FOLDER = import.meta.dirname.replaceAll(path.sep, '/')
const isCatalogue = (id: string): boolean =>
  id.endsWith('.json') && LANGUAGES.some((language) => id.startsWith(`${FOLDER}/${language}/`))

type Tree = { [name: string]: string | Tree }
type CompiledTree = { [name: string]: ReturnType<typeof compile> | CompiledTree }

/**
 * Gives pages `virtual:messages/<language>`: that language's namespaces in one module, every ICU message compiled,
 * so that browsers carry the 1 kB formatter and not the parser.
 */
export function messageCatalogues(): Plugin {
  return {
    name: 'volant:message-catalogues',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(VIRTUAL) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${VIRTUAL}`)) return undefined
      const language = id.slice(VIRTUAL.length + 1)
      const imports = BROWSER_NAMESPACES.map(
        (name) => `import ${name} from '${FOLDER}/${language}/${name}.json'`,
      )
      return `${imports.join('\n')}\nexport default { ${BROWSER_NAMESPACES.join(', ')} }`
    },
    transform(code, id) {
      return isCatalogue(id)
        ? { code: JSON.stringify(compileTree(JSON.parse(code) as Tree)), map: null }
        : undefined
    },
  }
}

const compileTree = (tree: Tree): CompiledTree =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      typeof node === 'string' ? compile(node) : compileTree(node),
    ]),
  )
