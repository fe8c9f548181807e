import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { STEPS } from '#draw-protocol/steps.ts'

type Texts = Record<string, Record<string, string>>

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
/** The members of a union of words in a source file. */
const unionIn = (source: string, name: string): string[] => {
  const [, body = ''] = new RegExp(`export type ${name} =\\n((?:  (?:\\||//).*\\n)+)`).exec(source) ?? []
  return [...body.matchAll(/'([\w-]+)'/g)].map(([, word]) => word!)
}
const FAULTS = read('../../../../draw-protocol/faults.ts')
const REMARKS = unionIn(read('../../../../draw-protocol/verify.ts'), 'RemarkCode')

describe.each(LANGUAGES)('in %s', (language) => {
  const texts = ['verify', 'verifyFaults', 'verifyReport'].reduce<Texts>(
    (before, name) => ({
      ...before,
      ...(JSON.parse(read(`../../../../i18n/${language}/${name}.json`)) as Texts),
    }),
    {},
  )

  // That none is missing is what the compiler finds.
  test('there are sentences for the codes of the protocol and for no others', () => {
    expect(Object.keys(texts['faults']!).toSorted()).toEqual(unionIn(FAULTS, 'FaultCode').toSorted())
    expect(Object.keys(texts['values']!).toSorted()).toEqual(unionIn(FAULTS, 'ValueName').toSorted())
    expect(Object.keys(texts['remarks']!).toSorted()).toEqual(REMARKS.toSorted())
    expect(Object.keys(texts['steps']!)).toEqual(STEPS)
    expect(Object.keys(texts['faults']!).length).toBeGreaterThan(70)
  })

  test('no two faults have one sentence, and each ends as one', () => {
    const sentences = Object.values(texts['faults']!)
    expect(new Set(sentences).size).toBe(sentences.length)
    for (const text of [...sentences, ...Object.values(texts['remarks']!)]) expect(text).toMatch(/[.!]$/)
  })

  test('verdicts say what they are given', () => {
    const verdict = texts['verdict'] as unknown as Texts
    for (const kind of ['passed', 'vouched'])
      for (const [by, text] of Object.entries(verdict[kind]!)) {
        const said = String(new IntlMessageFormat(text, language).format({ count: 3, of: 4, name: 'NAME' }))
        const isGiven = [said.includes('3') && said.includes('4'), said.includes('NAME')]
        expect([by, ...isGiven]).toEqual([by, /^(?:witnesses|stamped)$/.test(by), by.startsWith('stamp')])
      }
  })

  test('remarks say what they are given', () => {
    const values = {
      number: 7,
      other: 8,
      size: 5,
      time: 't',
      seconds: 61,
      count: 1,
      least: 9,
      attempt: 0,
      round: 3,
    }
    for (const text of Object.values(texts['remarks']!)) {
      const said = String(new IntlMessageFormat(text, language).format(values))
      expect(said).not.toMatch(/[{}]|undefined/)
    }
  })
})
