import { type SettingReaders, optionsAs, readSettingsOf, text, whole } from '../settings.ts'
import type { ChainOptions } from './chain.ts'

export type EmulatorOptions = Partial<ChainOptions> & {
  port?: number // 0 takes any free port
  host?: string
  controlToken?: string // opens the calls of the emulator from another machine
  now?: () => Date
}

export const defaults = {
  port: 3002,
  host: '127.0.0.1',
  seed: 'volant',
  genesis: 1_767_225_600, // 2026-01-01T00:00:00Z
  period: 3,
} as const

const as = optionsAs<EmulatorOptions>()

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const readers: SettingReaders<EmulatorOptions> = {
  PORT: as('port', whole(0, 65_535)),
  HOST: as('host', text),
  CONTROL_TOKEN: as('controlToken', text),
  SEED: as('seed', text),
  GENESIS: as('genesis', whole(0, 4_294_967_295)),
  PERIOD: as('period', whole(1, 86_400)),
}

export const readSettings = (env: Record<string, string | undefined>, flags: readonly string[]) =>
  readSettingsOf(readers, env, flags)
