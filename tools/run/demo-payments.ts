import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { say } from './say.ts'

const LONGEST_CALL_MS = 20_000

/**
 * Sends the emulator the payments of the orders that the shop has loaded (db/demo/load-demo.ts), so that
 * it responds for them, and removes their file. The emulator adds only what it does not know.
 */
export async function sendPayments(dataDir: string, emulatorUrl: string, token?: string): Promise<void> {
  const file = path.join(dataDir, 'demo-payments.json')
  if (!existsSync(file)) return
  const url = `${emulatorUrl}/_emulator/history`
  const response = await fetch(url, {
    method: 'POST',
    signal: AbortSignal.timeout(LONGEST_CALL_MS),
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { cookie: `demo_token=${token}` }),
    },
    body: readFileSync(file),
  })
  if (!response.ok) throw new Error(`POST ${url} responded with ${response.status}`)
  rmSync(file)
}

/**
 * The same, until it succeeds or `stopping` aborts: without its payments the shop cannot refund an order. A failure is
 * reported. Returns after the first try.
 */
export async function keepSendingPayments(
  dataDir: string,
  emulatorUrl: string,
  {
    stopping,
    token,
    againMs = 60_000,
  }: { stopping: AbortSignal; token?: string | undefined; againMs?: number },
): Promise<void> {
  if (stopping.aborted) return
  try {
    await sendPayments(dataDir, emulatorUrl, token)
  } catch (error) {
    if (stopping.aborted) return
    say(
      `The PayPal emulator could not take the payments of the demonstration: ${(error as Error).message}. ` +
        'Until it has them, the shop cannot refund these orders. The next try is in a minute.',
    )
    setTimeout(
      () => void keepSendingPayments(dataDir, emulatorUrl, { stopping, token, againMs }),
      againMs,
    ).unref()
  }
}
