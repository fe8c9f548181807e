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

/** Reads the text of a setting, or throws what was expected instead. */
type ReadSetting = (text: string) => EmulatorOptions

const refuse = (expected: string): never => {
  throw new RangeError(expected)
}
const text =
  (key: 'host' | 'seed' | 'controlToken'): ReadSetting =>
  (value) => ({ [key]: value.trim() === '' ? refuse('must not be empty') : value })
const whole =
  (key: 'port' | 'genesis' | 'period', least: number, top: number): ReadSetting =>
  (value) => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : -1
    const isInRange = number >= least && number <= top
    return { [key]: isInRange ? number : refuse(`expected a whole number from ${least} to ${top}`) }
  }

/** Every setting by its environment name; the same name in lower case with hyphens is a flag. */
const settingReaders: Record<string, ReadSetting> = {
  PORT: whole('port', 0, 65535),
  HOST: text('host'),
  CONTROL_TOKEN: text('controlToken'),
  SEED: text('seed'),
  GENESIS: whole('genesis', 0, 4_294_967_295),
  PERIOD: whole('period', 1, 86_400),
}
const names = Object.keys(settingReaders)
const flagOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`

/**
 * Settings from the environment and from flags (`--port 3002` or `--port=3002`; a flag wins). All faults
 * are listed, each with the name of its setting.
 */
export function readSettings(
  env: Record<string, string | undefined>,
  flags: readonly string[],
): { options: EmulatorOptions; wrong: string[] } {
  const options: EmulatorOptions = {}
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
      Object.assign(options, settingReaders[name]?.(value))
    } catch (error) {
      wrong.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { options, wrong }
}
