import { runEmulator } from '../run.ts'
import { startWitnessEmulator } from './server.ts'
import { defaults, readSettings } from './settings.ts'

const read = readSettings(process.env, process.argv.slice(2))
await runEmulator('witness emulator', read, defaults.port, startWitnessEmulator)
