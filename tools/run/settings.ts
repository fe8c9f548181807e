import path from 'node:path'
import { ConfigFaults, type Config, readConfig } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'
import { PlainError } from './say.ts'

export interface RunSettings {
  config: Config
  emulatorPort: number | undefined
}

/**
 * The shop's settings as it will read them, and the port of the PayPal emulator: PAYPAL_PORT, or the one of
 * the default PAYPAL_BASE_URL. Setting PAYPAL_BASE_URL means that no emulator is started.
 * @throws PlainError with every fault
 */
export function readRunSettings(env: NodeJS.ProcessEnv, projectDir: string): RunSettings {
  const faults: string[] = []
  const emulatorPort = env.PAYPAL_BASE_URL ? undefined : readPort(env.PAYPAL_PORT, faults)
  let config: Config | undefined
  try {
    const read = readConfig(env)
    config = { ...read, dataDir: path.resolve(projectDir, read.dataDir) }
  } catch (error) {
    if (!(error instanceof ConfigFaults)) throw error
    faults.unshift(...error.faults)
  }
  if (config && faults.length === 0) return { config, emulatorPort }
  throw new PlainError(
    `The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
  )
}

function readPort(text: string | undefined, faults: string[]): number {
  const fallback = Number(new URL(SETTINGS.paypalBaseUrl.fallback ?? '').port)
  if (!text) return fallback
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    faults.push(`PAYPAL_PORT: expected a number from 1 to 65535, found ${JSON.stringify(text)}`)
  }
  return port
}
