import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEAD_CODE_FILES, DEAD_CODE_FINDINGS } from '../../tools/gates/canaries/dead-code.ts'
import { inCheckout } from '../../tools/gates/canaries/checkout.ts'
import {
  DEPENDENCY_BREACHES,
  DEPENDENCY_FILES,
  DEPENDENCY_SLICES,
} from '../../tools/gates/canaries/dependencies.ts'
import { MISFORMATTED, WELL_FORMATTED } from '../../tools/gates/canaries/format.ts'
import { LINT_CANARIES } from '../../tools/gates/canaries/lint.ts'
import { KEY_CANARY, TYPE_CANARIES } from '../../tools/gates/canaries/types.ts'
import { checkDependencies } from '../../tools/gates/deps.ts'
import { dependencyRules } from '../../tools/gates/dependency-rules.ts'

const projectDir = path.resolve(import.meta.dirname, '../..')
const SLOW = 120_000

type Diagnostic = { code: string; filename: string }

describe('format', () => {
  test('refuses every canary, and nothing else', { timeout: SLOW }, async () => {
    const { code, output } = await inCheckout({ ...MISFORMATTED, ...WELL_FORMATTED }, ({ run }) =>
      run('oxfmt', '--list-different', 'src', 'README.md', '.github'),
    )
    expect(output.trim().split('\n').sort()).toEqual(Object.keys(MISFORMATTED).sort())
    expect(code).toBe(1)
  })
})

describe('types', () => {
  test('every setting refuses its canary', { timeout: SLOW }, async () => {
    const files = Object.fromEntries(TYPE_CANARIES.map(({ file, text }) => [file, `${text}\n`]))
    const { code, output } = await inCheckout(files, ({ run }) => run('tsc'))
    const errors = [...output.matchAll(/^(.+?)\(\d+,\d+\): error (TS\d+)/gm)].map(
      ([, file, error]) => `${file} ${error}`,
    )
    expect(errors.sort()).toEqual(TYPE_CANARIES.map(({ file, error }) => `${file} ${error}`).sort())
    expect(code).not.toBe(0)
  })

  test('a message that French lacks does not compile', { timeout: SLOW }, async () => {
    const { output } = await inCheckout({ [KEY_CANARY.file]: `${KEY_CANARY.text}\n` }, ({ root, run }) => {
      cpSync(path.join(projectDir, 'src/i18n'), path.join(root, 'src/i18n'), { recursive: true })
      return run('tsc')
    })
    expect(output).toMatch(/src\/key-canary\.ts\(2,\d+\): error TS2345/)
  })
})

describe('dead code', () => {
  type Issues = { file: string } & Record<string, { name?: string }[] | string>

  test('every dead thing is found, and nothing else', { timeout: SLOW }, async () => {
    const { code, output } = await inCheckout(DEAD_CODE_FILES, ({ run }) =>
      run('knip', '--reporter=json', '--no-config-hints', '--no-progress'),
    )
    const { issues } = JSON.parse(output) as { issues: Issues[] }
    const found = issues.flatMap((issue) =>
      Object.entries(issue).flatMap(([kind, list]) =>
        Array.isArray(list)
          ? list.map(({ name }) => (kind === 'files' ? `files: ${name}` : `${kind}: ${issue.file}: ${name}`))
          : [],
      ),
    )
    expect(found.sort()).toEqual(DEAD_CODE_FINDINGS)
    expect(code).toBe(1)
  })
})

describe('table types', () => {
  test('a table without its types is drift', { timeout: SLOW }, async () => {
    const { status, stderr } = await inCheckout({}, ({ root }) => {
      for (const part of ['src', 'db/migrations', 'tools/db-types.ts']) {
        cpSync(path.join(projectDir, part), path.join(root, part), { recursive: true })
      }
      symlinkSync(path.join(projectDir, 'node_modules'), path.join(root, 'node_modules'), 'dir')
      const newest = readdirSync(path.join(root, 'db/migrations')).toSorted().at(-1)!
      appendFileSync(
        path.join(root, 'db/migrations', newest),
        '\ncreate table canary (id int primary key);\n',
      )
      return spawnSync(process.execPath, ['tools/db-types.ts', '--verify'], { cwd: root, encoding: 'utf8' })
    })
    expect(stderr).toContain('does not match db/migrations')
    expect(status).toBe(1)
  })
})

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
    const { rules } = JSON.parse(text) as { rules: Record<string, unknown> }
    const named = Object.keys(rules).filter((name) => rules[name] !== 'off')
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
