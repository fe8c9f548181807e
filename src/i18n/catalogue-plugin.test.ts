import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { messageCatalogues } from './catalogue-plugin.ts'

const POLICIES = new URL('./nl/policies.json', import.meta.url)
const dutch = JSON.parse(readFileSync(POLICIES, 'utf8')) as Record<string, string>

/** What the build makes of the Dutch catalogue of the rules page, written as given. */
function built(catalogue: Record<string, string>): unknown {
  const { transform } = messageCatalogues()
  if (typeof transform !== 'function') throw new Error('the plugin transforms by a function')
  return transform.call({} as never, JSON.stringify(catalogue), fileURLToPath(POLICIES))
}

test('a catalogue like the French one is compiled', () => {
  expect(built(dutch)).toMatchObject({ code: expect.stringContaining('"contents":"Inhoud"') })
})

test('a message that a language lacks ends the build', () => {
  const { contents: _, ...rest } = dutch
  expect(() => built(rest)).toThrow(/nl\/policies\.json lacks contents$/)
})

test('a message that French has not ends the build', () => {
  expect(() => built({ ...dutch, extra: 'Meer' })).toThrow(/has what French has not: extra$/)
})

test('a message that is not well formed ends the build', () => {
  expect(() => built({ ...dutch, contents: 'Inhoud {' })).toThrow('EXPECT_ARGUMENT_CLOSING_BRACE')
})
