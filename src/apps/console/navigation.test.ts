import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { matchPath } from 'react-router'
import { describe, expect, test } from 'vitest'
import consoleWords from '#i18n/fr/console.json' with { type: 'json' }
import { CONSOLE_FRAME } from '#i18n/namespaces.ts'
import { SEARCH_KINDS, type SearchHit } from '#shared/staff-search.ts'
import { approvalCatalogues, declaredCatalogues } from '../../../tools/bench/page-bytes.ts'
import { recordPath } from '#console-kit/record-path.ts'
import { ACTIONS, ALL_SCREENS, RECORD_SCREENS, SCREENS } from './navigation.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

const hit = (kind: SearchHit['kind']): SearchHit => ({
  kind,
  id: '12',
  title: 'AB-12',
  matched: 'id',
  state: null,
  total: null,
  at: null,
  contest: null,
  order: kind === 'ticket' ? { id: '1', number: 'AB-12' } : null,
  customer: { id: 12, name: 'Ann', email: '' },
})

const screenOf = (address: string) =>
  ALL_SCREENS.find(({ to }) => to === address)?.to ?? RECORD_SCREENS.find((to) => matchPath(to, address))

test('every record that the search finds has a screen, and every screen of a record is found', () => {
  const paths = [...SEARCH_KINDS.map((kind) => recordPath(hit(kind)).replace(/[?#].*/, '')), '/draws/12']
  expect(paths.filter((one) => screenOf(one) === undefined)).toEqual([])
  expect(RECORD_SCREENS.filter((to) => !paths.some((one) => screenOf(one) === to))).toEqual([])
})

const twice = <Item>(items: readonly Item[]): Item[] => items.filter((item, at) => items.indexOf(item) < at)

test('no two screens have one path, one name or one place', () => {
  expect(twice(SCREENS.map((screen) => screen.path))).toEqual([])
  expect(twice(ALL_SCREENS.map(({ name }) => name))).toEqual([])
  expect(twice(ALL_SCREENS.map(({ place }) => place))).toEqual([])
})

test('every name and every action that has words is declared by one screen', () => {
  expect(ALL_SCREENS.map(({ name }) => name).toSorted()).toEqual(Object.keys(consoleWords.nav).toSorted())
  expect(ACTIONS.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(consoleWords.keys.actions).toSorted(),
  )
})

const sources = globSync('src/{apps/console,console-kit,features/**/console}/**/*.{ts,tsx}', {
  cwd: root,
}).filter((file) => !file.includes('.test.'))

describe('links', () => {
  /** What a link or a step of the router may be given. */
  const PLACES = [
    /(?:\bto=|\bto: |\bnavigate\(|\blinkOf=\{.*=> |\bredirect\()\{?['"`](\/[^'"`]*)/g,
    /^const \w+Path = .*=> ['"`](\/(?!api\/)[^'"`]*)/gm,
  ]

  test('of all screens lead to screens', () => {
    const links = sources.flatMap((file) =>
      PLACES.flatMap((place) => [...read(file).matchAll(place)].map(([, to = '']) => ({ file, to }))),
    )
    expect(links.length).toBeGreaterThan(40)
    const address = (to: string): string => to.replaceAll(/\$\{[^}]*\}/g, '12').replace(/[?#].*/, '')
    const isKnown = (to: string): boolean => to.startsWith('/sign-in') || screenOf(address(to)) !== undefined
    expect(links.filter(({ to }) => !isKnown(to))).toEqual([])
  })
})

/** A file with all that it loads of the console's texts; types alone load nothing. */
function everythingBehind(file: string): string[] {
  const found = new Set([file])
  for (const one of found) {
    const text = read(one).replaceAll(/^import type .+$/gm, '')
    for (const [, name = ''] of text.matchAll(/(?:from |import\()'([#.][^']+\.tsx?)'/g))
      found.add(name.startsWith('#') ? path.join('src', name.slice(1)) : path.join(path.dirname(one), name))
  }
  return [...found]
}

test('every declared action is offered by its screen, but for the one that its screen begins with', () => {
  const files = [...declaredCatalogues(root).keys()]
  const texts = files.map((file) => everythingBehind(`src/features/${file}`).map(read).join('\n'))
  const offered = ACTIONS.filter(({ name }) => texts.some((text) => text.includes(`name: '${name}'`)))
  expect(ACTIONS.filter((action) => !offered.includes(action)).map(({ name }) => name)).toEqual([
    'registerCard',
  ])
})

describe('texts', () => {
  const parts = Object.keys(consoleWords).filter((part) => !CONSOLE_FRAME.some((one) => one === part))
  const find = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, name = '']) => name)

  /** The catalogues that a file translates from. */
  function usedBy(file: string): string[] {
    const text = read(file)
    const own = find(text, /useTranslations\('(console[A-Z]\w*)/g)
    const named = find(text, /useTranslations\('console\.(\w+)/g)
    const below = text.includes("useTranslations('console')")
      ? find(text, /\b\w+\([^)\n]*?['"`](\w+)\.\w/g)
      : []
    return [
      ...own,
      ...[...named, ...below].filter((part) => parts.includes(part)).map((part) => `console.${part}`),
    ]
  }

  const declared = declaredCatalogues(root)

  test('are declared for every screen', () => {
    expect(declared.size).toBe(SCREENS.length)
    expect([...declared.values()].flat().toSorted()).toEqual(
      SCREENS.flatMap(({ catalogues = [] }) => [...catalogues]).toSorted(),
    )
  })

  test.each([...declared, ...approvalCatalogues(root)])(
    'of %s are those that it shows, and no others',
    (screen, catalogues) => {
      const used = everythingBehind(`src/features/${screen}`).flatMap(usedBy)
      expect([...new Set(used)].toSorted()).toEqual(catalogues.toSorted())
    },
  )
})
