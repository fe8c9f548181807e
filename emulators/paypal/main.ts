import { startPaypalEmulator } from './server.ts'
import { defaults, readSettings } from './settings.ts'

const { options, wrong } = readSettings(process.env, process.argv.slice(2))
if (wrong.length > 0) {
  console.error(
    `PayPal emulator: ${wrong.length} setting(s) cannot be used\n${wrong.map((line) => `  ${line}`).join('\n')}`,
  )
  process.exit(1)
}

// The shop knows its provider as localhost by default, and accepts certificates from that very origin only.
const port = options.port ?? defaults.port
const named =
  port !== 0 && (options.host ?? defaults.host) === defaults.host ? `http://localhost:${port}` : undefined

try {
  const emulator = await startPaypalEmulator({
    ...(named ? { apiUrl: named, publicUrl: named } : {}),
    ...options,
  })
  console.log(`listening on ${emulator.url}`)
  const end = () => void emulator.close().then(() => process.exit(0))
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    console.error(`PayPal emulator: port ${port} is taken. Set PORT (or --port) to a free one.`)
  } else if (code === 'EACCES') {
    console.error(
      `PayPal emulator: not allowed to use port ${port} or the file of STATE_FILE. ${String(error)}`,
    )
  } else console.error('PayPal emulator:', message)
  process.exit(1)
}
