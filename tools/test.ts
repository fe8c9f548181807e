/** `npm test` and `npm run test:extended`: gets a Chromium and runs the checks; the first is all that CI runs. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { ensureChromium, tryToGetShell } from './chromium.ts'

const projectDir = path.resolve(import.meta.dirname, '..')

function runChecks(browser: string): Promise<number> {
  const args = [path.join(projectDir, 'tools/verify.ts'), ...process.argv.slice(2)]
  const env = { ...process.env, CHROME_PATH: browser }
  const child = spawn(process.execPath, args, { cwd: projectDir, env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

try {
  const browser = await ensureChromium(process.env)
  await tryToGetShell(process.env)
  process.exitCode = await runChecks(browser)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
