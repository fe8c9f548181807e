import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { BROWSER_NAMESPACES, CATALOGUES, namespacesOf } from '#i18n/namespaces.ts'
import { readConfig } from '#server/config.ts'
import { readSlices } from '../../tools/gates/slices.ts'
import { withSettings } from '../../tools/settings-table.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

test('the list in docs/settings.md matches the settings', () => {
  const page = read('docs/settings.md')
  expect(page, 'run: npx node tools/settings-table.ts').toBe(withSettings(page))
  const withoutOne = page.replace(/^- `HOLD_MINUTES`.*\n/m, '')
  expect(withoutOne).not.toBe(page)
  expect(withSettings(withoutOne)).toBe(page)
  expect(() => withSettings('a page without the markers of the list')).toThrow(/lacks/)
})

test('ARCHITECTURE.md lists every slice of slices.json once, and no other', () => {
  const [, section = ''] = read('ARCHITECTURE.md').split('\n## Slices\n')
  const [own = ''] = section.split('\n## ')
  const listed = [...own.matchAll(/^- .+(?:\n {2}.+)*/gm)].flatMap(([item]) =>
    [...item.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name),
  )
  expect(listed.toSorted()).toEqual(Object.keys(readSlices(root)).toSorted())
})

test('I7 allows the longest hold that the settings allow, extended once, and a minute more', () => {
  const longest = 180
  expect(readConfig({ HOLD_MINUTES: String(longest) }).holdMinutes).toBe(longest)
  expect(() => readConfig({ HOLD_MINUTES: String(longest + 1) })).toThrow('HOLD_MINUTES')
  expect(read('db/invariants.sql')).toContain(
    `hold_until > state_changed_at + interval '${2 * longest + 1} minutes'`,
  )
})

const routes = globSync('src/apps/site/routes/*.tsx', { cwd: root })

/** The files of ours that a file imports, also on demand; types alone load nothing. */
function importsOf(file: string): string[] {
  const text = read(file).replaceAll(/^import type .+$/gm, '')
  return [...text.matchAll(/(?:from |import\(|import )'([#.][^']+)'/g)].flatMap(([, name = '']) => {
    const target = name.startsWith('#')
      ? path.join('src', name.slice(1))
      : path.join(path.dirname(file), name)
    return /\.tsx?$/.test(target) && existsSync(path.join(root, target)) ? [target] : []
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
    const texts = everythingBehind(route).map((file) => read(file))
    const find = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
    const namespaces = texts.flatMap((text) => find(text, /(?:useTranslations|translatorOf\(\w+\))\('(\w+)/g))
    expect(BROWSER_NAMESPACES).toEqual(expect.arrayContaining(namespaces))
    // A part that is loaded on demand waits for its own.
    const waits = texts
      .flatMap((text) => find(text, /await (?:Promise\.all\(\[\s*)?needMessages\(([^)]+)\)/g))
      .join()
    // Two parts may wait for the same.
    const awaited = [...new Set(find(waits, /(\w+)Messages/g))]
    const asked = cataloguesOf(namespaces).filter((name) => name !== 'shop')
    expect([route, awaited.toSorted()]).toEqual([route, asked.toSorted()])
    return awaited
  })
  expect(needed.flat()).toContain('purchase')
})
