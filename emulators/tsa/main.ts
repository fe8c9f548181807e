import { runEmulator } from '../run.ts'
import { hasOpenssl } from './authority.ts'
import { startTsaEmulator } from './server.ts'
import { defaults, readSettings } from './settings.ts'

const read = readSettings(process.env, process.argv.slice(2))
const wrong = hasOpenssl() ? read.wrong : [...read.wrong, 'PATH: the program openssl is missing']
await runEmulator('time stamp emulator', { ...read, wrong }, defaults.port, startTsaEmulator)
