import { spawnSync } from 'node:child_process'
import { SHELL_NAME, findInstalled, findShell } from './find.ts'
import { run, withRetries } from './run.ts'

/** Installs Chromium with apt, as root or through a sudo that asks nothing; nothing when neither is at hand. */
export async function installWithApt(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // A bare machine has no font at all, and Chromium then shows pages without words.
  await install('Chromium', 'chromium', 'fonts-liberation')
  return findInstalled(env.PATH)
}

/** Installs the headless shell in the same way. */
export async function installShellWithApt(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  await install('Chromium’s headless shell', SHELL_NAME)
  return findShell(env.PATH)
}

async function install(what: string, ...packages: string[]): Promise<void> {
  if (spawnSync('apt-get', ['--version']).status !== 0) return
  const isRoot = process.geteuid?.() === 0
  if (!isRoot && spawnSync('sudo', ['-n', 'true']).status !== 0) return
  const apt = (...args: string[]) => {
    const command = [
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      '-q',
      '-o',
      'DPkg::Lock::Timeout=120',
      ...args,
    ]
    return isRoot ? run('env', command.slice(1)) : run('sudo', ['-n', ...command])
  }
  console.log(`Installing ${what} for the tests with apt-get …`)
  await withRetries(async () => {
    await apt('update')
    await apt('install', '-y', '--no-install-recommends', ...packages)
  })
}
