import { runEmulator } from '../run.ts'
import { startDrandEmulator } from './server.ts'
import { defaults, readSettings } from './settings.ts'

const read = readSettings(process.env, process.argv.slice(2))
await runEmulator('drand emulator', read, defaults.port, startDrandEmulator)
