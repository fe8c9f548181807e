import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOUSE_CANARIES } from './canaries/house-rules.ts'
import { HOUSE_RULES, RULE_NAMES } from './rules/all.ts'
import { readTree, treeOf } from './rules/tree.ts'

const tree = readTree(path.resolve(import.meta.dirname, '../..'))

test('the tree was read', () => {
  for (const file of ['package.json', '.nvmrc', '.ci/run', 'src/server/main.ts', 'src/i18n/fr/errors.json']) {
    expect(tree.files).toContain(file)
  }
})

describe.each(RULE_NAMES)('%s', (name) => {
  const { about, check } = HOUSE_RULES[name]

  test(`holds: ${about}`, () => {
    expect(check(tree)).toEqual([])
  })

  test('is broken by its canary', () => {
    const { files, findings } = HOUSE_CANARIES[name]
    expect(check(treeOf(files)).toSorted()).toEqual(findings.toSorted())
  })
})
