import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isRelease, releaseFault } from './whole-release.mjs'

let root
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'volant-whole-'))
  for (const folder of ['src/server', 'tools/bootstrap', 'node_modules/.bin'])
    mkdirSync(path.join(root, folder), { recursive: true })
  write('package.json', JSON.stringify({ release: '1.0.0-aaaa' }))
  for (const name of ['a', 'b', 'c', 'd']) write(`src/${name}.ts`, name.repeat(10))
  symlinkSync('../../src/a.ts', path.join(root, 'node_modules/.bin/a'))
  list({})
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (name, text) => writeFileSync(path.join(root, name), text)
const list = (change) => {
  const files = { 'src/a.ts': 10, 'src/b.ts': 10, 'src/c.ts': 10, 'src/d.ts': 10, 'node_modules/.bin/a': 10 }
  write('release.json', JSON.stringify({ release: '1.0.0-aaaa', files, ...change }))
}
const remove = (...names) => names.forEach((name) => rmSync(path.join(root, name)))

test('a whole release and a checkout have no fault', () => {
  expect(releaseFault(root)).toBeUndefined()
  expect(isRelease(root)).toBe(true)
  write('package.json', '{}')
  remove('release.json', 'src/a.ts')
  expect(releaseFault(root)).toBeUndefined()
  expect(isRelease(root)).toBe(false)
})

test.each([
  ['a missing file', () => remove('src/c.ts'), 'this file is not as released: src/c.ts (missing)'],
  ['a file cut off', () => truncateSync(path.join(root, 'src/b.ts'), 4), 'src/b.ts (another size)'],
  [
    'a link whose target is missing',
    () => remove('src/a.ts'),
    'these files are not as released: src/a.ts (missing), node_modules/.bin/a (missing)',
  ],
  ['four files', () => remove('src/a.ts', 'src/b.ts', 'src/c.ts'), 'src/c.ts (missing) and 1 more'],
  ['its list', () => remove('release.json'), 'release.json is missing or cut off'],
  [
    'the end of its list',
    () => truncateSync(path.join(root, 'release.json'), 20),
    'release.json is missing or cut off',
  ],
  ['the list of another release', () => list({ release: '2.0.0-bbbb' }), 'release.json is of 2.0.0-bbbb'],
  ['package.json', () => remove('package.json'), 'package.json is missing or cut off'],
])('a release copied in part is known by %s', (_, damage, reason) => {
  damage()
  expect(releaseFault(root)).toContain(`${root} is not a whole release: `)
  expect(releaseFault(root)).toContain(reason)
})

test.each(['run-process.mjs', 'bootstrap.mjs'])(
  'tools/%s says so in one sentence and ends with 1',
  (program) => {
    const tools = path.resolve(import.meta.dirname, '..')
    for (const name of [
      program,
      ...['whole-release', 'installation', 'lock-platforms'].map((one) => `bootstrap/${one}.mjs`),
    ])
      symlinkSync(path.join(tools, name), path.join(root, 'tools', name))
    write('tools/staff.ts', '')
    remove('src/d.ts')
    const args = [
      '--preserve-symlinks',
      '--preserve-symlinks-main',
      path.join(root, 'tools', program),
      'staff',
    ]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stderr.trim()).toBe(releaseFault(root))
    expect([status, stdout]).toEqual([1, ''])
  },
)
