import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { ConfigFaults, type Config, readConfig } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'
import { rootFault } from '#server/start-faults.ts'
import { reachable } from './free-port.ts'
import { PlainError } from './say.ts'

const WEBHOOK_PATH = '/api/paypal/webhook/'

export interface RunSettings {
  config: Config
  emulatorPort: number | undefined
}

/**
 * The shop's settings, and the port of the PayPal emulator, which is not started when PAYPAL_BASE_URL is set.
 * @throws PlainError with every fault
 */
export function readRunSettings(env: NodeJS.ProcessEnv, projectDir: string): RunSettings {
  const faults: string[] = []
  const emulatorPort = env.PAYPAL_BASE_URL ? undefined : readPort(env.PAYPAL_PORT, faults)
  let config: Config | undefined
  try {
    const read = readConfig(env)
    const demoToken = read.demoToken ?? randomBytes(16).toString('base64url')
    config = { ...read, demoToken, dataDir: path.resolve(projectDir, read.dataDir) }
  } catch (error) {
    if (!(error instanceof ConfigFaults)) throw error
    faults.unshift(...error.faults)
  }
  const root = config && rootFault(config)
  if (root) faults.push(root)
  if (config && config.port === emulatorPort) {
    const other = emulatorPort === 65_535 ? 3001 : emulatorPort + 1
    faults.push(
      `PAYPAL_PORT: expected another port than PORT, which is ${config.port} as well; for example PAYPAL_PORT=${other}`,
    )
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

/** Environment of the PayPal emulator, fitting the shop's settings, and of the shop that uses it. */
export function emulatorSettings(config: Config, port: number) {
  // Browsers fetch its script and open its approval page under the name they know the shop by.
  const publicUrl = `http://${new URL(config.publicUrl).hostname}:${port}`
  const localUrl = `http://${reachable(config.host)}:${port}`
  return {
    publicUrl,
    checkUrl: `${localUrl}/`,
    env: {
      PORT: String(port),
      HOST: config.host,
      PUBLIC_URL: publicUrl,
      API_URL: localUrl,
      CLIENT_ID: config.paypalClientId,
      CLIENT_SECRET: config.paypalClientSecret,
      WEBHOOK_ID: config.paypalWebhookId,
      WEBHOOK_URL: `http://${reachable(config.host)}:${config.port}${WEBHOOK_PATH}`,
      ...(config.demoToken && { CONTROL_TOKEN: config.demoToken }),
      STATE_FILE: path.join(config.dataDir, 'paypal-emulator.json'),
    },
    shopEnv: { PAYPAL_BASE_URL: localUrl, PAYPAL_SDK_URL: publicUrl },
  }
}
