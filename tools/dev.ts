/** `npm run dev`: like npm start, with pages built as they are asked for and a restart on every server change. */
import { watch } from 'node:fs'
import path from 'node:path'
import { type BannerOptions, printBanner } from './run/banner.ts'
import { prepareStack } from './run/stack.ts'
import { say as log } from './run/say.ts'
import type { Stack } from './run/stack.ts'
import { explain, supervise } from './run/supervise.ts'

const projectDir = path.resolve(import.meta.dirname, '..')
const SETTLE_MS = 150
let restarting = false

/** Files the server itself loads; pages and their parts reload through Vite. */
const isServerFile = (file: string): boolean =>
  /\.tsx?$/.test(file) &&
  !/\.test\.tsx?$/.test(file) &&
  (/^(platform|server|shared|draw-protocol)\//.test(file) ||
    /^features\/.+\/(server\/|[^/]+\.(contract|rules)\.ts$)/.test(file))

/** Calls `onChange` once for each burst of changed server files or migrations. */
function watchServer(onChange: () => void): void {
  let settle: NodeJS.Timeout | undefined
  const trigger = () => {
    clearTimeout(settle)
    settle = setTimeout(onChange, SETTLE_MS)
  }
  watch(path.join(projectDir, 'src'), { recursive: true }, (_event, file) => {
    if (file && isServerFile(file.replaceAll(path.sep, '/'))) trigger()
  })
  watch(path.join(projectDir, 'db/migrations'), trigger)
}

/** Restarts the shop on every change; one that does not start waits for the next change. */
async function run(stack: Stack, urls: BannerOptions['urls']): Promise<number> {
  await Promise.all([stack.startDatabase(), stack.startEmulators()])
  await stack.startWitnesses()
  log('Starting the shop …')
  if (await startOrWait(stack)) {
    const { config, logFolder } = stack.options
    printBanner({ config, urls, databaseFolder: stack.database?.dataDir, logFolder })
  }
  let queue = Promise.resolve()
  watchServer(() => {
    queue = queue.then(async () => {
      log('A server file has changed, restarting the shop …')
      restarting = true
      await stack.shop?.stop(5_000)
      restarting = false
      if (await startOrWait(stack)) log('The shop is ready.')
    })
  })
  return new Promise(() => {})
}

/** Whether the shop runs now; one that breaks later is reported, too. */
async function startOrWait(stack: Stack): Promise<boolean> {
  try {
    const shop = await stack.startShop()
    void shop.ended.then(() => {
      if (shop === stack.shop && !stack.stopping.aborted && !restarting)
        log('The shop has ended. Waiting for the next change.')
    })
    return true
  } catch (error) {
    if (stack.stopping.aborted) return false
    explain(error)
    log('Waiting for the next change.')
    return false
  }
}

try {
  const { stack, urls } = await prepareStack(projectDir, { VOLANT_DEV: '1', NODE_ENV: 'development' })
  process.exit(await supervise(stack, () => run(stack, urls)))
} catch (error) {
  process.exitCode = explain(error)
}
