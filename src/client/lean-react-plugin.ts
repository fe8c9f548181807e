import type { Plugin } from 'vite'

/** React's packages as they are imported, and the file of each that browsers run in production. */
const FILES: Record<string, string> = {
  react: 'react.production.js',
  'react/jsx-runtime': 'react-jsx-runtime.production.js',
  'react-dom': 'react-dom.production.js',
  'react-dom/client': 'react-dom-client.production.js',
  scheduler: 'scheduler.production.js',
}

const REQUIRED = /^(?:var|const)((?:\s+\w+ = require\("[^"]+"\),?)+);$/m
const ONE_REQUIRED = /(\w+) = require\("([^"]+)"\)/g
const EXPORTED = /^exports\.(\w+) =/gm

/**
 * Makes ES modules of React's packages, which are published as CommonJS only. As such the bundler keeps all they
 * export, calls every hook through an object, and needs a file of its own for the helpers: 2 kB and one request of
 * every first visit. A release of React written in another way ends the build.
 */
export function leanReact(): Plugin {
  const made = new Set<string>()
  return {
    name: 'volant:lean-react',
    enforce: 'pre',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    async resolveId(source, importer, options) {
      const file = FILES[source]
      if (file === undefined) return undefined
      const index = await this.resolve(source, importer, { ...options, skipSelf: true })
      return index?.id.replace(/[^/\\]+$/, `cjs/${file}`)
    },
    transform(code, id) {
      const [, file = ''] = /[/\\]cjs[/\\]([^/\\]+)$/.exec(id) ?? []
      if (!Object.values(FILES).includes(file)) return undefined
      made.add(file)
      return { code: asModule(file, id, code), map: null }
    },
    buildEnd(error) {
      const missing = Object.values(FILES).filter((file) => !made.has(file))
      if (!error && missing.length > 0) throw new Error(`React no longer has ${missing.join(', ')}`)
    },
  }
}

function asModule(file: string, from: string, code: string): string {
  const required = [...(REQUIRED.exec(code)?.[1] ?? '').matchAll(ONE_REQUIRED)]
  const names = new Set([...code.matchAll(EXPORTED)].map(([, name]) => name!))
  const declared = new Set<string>()
  const body = code
    .replace(REQUIRED, '')
    .replace(EXPORTED, (_, name: string) => {
      const first = !declared.has(name)
      declared.add(name)
      return `${first ? 'var ' : ''}exported_${name} =`
    })
    .replaceAll(/\bexports\.(\w+)/g, 'exported_$1')
  if (names.size === 0 || /\brequire\(|\bexports\b/.test(body)) {
    throw new Error(`${file} is not written as this plugin expects`)
  }
  const all = [...names]
  return [
    ...required.map(([, name, source]) => `import * as ${name} from '${source}'`),
    body,
    `export { ${all.map((name) => `exported_${name} as ${name}`).join(', ')} }`,
    // Not an object of all of them: what nobody asks of it is left out.
    `export * as default from '${from}'`,
  ].join('\n')
}
