/**
 * Takes a picture of every page and state, at three widths, in both colour schemes and three languages, and lays them
 * out on contact sheets: `npm run screenshots`. With `--only` it renews some of them, with `--sheets` the sheets alone.
 * Everything goes into `.screenshots/`, which git ignores.
 */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, ensureChromium } from './chromium.ts'
import { PlainError, say as log } from './run/say.ts'
import { camera } from './screenshots/camera.ts'
import { type Options, USAGE, readOptions } from './screenshots/options.ts'
import { makeSheets } from './screenshots/sheets.ts'
import { startScreenshotShop } from './screenshots/shop.ts'
import type { State } from './screenshots/state.ts'
import { STATES } from './screenshots/states.ts'

const projectDir = path.resolve(import.meta.dirname, '..')
const folder = path.join(projectDir, '.screenshots')
/** States after which the browser starts anew, so that it never grows. */
const BROWSER_LIVES = 60

function chosenStates({ only }: Options): readonly State[] {
  const chosen = STATES.filter(
    ({ name }) => only.length === 0 || only.some((start) => name.startsWith(start)),
  )
  if (chosen.length === 0) throw new PlainError(`--only ${only.join(', ')}: no state begins so.\n${USAGE}`)
  return chosen
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''

async function run(options: Options): Promise<number> {
  const states = chosenStates(options)
  const executablePath = await ensureChromium(process.env)
  const shop = await startScreenshotShop()
  const failures: string[] = []
  let browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
  try {
    for (const [index, state] of states.entries()) {
      if (index % BROWSER_LIVES === BROWSER_LIVES - 1) {
        await browser.close()
        browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
      }
      const take = camera({ browser, shop, folder })
      // A state waits more than it works: the languages wait together.
      const taken = options.languages.map(async (language) => {
        try {
          await take(state, language, options)
        } catch (error) {
          failures.push(`${language} ${state.name}: ${firstLine(error)}`)
          log(`✗ ${failures.at(-1)}`)
        }
      })
      await Promise.all(taken)
      log(`  ${state.name}`)
    }
  } finally {
    await browser.close()
    await shop.close()
  }
  log(`${failures.length === 0 ? 'All screenshots taken.' : `${failures.length} failed:`}`)
  for (const failure of failures) log(`✗ ${failure}`)
  return failures.length === 0 ? 0 : 1
}

async function layOut(options: Options): Promise<void> {
  const names = STATES.map(({ name }) => name)
  for (const file of await makeSheets(names, options, folder)) log(path.relative(projectDir, file))
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.only.length === 0 && !options.sheets) rmSync(folder, { recursive: true, force: true })
  if (!options.sheets) process.exitCode = await run(options)
  if (options.sheets || options.only.length === 0) await layOut(options)
} catch (error) {
  if (!(error instanceof PlainError)) throw error
  log(error.message)
  process.exitCode = error.exitCode
}
