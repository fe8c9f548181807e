import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { inCheckout } from '../../tools/gates/canaries/checkout.ts'
import {
  DEPENDENCY_BREACHES,
  DEPENDENCY_FILES,
  DEPENDENCY_SLICES,
} from '../../tools/gates/canaries/dependencies.ts'
import { LINT_CANARIES } from '../../tools/gates/canaries/lint.ts'
import { checkDependencies } from '../../tools/gates/deps.ts'
import { dependencyRules } from '../../tools/gates/dependency-rules.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const SLOW = 120_000

type Diagnostic = { code: string; filename: string }

describe('lint', () => {
  test('refuses every canary, and nothing else', { timeout: SLOW }, async () => {
    const files = Object.fromEntries(LINT_CANARIES.map(({ file, text }) => [file, `${text}\n`]))
    const { code, output } = await inCheckout(files, ({ run }) =>
      run('oxlint', '--type-aware', '--deny-warnings', '--format=json'),
    )
    const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] }
    const found = LINT_CANARIES.map(({ file, text }) => ({
      file,
      text,
      breaks: diagnostics.filter(({ filename }) => filename === file).map((one) => one.code),
    }))
    expect(found).toEqual(LINT_CANARIES)
    expect(code).toBe(1)
  })

  test('has a canary for every rule that is named', () => {
    const text = readFileSync(path.join(projectDir, '.oxlintrc.json'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')
    const named = Object.keys((JSON.parse(text) as { rules: object }).rules)
    const broken = new Set(LINT_CANARIES.flatMap(({ breaks }) => breaks))
    const codes = named.map((name) => (name.includes('/') ? name.replace('/', '(') : `eslint(${name}`) + ')')
    expect(codes.filter((rule) => !broken.has(rule))).toEqual([])
  })
})

describe('dependencies', () => {
  const inOrder = <Item>(items: Item[]): string[] => items.map((item) => JSON.stringify(item)).sort()

  test('every breach is found, and nothing else', { timeout: SLOW }, async () => {
    const { broken, modules, imports } = await inCheckout(DEPENDENCY_FILES, ({ root }) =>
      checkDependencies(root),
    )
    expect(inOrder(broken)).toEqual(inOrder(DEPENDENCY_BREACHES))
    expect(modules).toBeGreaterThan(45)
    expect(imports).toBeGreaterThan(45)
  })

  test('has a canary for every rule', () => {
    const broken = new Set(DEPENDENCY_BREACHES.map(({ rule }) => rule))
    const rules = dependencyRules(DEPENDENCY_SLICES).map(({ name }) => name)
    expect(rules.filter((rule) => !broken.has(rule))).toEqual([])
  })

  test.each([
    ['a circle', { a: ['b'], b: ['a'] }, /server: a -> b -> a is a circle/],
    ['an unknown slice', { a: ['c'] }, /a: "server" names an unknown slice, c/],
    ['itself', { a: ['a'] }, /a: "server" names itself/],
  ])('slices.json cannot name %s', async (_what, server, message) => {
    const table = Object.entries(server).map(([name, list]) => [
      name,
      { about: 'x', contracts: [], server: list, screens: [], shares: [] },
    ])
    const files = { 'slices.json': JSON.stringify(Object.fromEntries(table)), 'src/a.ts': '' }
    await expect(inCheckout(files, ({ root }) => checkDependencies(root))).rejects.toThrow(message)
  })
})
