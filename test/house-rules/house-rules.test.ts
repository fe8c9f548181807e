import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOUSE_CANARIES, type HouseCanary } from './canaries/house-rules.ts'
import { catalogueRules } from './rules/catalogue-rules.ts'
import { documentRules } from './rules/document-rules.ts'
import { repositoryRules } from './rules/repository-rules.ts'
import { checkDemands, coverage } from './rules/specification.ts'
import { styleRules } from './rules/style-rules.ts'
import { testRules } from './rules/test-rules.ts'
import { textRules } from './rules/text-rules.ts'
import { readTree, treeOf } from './rules/tree.ts'
import { wordRules } from './rules/word-rules.ts'

/** Every house rule; what lint or the dependency gate can check is theirs. */
const HOUSE_RULES = {
  ...repositoryRules,
  ...textRules,
  ...catalogueRules,
  ...wordRules,
  ...styleRules,
  ...testRules,
  ...documentRules,
}
type RuleName = keyof typeof HOUSE_RULES
const CANARIES: Record<RuleName, HouseCanary> = HOUSE_CANARIES

const tree = readTree(path.resolve(import.meta.dirname, '../..'))

test('the tree was read', () => {
  for (const file of ['package.json', '.nvmrc', '.ci/run', 'src/server/main.ts', 'src/i18n/fr/errors.json']) {
    expect(tree.files).toContain(file)
  }
})

describe.each(Object.keys(HOUSE_RULES) as RuleName[])('%s', (name) => {
  const { about, check } = HOUSE_RULES[name]

  test(`holds: ${about}`, () => {
    expect(check(tree)).toEqual([])
  })

  test('is broken by its canary', () => {
    const { files, findings } = CANARIES[name]
    expect(check(treeOf(files)).toSorted()).toEqual(findings.toSorted())
  })
})

test('demands are printed by section, or with the tests of a demand', () => {
  const demands = treeOf(HOUSE_CANARIES.demands.files)
  const printed = (asked: string[]) => coverage(demands, checkDemands(demands), asked)
  expect(printed([])).toEqual(['   4 of   5  2. Screens', '   1 of   3  3. Fields'])
  expect(printed(['2.3'])).toEqual(['2.3  one', '  src/a.test.ts: "inside"'])
})
