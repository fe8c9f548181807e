import { startWitnessEmulator } from './server.ts'
import { defaults, readSettings } from './settings.ts'

const { options, wrong } = readSettings(process.env, process.argv.slice(2))
if (wrong.length > 0) {
  console.error(
    `witness emulator: ${wrong.length} setting(s) cannot be used\n${wrong.map((line) => `  ${line}`).join('\n')}`,
  )
  process.exit(1)
}

try {
  const emulator = await startWitnessEmulator(options)
  console.log(`listening on ${emulator.url}`)
  const end = () => void emulator.close().then(() => process.exit(0))
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  const port = options.port ?? defaults.port
  if (code === 'EADDRINUSE') {
    console.error(`witness emulator: port ${port} is taken. Set PORT (or --port) to a free one.`)
  } else console.error('witness emulator:', message)
  process.exit(1)
}
