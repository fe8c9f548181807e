import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { addChecksums, completeLock, missingPackages, uncheckedPackages } from './lock-platforms.mjs'
import {
  installCommand,
  NODE_PACKAGE,
  outsidePath,
  requireChecksums,
  whyInstall,
  whyNotHere,
} from './installation.mjs'

const [a, tool] = [{ version: '1.0.0' }, { version: '2.0.0' }]
const project = path.resolve(import.meta.dirname, '../..')
const read = (file) => readFileSync(path.join(project, file), 'utf8')
const { packages: locked } = JSON.parse(read('package-lock.json'))
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
  expect(missingPackages({ packages: locked })).toEqual([])
})

const DEBIAN = ['x64', 'arm64'].map((cpu) => ({ os: 'linux', cpu, libc: 'glibc' }))

test('every package that Debian installs has a checksum in the lock file, and none names an address', () => {
  for (const machine of DEBIAN) expect(uncheckedPackages(locked, machine)).toEqual([])
  expect(uncheckedPackages(locked, {}).filter(({ place }) => !locked[place].optional)).toEqual([])
  expect(Object.values(locked).filter(({ resolved, link }) => resolved || link)).toEqual([])
  expect(uncheckedPackages({ 'node_modules/@a/b': { version: '1.0.0' } }, DEBIAN[0])).toHaveLength(1)
})

test('the Node that runs Volant is a package of the lock file, and no package runs a script when installed', () => {
  for (const { cpu } of DEBIAN)
    expect(locked[`node_modules/node-linux-${cpu}`]).toMatchObject({
      version: read('.nvmrc').trim(),
      integrity: expect.stringMatching(/^sha512-/),
    })
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true')
  lock({ '': {}, [NODE_PACKAGE]: { ...a, optional: true } })
  installed({})
  expect(why()).toContain('is missing')
})

test('a package of this system without a checksum is not installed; a registry that has it completes the lock', async () => {
  const binding = (name, more) => ({
    [`node_modules/${name}`]: { version: '1.0.0', optional: true, ...more },
  })
  const mac = { os: 'darwin', cpu: 'arm64' }
  const packages = {
    '': {},
    ...binding('@x/mac', { os: ['darwin'], dev: true }),
    ...binding('y-musl', { os: ['linux'], libc: ['musl'] }),
    ...binding('z', { integrity: 'sha512-z' }),
  }
  lock(packages)
  expect(() => requireChecksums(root, { development: true }, mac)).toThrow(
    'for this system: @x/mac. Run npm run',
  )
  for (const machine of DEBIAN) requireChecksums(root, { development: true }, machine)
  requireChecksums(root, { development: false }, mac)
  const responses = { '@x/mac@1.0.0': 'sha512-x' }
  const completed = (await addChecksums({ packages }, async (wanted) => responses[wanted])).packages
  expect(completed).toEqual({
    ...packages,
    'node_modules/@x/mac': expect.objectContaining({ integrity: 'sha512-x' }),
  })
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

test('a shop is installed without development packages, which are added later beside a shop that runs', () => {
  expect(installCommand({ development: false }).slice(0, 2)).toEqual(['ci', '--omit=dev'])
  const later = installCommand({ development: true, inPlace: true })
  expect(later.slice(0, 3), 'a shop that runs keeps its files').toEqual([
    'install',
    '--no-save',
    '--include=dev',
  ])
})
