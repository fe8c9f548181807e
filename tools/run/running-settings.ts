import type { Config } from '#server/config.ts'
import { runningPorts } from './instance.ts'
import { rememberedPorts } from './ports.ts'
import { emulatorSettings, readRunSettings, withPorts } from './settings.ts'

/**
 * The settings of the shop that runs from the data folder, with its emulator: both may have taken other ports than the
 * usual ones. @throws PlainError with every fault
 */
export function runningSettings(env: NodeJS.ProcessEnv, projectDir: string): Config {
  const { dataDir } = readRunSettings(env, projectDir).config
  const ports = { ...rememberedPorts(dataDir), ...runningPorts(dataDir) }
  const { config, emulatorPort } = readRunSettings({ ...withPorts({}, ports), ...env }, projectDir)
  if (emulatorPort === undefined) return config
  return { ...config, paypalBaseUrl: emulatorSettings(config, emulatorPort).shopEnv.PAYPAL_BASE_URL }
}
