import { type SettingReaders, optionsAs, readSettingsOf, text, whole } from '../settings.ts'

export type EmulatorOptions = {
  port?: number // 0 takes any free port
  host?: string
  controlToken?: string // opens the calls of the emulator from another machine
  folder?: string // keeps keys and certificates across starts
}

export const defaults = { port: 3004, host: '127.0.0.1' } as const

const as = optionsAs<EmulatorOptions>()

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const readers: SettingReaders<EmulatorOptions> = {
  PORT: as('port', whole(0, 65_535)),
  HOST: as('host', text),
  CONTROL_TOKEN: as('controlToken', text),
  FOLDER: as('folder', text),
}

export const readSettings = (env: Record<string, string | undefined>, flags: readonly string[]) =>
  readSettingsOf(readers, env, flags)
