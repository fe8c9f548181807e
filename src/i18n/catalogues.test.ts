import { globSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Rollup } from 'vite'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { messageCatalogues } from './catalogue-plugin.ts'
import { BROWSER_NAMESPACES, SERVER_MESSAGES } from './namespaces.ts'

type Tree = { [name: string]: string | Tree }

const folder = (language: Language): URL => new URL(`./${language}/`, import.meta.url)
const files = readdirSync(folder('fr')).filter((file) => file.endsWith('.json'))
const messages = (language: Language, file: string): Map<string, string> =>
  flatten(JSON.parse(readFileSync(new URL(file, folder(language)), 'utf8')) as Tree)

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([name, node]): [string, string][] =>
      typeof node === 'string' ? [[prefix + name, node]] : [...flatten(node, `${prefix}${name}.`)],
    ),
  )
}

/** The arguments and tags a message needs, sorted. */
function needs(message: string): string[] {
  const found = new Set<string>()
  const collect = (elements: ReturnType<IntlMessageFormat['getAst']>): void => {
    for (const element of elements) {
      if ('value' in element && element.type !== 0) found.add(element.value)
      if ('options' in element) Object.values(element.options).forEach((option) => collect(option.value))
      if ('children' in element) collect(element.children)
    }
  }
  collect(new IntlMessageFormat(message, 'fr').getAst())
  return [...found].toSorted()
}

test('there are catalogues to compare', () => {
  expect(files.length).toBeGreaterThanOrEqual(BROWSER_NAMESPACES.length)
  expect([...messages('fr', 'errors.json')].length).toBeGreaterThan(50)
})

test('every language has the same files', () => {
  for (const language of LANGUAGES) {
    expect(readdirSync(folder(language)).filter((file) => file.endsWith('.json'))).toEqual(files)
  }
})

describe.each(files)('%s', (file) => {
  test.each(LANGUAGES)(
    '%s has every message of the French source and no other, filled [spec 1.21]',
    (language) => {
      expect([...messages(language, file).keys()].toSorted()).toEqual(
        [...messages('fr', file).keys()].toSorted(),
      )
      for (const [name, text] of messages(language, file)) expect(text.trim(), name).not.toBe('')
    },
  )

  test.each(LANGUAGES)('%s is good ICU and asks for the values the French source asks for', (language) => {
    const source = messages('fr', file)
    for (const [name, text] of messages(language, file)) {
      expect(needs(text), `${language} ${name}`).toEqual(needs(source.get(name) ?? ''))
    }
  })
})

describe('what only the server says', () => {
  const id = fileURLToPath(new URL('errors.json', folder('fr')))
  const compiled = (messageCatalogues().transform as (code: string, id: string) => Rollup.TransformResult)(
    readFileSync(id, 'utf8'),
    id,
  )
  const sent = JSON.parse((compiled as { code: string }).code) as Record<string, object>
  const isServers = (name: string): boolean => SERVER_MESSAGES.some((one) => `${name}.`.startsWith(`${one}.`))

  test('is left out of what browsers load, and nothing else is', () => {
    const all = [...messages('fr', 'errors.json').keys()]
    for (const one of SERVER_MESSAGES) {
      expect(
        all.some((name) => `errors.${name}.`.startsWith(`${one}.`)),
        one,
      ).toBe(true)
    }
    const kept = all.filter((name) => {
      const [group = '', leaf = ''] = name.split('.')
      return leaf === '' ? group in sent : leaf in (sent[group] ?? {})
    })
    expect(kept).toEqual(all.filter((name) => !isServers(`errors.${name}`)))
    expect(kept.length).toBeLessThan(all.length)
  })

  test('is asked for by nothing that runs in a browser', () => {
    const sources = globSync([
      'src/{app,client,ui}/**/*.{ts,tsx}',
      'src/features/*/*.ts',
      'src/features/*/screens/**/*.{ts,tsx}',
    ]).filter((file) => !file.includes('.test.'))
    expect(sources.length).toBeGreaterThan(100)
    const asked = sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const spoken = [...text.matchAll(/['"`]([a-z]\w*(?:\.\w+)*)['"`]/g)].map(([, name = '']) => name)
      // A text may be a key by itself, or below one of the namespaces that the file translates under.
      const under = [...text.matchAll(/useTranslations\('(errors[.\w]*)'/g)].map(
        ([, name = '']) => `${name}.`,
      )
      return ['', ...under].flatMap((prefix) => spoken.map((name) => `${prefix}${name}`)).filter(isServers)
    })
    expect(asked).toEqual([])
  })
})
