/** `npm start`: builds what is needed and runs the database, the emulators and the shop. */
import path from 'node:path'
import { type BannerOptions, printBanner } from './run/banner.ts'
import { buildIfNeeded } from './run/build.ts'
import { PlainError, say } from './run/say.ts'
import { prepareStack, type Stack } from './run/stack.ts'
import { explain, supervise } from './run/supervise.ts'

const projectDir = path.resolve(import.meta.dirname, '..')

/** Resolves at the end of the first child that dies: without one of them the shop is of no use. */
async function run(stack: Stack, urls: BannerOptions['urls']): Promise<number> {
  await buildIfNeeded(projectDir, stack.stopping)
  await Promise.all([stack.startDatabase(), stack.startEmulators()])
  await stack.startWitnesses()
  say('Starting the shop …')
  const shop = await stack.startShop()
  const { config, logFolder } = stack.options
  printBanner({ config, urls, databaseFolder: stack.database?.dataDir, logFolder })
  const { emulator, drand, witness, stamp } = stack
  const children = [shop, emulator, drand, witness, stamp].filter((child) => child !== undefined)
  return Promise.race(
    children.map(async (child) => {
      const code = await child.ended
      throw new PlainError(
        `The ${child.name} has ended by itself with code ${code}; ` +
          (logFolder ? `its log is in ${logFolder}.` : 'its last messages stand above.'),
        code,
      )
    }),
  )
}

try {
  const { stack, urls } = await prepareStack(projectDir, { NODE_ENV: 'production' })
  process.exit(await supervise(stack, () => run(stack, urls)))
} catch (error) {
  process.exitCode = explain(error)
}
