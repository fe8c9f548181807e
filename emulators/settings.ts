/** How the emulators read their settings: from the environment and from flags. */

/** Reads the text of a setting into options, or throws what was expected instead. */
export type SettingReaders<Options> = Record<string, (text: string) => Options>

export const refuse = (expected: string): never => {
  throw new RangeError(expected)
}

export const text = (value: string): string => (value.trim() === '' ? refuse('must not be empty') : value)

export const whole =
  (least: number, top: number) =>
  (value: string): number => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : -1
    return number >= least && number <= top
      ? number
      : refuse(`expected a whole number from ${least} to ${top}`)
  }

/** Puts what was read under the name of an option. */
export const optionsAs =
  <Options>() =>
  (key: keyof Options, read: (value: string) => unknown) =>
  (value: string): Options =>
    ({ [key]: read(value) }) as Options

/** What each emulator has. */
export interface ServerOptions {
  port?: number // 0 takes any free port
  host?: string
  controlToken?: string // opens the calls of the emulator, and its pages, from another machine
}

const as = optionsAs<ServerOptions>()

export const serverReaders: SettingReaders<ServerOptions> = {
  PORT: as('port', whole(0, 65_535)),
  HOST: as('host', text),
  CONTROL_TOKEN: as('controlToken', text),
}

/** The name of a setting in lower case with hyphens. */
const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`

/**
 * Settings from the environment and from flags (`--port 3001` or `--port=3001`; a flag wins). All faults
 * are listed, each with the name of its setting.
 */
export function readSettingsOf<Options extends object>(
  readers: SettingReaders<Options>,
  env: Record<string, string | undefined>,
  flags: readonly string[],
): { options: Options; wrong: string[] } {
  const names = Object.keys(readers)
  const options = {} as Options
  const wrong: string[] = []
  const given = new Map(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  for (let at = 0; at < flags.length; at += 1) {
    const [flag = '', inline] = (flags[at] ?? '').split(/=(.*)/s)
    const name = names.find((candidate) => flagOf(candidate) === flag)
    const value = inline ?? (name && flags[(at += 1)])
    if (!name) wrong.push(`${flag}: unknown; known are ${names.map(flagOf).join(', ')}`)
    else if (value === undefined) wrong.push(`${flag}: a value is missing`)
    else given.set(name, value)
  }
  for (const [name, value] of given) {
    try {
      Object.assign(options, readers[name]?.(value))
    } catch (error) {
      wrong.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { options, wrong }
}
