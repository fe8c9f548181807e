import { globSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Rollup } from 'vite'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { importCatalogue, messageCatalogues } from './catalogue-plugin.ts'
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

test('the folder of the project may have an apostrophe in its path', () => {
  const statement = importCatalogue('cart', 'fr', "/srv/l'été")
  expect(statement).toBe('import cart from "/srv/l\'été/fr/cart.json"')
})

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
    '%s has the messages of the French source, none of them empty [spec 1.21]',
    (language) => {
      expect([...messages(language, file).keys()].toSorted()).toEqual(
        [...messages('fr', file).keys()].toSorted(),
      )
      for (const [name, text] of messages(language, file)) expect(text.trim(), name).not.toBe('')
    },
  )

  test.each(LANGUAGES)('%s is well-formed ICU with the arguments of the French source', (language) => {
    const source = messages('fr', file)
    for (const [name, text] of messages(language, file)) {
      expect(needs(text), `${language} ${name}`).toEqual(needs(source.get(name) ?? ''))
    }
  })
})

const compile = messageCatalogues().transform as (code: string, id: string) => Rollup.TransformResult

describe('the first catalogue of the console and its parts', () => {
  const load = messageCatalogues().load as unknown as (
    this: { addWatchFile: () => void },
    id: string,
  ) => string
  const built = (name: string): string => load.call({ addWatchFile: () => undefined }, `\0virtual:${name}`)
  const all = JSON.parse(readFileSync(new URL('console.json', folder('nl')), 'utf8')) as Tree
  const parts = [...built('console-catalogues').matchAll(/'console\.(\w+)': /g)].map(([, part = '']) => part)
  const partsIn = (module: string): string[] =>
    Object.keys(JSON.parse(/(?:console: |console, )(\{.+\})\)? \}$/.exec(module)?.[1] ?? '') as object)

  test('have every part of the file once', () => {
    const rest = parts.flatMap((part) => partsIn(built(`messages/nl/console.${part}`)))
    expect(rest).toEqual(parts)
    expect(parts).toContain('audit')
    const first = partsIn(built('messages/nl/console'))
    const forServer = ['refusals', 'emails']
    expect([...first, ...rest, ...forServer].toSorted()).toEqual(Object.keys(all).toSorted())
  })

  test('of which there is no other', () => {
    expect(() => built('messages/nl/console.nothing')).toThrow('console.json has no part "nothing"')
    expect(() => built('messages/nl/nothing')).toThrow('there is no catalogue "nothing"')
  })
})

describe.each(['errors', 'formErrors'])('messages of the server in %s', (namespace) => {
  const id = fileURLToPath(new URL(`${namespace}.json`, folder('fr')))
  const compiled = compile(readFileSync(id, 'utf8'), id)
  const sent = JSON.parse((compiled as { code: string }).code) as Record<string, object>
  const isServers = (name: string): boolean => SERVER_MESSAGES.some((one) => `${name}.`.startsWith(`${one}.`))

  test('are left out for browsers, and no others are', () => {
    const all = [...messages('fr', `${namespace}.json`).keys()]
    for (const one of SERVER_MESSAGES.filter((name) => name.startsWith(`${namespace}.`))) {
      expect(
        all.some((name) => `${namespace}.${name}.`.startsWith(`${one}.`)),
        one,
      ).toBe(true)
    }
    const kept = all.filter((name) => {
      const [group = '', leaf = ''] = name.split('.')
      return leaf === '' ? group in sent : leaf in (sent[group] ?? {})
    })
    expect(kept).toEqual(all.filter((name) => !isServers(`${namespace}.${name}`)))
    expect(kept.length).toBeLessThan(all.length)
  })

  test('are used by nothing that runs in a browser', () => {
    const sources = globSync([
      'src/{apps/site,client,ui}/**/*.{ts,tsx}',
      'src/features/{*,purchase/*}/*.ts',
      'src/features/**/screens/**/*.{ts,tsx}',
    ]).filter((file) => !file.includes('.test.'))
    expect(sources.length).toBeGreaterThan(100)
    const asked = sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const spoken = [...text.matchAll(/['"`]([a-z]\w*(?:\.\w+)*)['"`]/g)].map(([, name = '']) => name)
      // A text may be a key by itself, or below one of the namespaces that the file translates under.
      const under = [...text.matchAll(/useTranslations\('((?:errors|formErrors)[.\w]*)'/g)].map(
        ([, name = '']) => `${name}.`,
      )
      return ['', ...under].flatMap((prefix) => spoken.map((name) => `${prefix}${name}`)).filter(isServers)
    })
    expect(asked).toEqual([])
  })
})

const POLICIES = new URL('./nl/policies.json', import.meta.url)
const dutch = JSON.parse(readFileSync(POLICIES, 'utf8')) as Record<string, string>

/** What the build makes of the Dutch catalogue of the rules page, written as given. */
function built(catalogue: Record<string, string>): unknown {
  return compile(JSON.stringify(catalogue), fileURLToPath(POLICIES))
}

const { contents: _, ...lacking } = dutch
test.each([
  ['that French has', lacking, /nl\/policies\.json lacks contents$/],
  ['that French has not', { ...dutch, extra: 'Meer' }, /has what French has not: extra$/],
  ['that is malformed', { ...dutch, contents: 'Inhoud {' }, 'EXPECT_ARGUMENT_CLOSING_BRACE'],
])('the build fails for a difference in a message %s', (_why, catalogue, message) => {
  expect(() => built(catalogue)).toThrow(message)
})

test('the build compiles a catalogue with the messages of the French one', () => {
  expect(built(dutch)).toMatchObject({ code: expect.stringContaining('"contents":"Inhoud"') })
})
