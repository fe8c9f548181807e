import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { throwAwayCertificate } from '../chaos/certificate.ts'
import { haproxy, haproxyVersion } from '../chaos/haproxy.ts'
import { freePort } from '../run/free-port.ts'
import type { HotShop, HotStand } from './stand.ts'

/** Processes with roles apart behind HAProxy, as deploy/ shows it: two answer requests, one works in the background. */
export interface ProxiedShop extends HotShop {
  about: string
  close(): Promise<void>
}

/** Starts them; buyers come in through TLS. */
export async function proxied(stand: HotStand): Promise<ProxiedShop> {
  const version = haproxyVersion()
  const folder = path.join(stand.folder, 'tls')
  mkdirSync(folder, { recursive: true })
  const certificate = throwAwayCertificate(folder)
  const [port, plainPort] = [await freePort(), await freePort()]
  const shared = { PUBLIC_URL: `https://localhost:${port}`, TRUST_PROXY: 'true' }
  const first = await stand.shop({ ...shared, ROLES: 'web' })
  const second = await stand.shop({ ...shared, ROLES: 'web' })
  const worker = await stand.shop({ ...shared, ROLES: 'worker' })
  const all = [first, second, worker]
  const proxy = haproxy({
    port,
    plainPort,
    webPorts: [first.door.port, second.door.port],
    certificate,
    logFile: path.join(stand.folder, 'haproxy.log'),
  })
  await proxy.start()
  const sum = (read: (one: HotShop) => number): number => all.reduce((total, one) => total + read(one), 0)
  return {
    about: `2 web processes and a worker behind HAProxy ${version}`,
    door: { port, trust: readFileSync(certificate.file, 'utf8') },
    processorSeconds: () => sum((one) => one.processorSeconds()),
    memoryMb: () => sum((one) => one.memoryMb()),
    close: () => proxy.stop(),
  }
}
