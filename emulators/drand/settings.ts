import {
  type ServerOptions,
  type SettingReaders,
  optionsAs,
  readSettingsOf,
  serverReaders,
  text,
  whole,
} from '../settings.ts'
import type { ChainOptions } from './chain.ts'

export type EmulatorOptions = ServerOptions &
  Partial<ChainOptions> & {
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
  ...serverReaders,
  SEED: as('seed', text),
  GENESIS: as('genesis', whole(0, 4_294_967_295)),
  PERIOD: as('period', whole(1, 86_400)),
}

export const readSettings = (env: Record<string, string | undefined>, flags: readonly string[]) =>
  readSettingsOf(readers, env, flags)
