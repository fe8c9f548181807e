import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { blocksOf } from '../../test/support/pages.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { completeLock, missingPackages } from './lock-platforms.mjs'
import { INSTALL, nodePlaces, outsidePath, whyInstall, whyNotHere } from './installation.mjs'

const [a, tool] = [{ version: '1.0.0' }, { version: '2.0.0' }]
const project = path.resolve(import.meta.dirname, '../..')
let root
beforeEach(() => {
  root = temporaryFolder()
  mkdirSync(path.join(root, 'node_modules'))
  lock({ '': {}, 'node_modules/a': a, 'node_modules/tool': { ...tool, dev: true } })
})

const write = (file, packages) => writeFileSync(path.join(root, file), JSON.stringify({ packages }))
const lock = (packages) => write('package-lock.json', packages)
const installed = (packages) => write('node_modules/.package-lock.json', packages)
const why = (development = true) => whyInstall(root, { development })

test('what differs from the lock file is installed; the shop itself needs no tools of development', () => {
  expect(why(), 'a fresh clone, or an interrupted installation').toBe('they are not installed yet')
  installed({ 'node_modules/a': a, 'node_modules/tool': tool })
  expect(why()).toBeUndefined()
  installed({ 'node_modules/tool': tool })
  expect(why()).toBe('a is missing')
  installed({ 'node_modules/a': { version: '1.0.1' }, 'node_modules/tool': tool })
  expect(why()).toBe('a is not version 1.0.0')
  installed({ 'node_modules/a': a })
  expect([why(false), why(true)]).toEqual([undefined, 'tool is missing'])
})

test('packages of other systems may be missing', () => {
  lock({ 'node_modules/a-darwin': { version: '1.0.0', optional: true } })
  installed({})
  expect(why()).toBeUndefined()
})

test('the lock file has every package of every system, as npm ci demands: npm run lock:platforms', () => {
  expect(missingPackages(JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8')))).toEqual(
    [],
  )
})

test('a package of another system that npm left out is added with what its name says', () => {
  const tools = { 'x-darwin-arm64': '1.2.3', 'x-linux-arm-musleabihf': '1.2.3', 'x-wasm32-wasi': '1.2.3' }
  const below = { version: '1.0.0', optionalDependencies: { 'x-darwin-arm64': '2.0.0' } }
  const before = {
    packages: {
      '': {},
      'node_modules/x': { version: '1.2.3', dev: true, optionalDependencies: tools },
      'node_modules/y': below,
      'node_modules/y/node_modules/x-darwin-arm64': { version: '2.0.0', optional: true },
    },
  }
  const { packages } = completeLock(before)
  expect(missingPackages({ packages })).toEqual([])
  const added = { version: '1.2.3', optional: true, dev: true }
  expect(packages).toEqual({
    ...before.packages,
    'node_modules/x-darwin-arm64': { ...added, os: ['darwin'], cpu: ['arm64'] },
    'node_modules/x-linux-arm-musleabihf': { ...added, os: ['linux'], cpu: ['arm'], libc: ['musl'] },
    'node_modules/x-wasm32-wasi': { ...added, cpu: ['wasm32'] },
  })
  below.optionalDependencies = { 'y-linux-x64': '^2.0.0' }
  expect(() => completeLock(before)).toThrow('Which y-linux-x64 (^2.0.0) is meant')
})

test('a damaged lock file is an error', () => {
  writeFileSync(path.join(root, 'package-lock.json'), '{')
  expect(() => why()).toThrow('missing or damaged')
})

test.each(['#', '?', '%', '*', '"', '$', '`', '\\'])(
  'a folder with %s in its path is refused in one sentence',
  (character) => {
    expect(whyNotHere(`/srv/a${character}b`)).toContain(`in a folder with ${character} in its path`)
  },
)

test('other characters of a path are accepted', () => {
  expect(whyNotHere("/srv/l'été & co; (1) [2] {3}!")).toBeUndefined()
})

test('npm runs without the programs it is about to replace', () => {
  const before = process.env.PATH
  process.env.PATH = [path.join(root, 'node_modules/.bin'), '/usr/bin'].join(path.delimiter)
  expect(outsidePath(root)).toBe('/usr/bin')
  process.env.PATH = before
})

/** That the processes start as docs/deployment.md has it: test/http/restarts.test.ts. */
const commands = blocksOf('docs/deployment.md').flat()

test('docs/deployment.md installs, builds and starts as npm start does', () => {
  expect(commands).toContain(`npm ${INSTALL.join(' ')}`)
  expect(commands.filter((line) => /npm (i|install)\b|--ignore-scripts/.test(line))).toEqual([])

  const read = (file) => readFileSync(path.join(project, file), 'utf8')
  const { bin } = JSON.parse(read('node_modules/@react-router/dev/package.json'))
  expect(bin['react-router']).toBe('bin.cjs')
  expect(read('tools/run/build.ts')).toContain("'node_modules/@react-router/dev/bin.cjs'")
  expect(commands).toContain('npx react-router build')

  const started = commands.filter((line) => line.startsWith('ROLES='))
  expect(started).toHaveLength(3)
  const node = path.relative(project, nodePlaces(project)[0])
  for (const line of started) expect(line).toContain(` ${node} --env-file=.env `)
})
