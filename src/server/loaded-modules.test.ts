import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** Records the address of every module that is loaded, and prints them at the end. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () => process.stdout.write(JSON.stringify(loaded)))
`)}`

/** Packages that these modules bring into the process or thread which imports them. */
function packagesOf(...files: string[]): Set<string> {
  const addresses = files.map((file) => path.join(root, file))
  const program = `for (const one of ${JSON.stringify(addresses)}) await import(one)`
  const args = ['--import', RECORDER, '--input-type=module', '--eval', program]
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  const ofPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//
  return new Set((JSON.parse(output) as string[]).flatMap((url) => ofPackage.exec(url)?.[1] ?? []))
}

/** Everything that src/server/main.ts imports. */
const ofMain = [
  ...readFileSync(path.join(root, 'src/server/main.ts'), 'utf8').matchAll(/ from '(\.\/.+)'$/gm),
].map(([, file]) => path.join('src/server', file!))

test('a process of the shop loads nothing that draws documents, decodes pictures or builds pages', () => {
  expect(ofMain).toContain('src/server/build-app.ts')
  const packages = packagesOf(...ofMain)
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'kysely', 'tinypool']))
  for (const heavy of ['sharp', 'pdfkit', 'fontkit', '@simplewebauthn/server', 'vite', 'react-dom'])
    expect(packages).not.toContain(heavy)
}, 240_000)

test.each([
  'src/features/purchase/orders/server/receipt-pdf.ts',
  'src/features/tickets/server/ticket-pdf.ts',
  'src/features/policies/server/policy-pdf.ts',
])('a thread that draws by %s loads no server and no database', (file) => {
  const packages = packagesOf(file)
  expect(packages).toContain('pdfkit')
  for (const heavy of ['fastify', 'kysely', 'pg', 'sharp', 'zod']) expect(packages).not.toContain(heavy)
})
