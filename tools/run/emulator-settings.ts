import path from 'node:path'
import type { Config } from '#server/config.ts'
import { reachable } from './ports.ts'

const WEBHOOK_PATH = '/api/paypal/webhook/'

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
      STATE_FILE: path.join(config.dataDir, 'paypal-emulator.json'),
    },
    shopEnv: { PAYPAL_BASE_URL: localUrl, PAYPAL_SDK_URL: publicUrl },
  }
}
