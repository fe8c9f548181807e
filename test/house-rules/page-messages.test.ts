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

test('every page waits for the catalogues of the messages that its screens show, and no others', () => {
  expect(routes.length).toBeGreaterThan(10)
  const needed = routes.map((route) => {
    const texts = everythingBehind(route).map((file) => readFileSync(path.join(projectDir, file), 'utf8'))
    const find = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
    const namespaces = texts.flatMap((text) => find(text, /useTranslations\('(\w+)/g))
    expect(BROWSER_NAMESPACES).toEqual(expect.arrayContaining(namespaces))
    const awaited = find(texts[0] ?? '', /await needMessages\('(\w+)'\)/g)
    const asked = cataloguesOf(namespaces).filter((name) => name !== 'shop')
    expect([route, awaited]).toEqual([route, asked])
    return awaited
  })
  expect(needed.flat()).toContain('purchase')
})
