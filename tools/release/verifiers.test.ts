import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { isExtended } from '../../test/support/tier.ts'
import { findVerifiers } from './verifiers.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** A shop that has these files. */
async function startShop(files: Record<string, string | Buffer>): Promise<string> {
  const server = createServer(({ url = '' }, reply) => {
    const file = files[url.slice(1)]
    reply.writeHead(file === undefined ? 404 : 200).end(file)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const [OLD, NEW] = ['aa'.repeat(32), 'bb'.repeat(32)]
const leaf = (name: string, hash: string): string => `volant-verifier-v1\t${name}\t${hash}\n`

test('a shop’s programs that check draws are those that it serves and those that its register names last', async () => {
  const register = leaf('verify.html', OLD) + leaf('verify.html', NEW)
  const shop = await startShop({ 'verify-draw.py': 'x\n', 'draws/log.txt': register })
  expect(await findVerifiers(shop, ['verify.html', 'verify-draw.py'])).toEqual([
    { name: 'verify.html', served: null, registered: NEW },
    {
      name: 'verify-draw.py',
      served: '73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac',
      registered: null,
    },
  ])
})

test('a shop that does not respond is named', async () => {
  const shop = 'http://127.0.0.1:1'
  await expect(findVerifiers(shop, ['verify.html'])).rejects.toThrow(`${shop}/draws/log.txt does not respond`)
})

/** `npm run verifiers` in a checkout, for a user who makes files that nobody else may read. */
const makeIn = (checkout: string, words: string[], env: NodeJS.ProcessEnv = {}) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const program = [process.execPath, path.join(checkout, 'tools/verifiers.ts'), ...words]
    execFile(
      'sh',
      ['-c', `${'HOME' in env ? 'umask 077; ' : ''}exec "$@"`, 'sh', ...program],
      { cwd: checkout, env: { ...process.env, ...env } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })

/** Lets Node believe that it is some years later. */
const LATER = `const Now = Date
globalThis.Date = class extends Now {
  constructor(...given) { super(...(given.length ? given : [Now.now() + 1e11])) }
  static now() { return Now.now() + 1e11 }
}`

/** A checkout in a folder with other things in it, below one whose .gitignore leaves out what the page consists of. */
function odd(folder: string): { checkout: string; env: NodeJS.ProcessEnv } {
  const home = path.join(folder, 'home')
  const checkout = path.join(folder, 'l’été & co')
  mkdirSync(path.join(home, '.config/git'), { recursive: true })
  writeFileSync(path.join(home, '.config/git/ignore'), '*.tsx\n')
  writeFileSync(path.join(folder, '.gitignore'), 'ui/\n*.ts\n')
  writeFileSync(path.join(folder, 'postcss.config.mjs'), 'throw new Error("this one is not ours")\n')
  writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), 'packages: ["*"]\n')
  mkdirSync(checkout)
  for (const name of ['src', 'tools', 'package.json', 'tsconfig.json', '.gitignore', 'vite.verify.config.ts'])
    cpSync(path.join(root, name), path.join(checkout, name), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'))
  const later = `--import=data:text/javascript,${encodeURIComponent(LATER)}`
  const env = { TZ: 'Pacific/Auckland', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', USER: 'nobody' }
  return { checkout, env: { ...env, HOME: home, XDG_CONFIG_HOME: '', NODE_OPTIONS: later } }
}

test.runIf(isExtended)(
  'they are the same bytes in every folder, at every time and for every user, and are compared with those of a shop',
  async () => {
    const folder = temporaryFolder()
    const [here, there] = ['here', 'there'].map((name) => path.join(folder, name)) as [string, string]
    const { checkout, env } = odd(folder)
    const [made] = [await makeIn(root, [here]), await makeIn(checkout, [there], env)]
    const files = (target: string) =>
      Object.fromEntries(readdirSync(target).map((name) => [name, readFileSync(path.join(target, name))]))
    expect(statSync(path.join(there, 'verify.html')).mode & 0o77).toBe(0)
    expect(Object.keys(files(here)).toSorted()).toEqual(['SHA256SUMS', 'verify-draw.py', 'verify.html'])
    expect(files(there)).toEqual(files(here))

    const sums = String(files(here)['SHA256SUMS']).trimEnd().split('\n')
    expect(made).toEqual({
      code: 0,
      out: sums.map((line) => `${line.replace('  ', `  ${here}/`)}\n`).join(''),
      err: '',
    })
    const leaves = sums.map((line) => line.split('  ')).map(([hash = '', name = '']) => leaf(name, hash))
    const honest = await startShop({ ...files(here), 'draws/log.txt': leaves.join('') })
    expect(await makeIn(root, [here, '--check', honest])).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /(?:\nverify\S+: the same in the shop, the same in its register){2}\n$/,
      ) as string,
    })
    const other = await startShop({ ...files(here), 'verify.html': 'x\n', 'draws/log.txt': leaves[0]! })
    expect(await makeIn(root, [here, '--check', other])).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /\nverify\.html: DIFFERENT in the shop: \w{64}, the same in its register\nverify-draw\.py: the same in the shop, MISSING in its register\n$/,
      ) as string,
    })
  },
  180_000,
)
