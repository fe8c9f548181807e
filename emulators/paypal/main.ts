import { runEmulator } from '../run.ts'
import { startPaypalEmulator } from './server.ts'
import { defaults, readSettings } from './settings.ts'

const read = readSettings(process.env, process.argv.slice(2))

// The shop knows its provider as localhost by default, and accepts certificates from that very origin only.
const { port = defaults.port, host = defaults.host } = read.options
const named = port !== 0 && host === defaults.host ? `http://localhost:${port}` : undefined

await runEmulator('PayPal emulator', read, defaults.port, (options) =>
  startPaypalEmulator({ ...(named ? { apiUrl: named, publicUrl: named } : {}), ...options }),
)
