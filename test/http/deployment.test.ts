import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../tools/run/free-port.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { blocksOf } from '../support/pages.ts'

/** The page's own lines, in a folder like the one it has its reader make; how that is made: tools/bootstrap/. */
const root = path.resolve(import.meta.dirname, '../..')
const PAGE = blocksOf('docs/deployment.md')
const LIVE = blocksOf('README.md').find(([first]) => first === 'MODE=live') ?? []

/** What stands for the dots of README. */
const OWN: Record<string, string> = {
  SECRET_KEY: 'a secret of this test, long enough to sign with',
  SMTP_URL: 'smtps://mail.example',
}

let base: TestDatabase
let folder: string
const started: ChildProcess[] = []

beforeAll(async () => {
  base = await testDatabase({ empty: true })
  folder = await mkdtemp(path.join(tmpdir(), 'volant-deployment-'))
  for (const name of ['node_modules', 'src', 'package.json']) {
    await symlink(path.join(root, name), path.join(folder, name))
  }
})
afterAll(async () => {
  for (const one of started) one.kill('SIGKILL')
  await base.close()
  await rm(folder, { recursive: true, force: true })
})

test('the lines of docs/deployment.md start a live shop, roles apart, on an empty database', async () => {
  const settings = LIVE.map((line) =>
    line.replace(/^(\w+)=.*…$/, (_, name) => `${name}=${OWN[name] ?? name}`),
  )
  const written = PAGE.find(([first]) => first?.startsWith('DATABASE_URL=')) ?? []
  const mine = written.map((line) =>
    line
      .replace(/^DATABASE_URL=.*/, `DATABASE_URL=${base.url}`)
      .replace(/^DATA_DIR=.*/, `DATA_DIR=${folder}`),
  )
  await writeFile(path.join(folder, '.env'), [...settings, ...mine].join('\n'))
  const lines = PAGE.flat().filter((line) => line.startsWith('ROLES='))
  expect(lines).toHaveLength(3)
  const ports: number[] = []
  for (const line of lines) {
    const port = await freePort()
    ports.push(port)
    const command = line
      .replace(/PORT=\d+/, `PORT=${port}`)
      // Where install scripts are forbidden this Node lies elsewhere (tools/bootstrap/installation.mjs).
      .replace('node_modules/node/bin/node', process.execPath)
    const env = { PATH: process.env['PATH'], LOG_LEVEL: 'error' }
    started.push(spawn('sh', ['-c', `exec env ${command}`], { cwd: folder, env, stdio: 'inherit' }))
  }
  for (const port of ports) {
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/api/health/ready`).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(ready, { timeout: 120_000 }).toBe(200)
  }
  const web = await fetch(`http://127.0.0.1:${ports[0]}/api/offers/`)
  expect([web.status, await web.json()]).toMatchObject([200, []])
})
