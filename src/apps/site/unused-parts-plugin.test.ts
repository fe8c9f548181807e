import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { UNUSED_BY_CONSOLE, UNUSED_BY_SHOP, leaveOutUnused } from './unused-parts-plugin.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const { resolve } = createRequire(import.meta.url)
const library = path.resolve(resolve('react-router/package.json'), '../dist/production/lib')

const build = {
  parse: parseAst,
  error: (message: string) => {
    throw new Error(message)
  },
}

interface Hooks {
  transform: (this: typeof build, code: string, id: string) => { code: string } | undefined
  buildEnd: (this: typeof build, error?: Error) => void
}

const pluginOf = (parts: Parameters<typeof leaveOutUnused>[0]): Hooks =>
  leaveOutUnused(parts) as unknown as Hooks

test.each([
  ['the shop', UNUSED_BY_SHOP],
  ['the console', UNUSED_BY_CONSOLE],
])('React Router has every part that %s leaves out, and stays a module without it', (_, parts) => {
  const plugin = pluginOf(parts)
  for (const file of Object.keys(parts)) {
    const id = path.join(library, file)
    const code = readFileSync(id, 'utf8')
    const left = plugin.transform.call(build, code, id)!.code
    expect(left.length).toBeLessThan(code.length)
    expect(left).not.toMatch(/^\s*warn(?:ing|Once|ingOnce)\(/m)
    expect(() => parseAst(left)).not.toThrow()
  }
  expect(() => plugin.buildEnd.call(build)).not.toThrow()
})

test('a release without one of them ends the build', () => {
  const id = path.join(library, 'dom/ssr/fallback.js')
  const plugin = pluginOf({ 'dom/ssr/fallback.js': { Renamed: '' } })
  expect(() => plugin.transform.call(build, readFileSync(id, 'utf8'), id)).toThrow('has no Renamed')
  expect(() => plugin.buildEnd.call(build)).toThrow('has no dom/ssr/fallback.js')
  expect(() => plugin.buildEnd.call(build, new Error('another fault'))).not.toThrow()
})

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** What needs parts that the shop leaves out. */
const NEEDS_MORE =
  /\b(?:Form|Await|use(?:Submit|Fetchers?|FormAction|ActionData|Blocker)|serverLoader|(?:clientA|a)ction)\b/

test('the shop uses nothing of React Router that is left out, and each of its pages loads in browsers', () => {
  const files = globSync('src/{apps/site,client,ui,features/**/screens}/**/*.{ts,tsx}', { cwd: root })
  const imported = files.flatMap((file) =>
    [...read(file).matchAll(/import \{([^}]*)\} from 'react-router'/g)].map(
      ([, names]) => `${file}: ${names}`,
    ),
  )
  expect(imported.length).toBeGreaterThan(20)
  expect(imported.filter((names) => NEEDS_MORE.test(names))).toEqual([])

  const routes = globSync('src/apps/site/routes/*.tsx', { cwd: root }).map((file) => ({
    file,
    code: read(file),
  }))
  const exported = (name: string) =>
    routes.filter(({ code }) =>
      new RegExp(`^export const ${name}\\b|^export async function ${name}\\b`, 'm').test(code),
    )
  expect(exported('loader').length).toBeGreaterThan(10)
  expect(exported('loader').filter((route) => !exported('clientLoader').includes(route))).toEqual([])
  expect(
    routes.filter(({ code }) =>
      /\bserverLoader\b|^export (?:const|async function) (?:clientA|a)ction\b/m.test(code),
    ),
  ).toEqual([])
})
