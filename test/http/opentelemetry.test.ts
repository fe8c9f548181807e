import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { json } from 'node:stream/consumers'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'
import { startShopProcess } from '../support/shop-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

/** Traces by OpenTelemetry, which an operator adds (ADR 0108): the package and the settings of docs/operations.md. */
const root = path.resolve(import.meta.dirname, '../..')
const page = readFileSync(path.join(root, 'docs/operations.md'), 'utf8')
const install = /^npm install --prefix tracing (\S+)$/m.exec(page)?.[1] ?? ''
const settings = Object.fromEntries(
  [...page.matchAll(/^((?:OTEL|NODE_OPTIONS)\w*)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
)

interface Span {
  scope: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
}
interface Sent {
  resourceSpans?: { scopeSpans: { scope: { name: string }; spans: Omit<Span, 'scope'>[] }[] }[]
}
const SERVER = 2
const CLIENT = 3

/** A collector: what was sent to it, and where. */
const spans: Span[] = []
const asked: string[] = []
const collector = http.createServer((request, response) => {
  asked.push(request.url ?? '')
  void json(request).then((body) => {
    for (const { scopeSpans } of (body as Sent).resourceSpans ?? [])
      for (const one of scopeSpans)
        spans.push(...one.spans.map((span) => ({ ...span, scope: one.scope.name })))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
afterAll(() => void collector.close())
const endpoint = `http://127.0.0.1:${(collector.address() as { port: number }).port}`

const shop = await openShop()
/** Of all processes, since the key of the log is in it. */
const dataDir = temporaryFolder('volant-traces-', 'file')
const ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

/** A look at the contests and a purchase, of which a caller has begun the trace, by a process with further settings. */
async function buy(env: Record<string, string>) {
  const running = await startShopProcess({
    env: {
      DATABASE_URL: shop.url,
      DATA_DIR: dataDir,
      SECRET_KEY: shop.secret,
      PAYPAL_BASE_URL: shop.paypal.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      // The collector of this test reads JSON.
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...env,
    },
  })
  try {
    await running.whenReady()
    const { customer, orderId } = await shop.approvedOrder(1)
    const token = (await shop.sessionOf(customer))['access'] ?? ''
    const traceparent = `00-${ID}-${PARENT}-01`
    expect((await fetch(running.url('/api/offers/'), { headers: { traceparent } })).status).toBe(200)
    const response = await fetch(running.url('/api/paypal/capture-payment/'), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ order_id: orderId }),
    })
    expect(await response.json()).toMatchObject({ status: 'COMPLETED' })
    expect(await running.end('SIGTERM')).toBe(0)
  } finally {
    await running.end('SIGKILL')
  }
}

describe('without the package', () => {
  test('a release has nothing of OpenTelemetry but its interface, which prom-client may call', () => {
    const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>
    }
    const all = Object.entries(lock.packages).filter(([name]) => name.includes('opentelemetry'))
    const released = all.filter(([, { dev }]) => dev !== true).map(([name]) => name)
    expect(released).toEqual(['node_modules/@opentelemetry/api'])
  })

  test('a process sends nothing to a collector, whatever its other settings', async () => {
    const { NODE_OPTIONS: _, OTEL_EXPORTER_OTLP_ENDPOINT: _otherwise, ...others } = settings
    await buy(others)
    expect(asked).toEqual([])
  })
})

describe.runIf(isExtended)('with the package, which the registry gives', () => {
  const folder = temporaryFolder('volant-tracing-', 'file')
  beforeAll(() => {
    execFileSync('npm', ['install', '--prefix', folder, install], { stdio: 'ignore' })
  })

  test('requests, statements and calls to the provider are parts of their caller’s trace', async () => {
    const { NODE_OPTIONS = '', OTEL_EXPORTER_OTLP_ENDPOINT: _otherwise, ...others } = settings
    await buy({ ...others, NODE_OPTIONS: NODE_OPTIONS.replace('/srv/shop/tracing', folder) })
    const ofTrace = spans.filter(({ traceId }) => traceId === ID)
    const entries = ofTrace.filter(({ parentSpanId }) => parentSpanId === PARENT)
    const entry = { scope: '@opentelemetry/instrumentation-http', kind: SERVER }
    expect(entries).toMatchObject([entry, entry])
    const below = ofTrace.filter(({ kind }) => kind === CLIENT).map(({ scope }) => scope)
    expect(below).toEqual(
      expect.arrayContaining(['@opentelemetry/instrumentation-http', '@opentelemetry/instrumentation-pg']),
    )
    const known = new Set([PARENT, ...ofTrace.map(({ spanId }) => spanId)])
    expect(ofTrace.filter(({ parentSpanId = '' }) => !known.has(parentSpanId))).toEqual([])
  })
})
