import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Interval of the readiness checks. */
const LOOK_EVERY_MS = 100

/**
 * A minimal reverse proxy: checks the readiness of each process, forwards requests to the ready ones in turn over
 * persistent connections, and repeats no forwarded request.
 */
export async function startBalancer(ports: readonly number[]) {
  const agent = new http.Agent({ keepAlive: true })
  let ready: readonly number[] = []
  let turn = 0
  let isOpen = true

  const isReady = (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/api/health/ready`).then(
      (response) => response.ok,
      () => false,
    )
  const looking = (async () => {
    while (isOpen) {
      const states = await Promise.all(ports.map(isReady))
      ready = ports.filter((_, index) => states[index])
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  })()

  const server = http.createServer((incoming, outgoing) => {
    const port = ready[turn++ % ready.length]
    if (port === undefined) return void outgoing.writeHead(503).end('nobody is ready')
    const { method, url: path, headers } = incoming
    const passed = http.request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    passed.on('error', (error) => outgoing.writeHead(502).end(error.message))
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ports of the processes that are ready. */
    ready: () => ready,
    async close(): Promise<void> {
      isOpen = false
      await looking
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
}
