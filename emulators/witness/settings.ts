import {
  type ServerOptions,
  type SettingReaders,
  optionsAs,
  readSettingsOf,
  refuse,
  serverReaders,
  text,
} from '../settings.ts'
import type { KnownLog } from './witness.ts'

export type EmulatorOptions = ServerOptions & {
  seed?: string // from which the keys follow
  names?: readonly string[] // one witness each
  logs?: readonly KnownLog[]
  stateFile?: string // what was seen, across starts
  now?: () => Date
}

export const defaults = {
  port: 3003,
  host: '127.0.0.1',
  seed: 'volant',
  names: ['witness.test/north', 'witness.test/south', 'witness.test/west'],
  logs: [] as readonly KnownLog[],
} as const

const as = optionsAs<EmulatorOptions>()

/** `ORIGIN NAME+KEYID+KEY`, by commas: the log and the key of its checkpoints. */
const logsOf = (value: string): KnownLog[] =>
  value.split(',').map((one) => {
    const [, origin = '', keyName = '', base64 = ''] =
      /^\s*(\S+) ([^+\s]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/=]+)\s*$/.exec(one) ?? []
    const key = Buffer.from(base64, 'base64')
    return key.length === 33 && key[0] === 0x01
      ? { origin, keyName, publicKey: key.subarray(1) }
      : refuse('expected the origin of a log and its key, ORIGIN NAME+KEYID+KEY')
  })

const namesOf = (value: string): string[] => {
  const names = value.split(',').map((name) => name.trim())
  return names.every((name) => /^[^+\s]+$/.test(name)) && new Set(names).size === names.length
    ? names
    : refuse('expected names without a space or +, each once')
}

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const readers: SettingReaders<EmulatorOptions> = {
  ...serverReaders,
  SEED: as('seed', text),
  NAMES: as('names', namesOf),
  LOGS: as('logs', logsOf),
  STATE_FILE: as('stateFile', text),
}

export const readSettings = (env: Record<string, string | undefined>, flags: readonly string[]) =>
  readSettingsOf(readers, env, flags)
