/** Finds a Chromium for the tests, or gets one: `node tools/chromium.ts` prints its path. */
import path from 'node:path'
import { findInstalled, findShell, runs } from './chromium/find.ts'
import { installShellWithApt, installWithApt } from './chromium/install.ts'
import { unpackedBrowser, unpackPrivately } from './chromium/unpack.ts'

const cacheFolder = path.resolve(import.meta.dirname, '../.cache/chromium')

/**
 * Path of a Chromium that runs: CHROME_PATH, one on PATH, one unpacked earlier; else it is installed with
 * apt by root or sudo, else unpacked into the project's cache as this account.
 * @throws Error with what to do when none of it works
 */
export async function ensureChromium(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.CHROME_PATH) {
    if (runs(env.CHROME_PATH)) return env.CHROME_PATH
    throw new Error(`CHROME_PATH names ${env.CHROME_PATH}, which does not run. Correct it or leave it out.`)
  }
  const found = findInstalled(env.PATH) ?? unpackedBrowser(cacheFolder)
  if (found) return found
  const faults: string[] = []
  for (const get of [() => installWithApt(env), () => unpackPrivately(cacheFolder)]) {
    try {
      const got = await get()
      if (got) return got
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(
    'The tests need a Chromium, and none could be installed here. Install Chromium or Google Chrome and set ' +
      ['CHROME_PATH to its program.', ...faults.map((fault) => `  - ${fault}`)].join('\n'),
  )
}

/** Gets the headless shell where apt has it and can install it, for the speed of the tests; they run without it, too. */
export async function tryToGetShell(env: NodeJS.ProcessEnv): Promise<void> {
  if (findShell(env.PATH)) return
  try {
    await installShellWithApt(env)
  } catch {
    console.log(
      'There is no headless shell of Chromium for this system: the tests in the browser take longer.',
    )
  }
}

if (import.meta.main) {
  try {
    console.log(await ensureChromium(process.env))
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
