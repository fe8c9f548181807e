import {
  type ServerOptions,
  type SettingReaders,
  optionsAs,
  readSettingsOf,
  serverReaders,
  text,
} from '../settings.ts'

export type EmulatorOptions = ServerOptions & {
  folder?: string // keeps keys and certificates across starts
}

export const defaults = { port: 3004, host: '127.0.0.1' } as const

const as = optionsAs<EmulatorOptions>()

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const readers: SettingReaders<EmulatorOptions> = {
  ...serverReaders,
  FOLDER: as('folder', text),
}

export const readSettings = (env: Record<string, string | undefined>, flags: readonly string[]) =>
  readSettingsOf(readers, env, flags)
