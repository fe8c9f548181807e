import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../tools/run/free-port.ts'
import { bareEnvironment } from '../../tools/testbed/program.ts'
import { testDatabase } from '../support/database.ts'
import { blocksOf } from '../support/pages.ts'
import { PATIENCE, readinessOf } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Lets the system's account `daemon` use the tests' database, which root runs for itself. */
async function admitDaemon(databaseUrl: string): Promise<{ uid?: number; gid?: number }> {
  const sockets = new URL(databaseUrl).searchParams.get('host') ?? ''
  const home = path.dirname(sockets)
  await Promise.all([home, sockets].map((inside) => chmod(inside, 0o711)))
  await appendFile(path.join(home, 'identity.conf'), 'volant "daemon" volant\n')
  process.kill(Number.parseInt(await readFile(path.join(home, 'cluster/postmaster.pid'), 'utf8')), 'SIGHUP')
  const id = Number(execFileSync('id', ['-u', 'daemon'], { encoding: 'utf8' }))
  return { uid: id, gid: id }
}

/** Values for the dots of the README. */
const OWN: Record<string, string> = {
  SECRET_KEY: 'a secret of the deployment test, long enough to sign with',
  LOG_KEY: '5e'.repeat(32),
  CONTACT_EMAIL: 'help@shop.example',
  SMTP_URL: 'smtps://mail.example',
}

test.runIf(isExtended)(
  'the commands of docs/deployment.md make a release, install it and start a live shop with separate roles, whose pages all open',
  async () => {
    const page = blocksOf('docs/deployment.md')
    const linesWith = (start: string): string[] =>
      page.find((block) => block.some((line) => line.startsWith(start))) ?? []
    const base = await testDatabase({ empty: true })
    onTestFinished(() => base.close())
    const folder = temporaryFolder('volant-deployment-')
    await chmod(folder, 0o755)
    // Live mode does not run as root.
    const account = process.geteuid?.() === 0 ? await admitDaemon(base.url) : {}

    const env = { ...bareEnvironment(), HOME: folder, npm_config_cache: process.env['npm_config_cache'] }
    const type = (lines: string[], cwd: string): void =>
      void execFileSync('sh', ['-ec', lines.join('\n')], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
    type(
      linesWith('git clone').map((line) => line.replace(/<[^>]+>/, `file://${root}`)),
      folder,
    )
    const [tarball = ''] = globSync('*.tar.gz', { cwd: folder })
    const [name = ''] = /^volant-.*(?=-\w+-\w+\.tar\.gz$)/.exec(tarball) ?? []
    /** The page's lines with the release that was made, and this folder in the place of /srv/shop. */
    const here = (line: string): string =>
      line
        .replace(/volant-[\w.]+-[0-9a-f]{8}-linux-x64\.tar\.gz/, tarball)
        .replace(/volant-[\w.]+-[0-9a-f]{8}/, name)
        .replaceAll('/srv/shop', folder)
    type(linesWith('cd /srv/shop').map(here), folder)
    const current = path.join(folder, 'current')
    for (const bundler of ['vite', 'rolldown', 'tailwindcss', 'react'])
      expect(existsSync(path.join(current, 'node_modules', bundler))).toBe(false)

    const dataDir = path.join(folder, 'data')
    await mkdir(dataDir)
    if (account.uid !== undefined) await chown(dataDir, account.uid, account.uid)
    const live = blocksOf('README.md').find(([first]) => first === 'MODE=live') ?? []
    const settings = live.map((line) =>
      line.replace(/^(\w+)=.*…$/, (_, setting: string) => `${setting}=${OWN[setting] ?? setting}`),
    )
    const written = linesWith('DATABASE_URL=').map((line) =>
      line
        .replace(/^DATABASE_URL=.*/, `DATABASE_URL=${base.url}`)
        .replace(/^DATA_DIR=.*/, `DATA_DIR=${dataDir}`),
    )
    await writeFile(path.join(folder, 'settings.env'), [...settings, ...written].join('\n'))

    const check = page.find((block) => block.some((line) => line.includes('upgrade --check'))) ?? []
    expect(check).toHaveLength(2)
    type(
      check.map((line) => here(line.trim())),
      folder,
    )

    const commands = linesWith('ROLES=')
    expect(commands).toHaveLength(3)
    const started: ChildProcess[] = []
    onTestFinished(() => started.forEach((one) => one.kill('SIGKILL')))
    const ports: number[] = []
    for (const line of commands) {
      const port = await freePort()
      ports.push(port)
      const command = here(line).replace(/PORT=\d+/, `PORT=${port}`)
      // The machine has no Node of its own.
      const own = { PATH: '/usr/bin:/bin', LOG_LEVEL: 'error' }
      const options = { cwd: current, env: own, stdio: 'inherit', ...account } as const
      started.push(spawn('sh', ['-c', `exec env ${command}`], options))
    }
    for (const port of ports) await expect.poll(() => readinessOf(port), PATIENCE).toEqual([200, 'ok'])
    for (const web of ports.slice(0, 2)) {
      for (const address of ['/', '/offers', '/admin/', '/verify.html', '/verify-draw.py', '/api/offers/']) {
        const { status } = await fetch(`http://127.0.0.1:${web}${address}`)
        expect(`${address} ${status}`).toBe(`${address} 200`)
      }
    }
  },
  900_000,
)
