import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { key } from '#i18n/keys.ts'
import { checkDependencies } from '../../tools/gates/deps.ts'
import { dependencyRules } from '../../tools/gates/dependency-rules.ts'
import { inCheckout } from './canaries/checkout.ts'
import { DEPENDENCY_BREACHES, DEPENDENCY_FILES, DEPENDENCY_SLICES } from './canaries/dependencies.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const SLOW = 120_000

test('a message that French lacks does not compile', () => {
  // @ts-expect-error there is no such message: the gate "types" fails when this compiles
  expect(key('errors.noSuchMessage')).toBe('errors.noSuchMessage')
})

test('a table without its types is drift', { timeout: SLOW }, async () => {
  const { status, stderr } = await inCheckout({}, ({ root }) => {
    for (const part of ['src', 'db/migrations', 'tools/db-types.ts']) {
      cpSync(path.join(projectDir, part), path.join(root, part), { recursive: true })
    }
    symlinkSync(path.join(projectDir, 'node_modules'), path.join(root, 'node_modules'), 'dir')
    const newest = readdirSync(path.join(root, 'db/migrations')).toSorted().at(-1)!
    appendFileSync(path.join(root, 'db/migrations', newest), '\ncreate table canary (id int primary key);\n')
    return spawnSync(process.execPath, ['tools/db-types.ts', '--verify'], { cwd: root, encoding: 'utf8' })
  })
  expect(stderr).toContain('does not match db/migrations')
  expect(status).toBe(1)
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
