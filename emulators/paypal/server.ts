import { once } from 'node:events'
import { createServer } from 'node:net'
import { openCore } from './core.ts'
import { createHttp, guardControls } from './http.ts'
import type { Instrument, Payer } from './model.ts'
import { apiRoutes } from './routes-api.ts'
import { emulatorRoutes } from './routes-emulator.ts'
import { pageRoutes } from './routes-pages.ts'
import { sdkRoutes } from './routes-sdk.ts'
import { webhookRoutes } from './routes-webhooks.ts'
import { type EmulatorOptions, withDefaults } from './settings.ts'
import type { Urls } from './views.ts'

export type PaypalEmulator = Awaited<ReturnType<typeof startPaypalEmulator>>

/**
 * Starts the emulator and resolves when it listens. `port: 0` takes a free port; `book` and `faults` let a
 * test look inside; `close()` ends it and keeps the journal whole.
 */
export async function startPaypalEmulator(options: EmulatorOptions = {}) {
  const settings = withDefaults(options)
  const urls: Urls = { api: settings.apiUrl ?? '', public: settings.publicUrl ?? '' }
  await requireFreePort(settings.port, settings.host)
  const core = await openCore(settings, urls)
  const app = createHttp()
  guardControls(app, settings.controlToken)
  await apiRoutes(app, core)
  await webhookRoutes(app, core)
  await emulatorRoutes(app, core)
  await sdkRoutes(app, core)
  await pageRoutes(app, core)
  let url: string
  try {
    url = originOf(await app.listen({ port: settings.port, host: settings.host }))
  } catch (error) {
    await core.book.close()
    throw error
  }
  urls.api ||= url
  urls.public ||= url
  core.webhooks.resume()
  core.captures.resume()

  return {
    url,
    publicUrl: urls.public,
    settings,
    book: core.book,
    certificatePem: core.key.certificatePem,
    faults: core.injector,
    /** Orders responses, and tells which calls were made. */
    responses: core.responses,
    /** Resolves when every event made so far was posted once; pauses before retries do not count. */
    webhooksIdle: () => core.webhooks.idle(),
    /** Approves as the page would. */
    async approve(
      orderId: string,
      buyer = 'buyer@buyer.test',
      instrument: Instrument = 'default',
      { country, funding }: Pick<Payer, 'country'> & { funding?: string } = {},
    ) {
      const payer = { email: buyer, instrument, ...(country === undefined ? {} : { country }) }
      core.orders.approve(orderId, payer, funding)
      await core.book.written()
    },
    async close(): Promise<void> {
      core.webhooks.close()
      core.captures.close()
      await app.close()
      await core.book.close()
    },
  }
}

/** An address to listen on everywhere is none to call; the loopback one is. */
const originOf = (address: string): string =>
  address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')

/** A second emulator on the same port must fail before it touches the journal of the first. */
async function requireFreePort(port: number, host: string): Promise<void> {
  if (port === 0) return
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  await new Promise((resolve) => probe.close(resolve))
}
