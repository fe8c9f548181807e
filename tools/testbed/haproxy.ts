import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tls from 'node:tls'
import { freePort } from '../run/free-port.ts'
import { respondsOk } from '../run/children.ts'
import { type Program, program, projectDir } from './program.ts'
import type { Server, Testbed } from './testbed.ts'

const deployFolder = path.join(projectDir, 'deploy/haproxy')

interface Certificate {
  /** The certificate alone, as PEM: whoever trusts it trusts this run. */
  file: string
  /** Certificate and key in one file, as HAProxy reads them. */
  withKey: string
}

/** Makes a self-signed certificate for this machine, and has this process trust it. Needs `openssl`. */
export function selfSignedCertificate(folder: string): Certificate {
  mkdirSync(folder, { recursive: true })
  const [key, file, withKey] = ['tls.key', 'tls.pem', 'tls-and-key.pem'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const about = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...request, ...about, '-days', '2', '-keyout', key, '-out', file], {
    stdio: 'ignore',
  })
  const text = readFileSync(file, 'utf8')
  writeFileSync(withKey, text + readFileSync(key, 'utf8'), { mode: 0o600 })
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), text])
  return { file, withKey }
}

/** @returns the version of HAProxy @throws Error with how to install it where it is missing */
export function haproxyVersion(): string {
  try {
    return /version (\S+)/.exec(execFileSync('haproxy', ['-v'], { encoding: 'utf8' }))?.[1] ?? ''
  } catch {
    throw new Error('HAProxy is not installed. On Debian: apt-get install -y haproxy')
  }
}

/** Processes with separate roles behind HAProxy, as deploy/haproxy shows it; none runs yet. */
export interface ProxiedShop {
  url: string
  port: number
  certificate: Certificate
  /** Two that respond to requests. */
  web: Server[]
  /** They only work in the background. */
  workers: Server[]
  proxy: Program
}

/** Two web processes and some workers behind HAProxy with the very file that deploy/ shows. */
export async function shopBehindProxy(
  testbed: Testbed,
  workers: number,
  env: Record<string, string> = {},
): Promise<ProxiedShop> {
  const certificate = selfSignedCertificate(path.join(testbed.folder, 'tls'))
  const [port, plainPort] = [await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const shared = { ...env, PUBLIC_URL: url, TRUST_PROXY: 'true' }
  const start = (name: string, roles: string): Promise<Server> =>
    testbed.shop(name, { ...shared, ROLES: roles })
  const web = [await start('web-1', 'web'), await start('web-2', 'web')]
  const background: Server[] = []
  while (background.length < workers)
    background.push(await start(`worker-${background.length + 1}`, 'worker'))
  const described = program({
    name: 'HAProxy',
    command: 'haproxy',
    args: ['-db', '-f', path.join(deployFolder, 'haproxy.cfg')],
    env: {
      SHOP_TRIAL: 'yes',
      SHOP_AWAY: deployFolder,
      SHOP_HTTP: `127.0.0.1:${plainPort}`,
      SHOP_HTTPS: `127.0.0.1:${port}`,
      SHOP_CERTIFICATE: certificate.withKey,
      SHOP_WEB_1: `127.0.0.1:${web[0]?.port}`,
      SHOP_WEB_2: `127.0.0.1:${web[1]?.port}`,
    },
    logFile: testbed.logFile('haproxy'),
    isReady: () => respondsOk(`${url}/api/health/ready`),
  })
  return { url, port, certificate, web, workers: background, proxy: testbed.track(described) }
}
