import { spawnSync } from 'node:child_process'
import { findInstalled } from './find.ts'
import { run, withRetries } from './run.ts'

const SHELL_PACKAGE = 'chromium-headless-shell'

/** Debian's package of the browser: the headless shell, or all of Chromium where there is no such package. */
export const browserPackage = (options: readonly string[] = []): string => {
  const { stdout } = spawnSync('apt-cache', [...options, 'policy', SHELL_PACKAGE], { encoding: 'utf8' })
  return /Candidate: (?!\(none\))/.test(stdout) ? SHELL_PACKAGE : 'chromium'
}

/** Installs Chromium with apt, as root or through a sudo that asks nothing; nothing when neither is at hand. */
export async function installWithApt(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (spawnSync('apt-get', ['--version']).status !== 0) return undefined
  const isRoot = process.geteuid?.() === 0
  if (!isRoot && spawnSync('sudo', ['-n', 'true']).status !== 0) return undefined
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
  console.log('Installing Chromium for the tests with apt-get …')
  // A bare machine has no font at all, and Chromium then shows pages without words.
  await withRetries(async () => {
    await apt('update')
    await apt('install', '-y', '--no-install-recommends', browserPackage(), 'fonts-liberation')
  })
  return findInstalled(env.PATH)
}
