import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../run/free-port.ts'
import { throwAwayCertificate } from './certificate.ts'
import { haproxy } from './haproxy.ts'
import { type Program, answers, program } from './processes.ts'

/** The shop's processes of a run, and how buyers reach them. */
export interface Shops {
  /** They answer requests, and work in the background where nobody else does. */
  web: Program[]
  /** They only work in the background. */
  workers: Program[]
  /** What stands before them. */
  proxy?: Program
  /** Addresses that buyers and the provider use. */
  urls: string[]
  /** What the provider has to know in order to trust those addresses. */
  trust: Record<string, string>
}

interface ShopsOptions {
  processes: number
  /** Roles apart: so many processes work in the background, two answer requests, and HAProxy stands before those. */
  behindProxy?: { workers: number } | undefined
  folder: string
  logFile: (name: string) => string
  /** Settings that all of them share. */
  env: Record<string, string>
}

/** Longer than HAProxy needs to see that a process was told to stop. */
const DRAIN_SECONDS = '4'

/** Prepares the shop's processes; none runs yet. */
export async function shopsOf({
  processes,
  behindProxy,
  folder,
  logFile,
  env,
}: ShopsOptions): Promise<Shops> {
  async function shop(name: string, index: number, own: Record<string, string>): Promise<[Program, number]> {
    const port = await freePort()
    const one = program({
      name: `${name} ${index}`,
      args: ['src/server/main.ts'],
      env: { PUBLIC_URL: `http://127.0.0.1:${port}`, ...env, ...own, PORT: String(port) },
      logFile: logFile(`${name}-${index}`),
      isReady: () => answers(`http://127.0.0.1:${port}/api/health/ready`),
    })
    return [one, port]
  }

  if (!behindProxy) {
    const all = await several(processes, (index) => shop('shop', index, {}))
    const urls = all.map(([, port]) => `http://127.0.0.1:${port}`)
    return { web: all.map(([one]) => one), workers: [], urls, trust: {} }
  }
  const lineFolder = path.join(folder, 'tls')
  mkdirSync(lineFolder)
  const certificate = throwAwayCertificate(lineFolder)
  const [port, plainPort] = [await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const shared = { PUBLIC_URL: url, TRUST_PROXY: 'true' }
  const web = await several(2, (index) => shop('web', index, { ...shared, ROLES: 'web', DRAIN_SECONDS }))
  const workers = await several(behindProxy.workers, (index) =>
    shop('worker', index, { ...shared, ROLES: 'worker' }),
  )
  const webPorts = web.map(([, one]) => one) as [number, number]
  return {
    web: web.map(([one]) => one),
    workers: workers.map(([one]) => one),
    proxy: haproxy({ port, plainPort, webPorts, certificate, logFile: logFile('haproxy') }),
    urls: [url],
    trust: { NODE_EXTRA_CA_CERTS: certificate.file },
  }
}

/** One after the other, so that no two find the same port free. */
async function several<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  for (let index = 1; index <= count; index += 1) made.push(await make(index))
  return made
}
