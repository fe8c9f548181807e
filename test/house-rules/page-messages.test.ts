import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { BROWSER_NAMESPACES, CATALOGUES, namespacesOf } from '#i18n/namespaces.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const routes = globSync('src/app/routes/*.tsx', { cwd: projectDir })

/** The files of ours that a file imports, also on demand; types alone load nothing. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(projectDir, file), 'utf8').replaceAll(/^import type .+$/gm, '')
  return [...text.matchAll(/(?:from |import\(|import )'([#.][^']+)'/g)].flatMap(([, name = '']) => {
    const target = name.startsWith('#')
      ? path.join('src', name.slice(1))
      : path.join(path.dirname(file), name)
    return /\.tsx?$/.test(target) && existsSync(path.join(projectDir, target)) ? [target] : []
  })
}

function everythingBehind(route: string): string[] {
  const found = new Set([route])
  for (const file of found) for (const next of importsOf(file)) found.add(next)
  return [...found]
}

const cataloguesOf = (names: readonly string[]): string[] =>
  CATALOGUES.filter((catalogue) => namespacesOf(catalogue).some((name) => names.includes(name)))

test('a page needs the messages that its screens show, and no others', () => {
  expect(routes.length).toBeGreaterThan(10)
  const asked: Record<string, string[]> = {}
  const named: Record<string, string[]> = {}
  for (const route of routes) {
    const texts = everythingBehind(route).map((file) => readFileSync(path.join(projectDir, file), 'utf8'))
    const namespaces = texts.flatMap((text) =>
      [...text.matchAll(/useTranslations\('(\w+)/g)].map(([, name = '']) => name),
    )
    expect(BROWSER_NAMESPACES).toEqual(expect.arrayContaining(namespaces))
    const known = new Set(['shop', ...cataloguesOf(namespaces)])
    asked[route] = [...known].filter((name) => name !== 'shop')
    named[route] = [...(texts[0] ?? '').matchAll(/await needMessages\('(\w+)'\)/g)].map(
      ([, name = '']) => name,
    )
  }
  expect(named).toEqual(asked)
  expect(Object.values(asked).flat()).toContain('purchase')
})
