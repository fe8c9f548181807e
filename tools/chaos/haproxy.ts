import { execFileSync } from 'node:child_process'
import path from 'node:path'
import type { Certificate } from './certificate.ts'
import { type Program, answers, program, projectDir } from './processes.ts'

const folder = path.join(projectDir, 'deploy/haproxy')

/** Says how to get the program when the machine lacks it. @returns its version */
export function haproxyVersion(): string {
  try {
    return /version (\S+)/.exec(execFileSync('haproxy', ['-v'], { encoding: 'utf8' }))?.[1] ?? ''
  } catch {
    throw new Error('HAProxy is not installed. On Debian: apt-get install -y haproxy')
  }
}

interface HaproxyOptions {
  /** Where browsers come in. */
  port: number
  /** Where they come in without TLS, to be sent on. */
  plainPort: number
  webPorts: readonly [number, number]
  certificate: Certificate
  logFile: string
}

/** HAProxy with the very file that deploy/ shows, on ports of this run. */
export const haproxy = ({ port, plainPort, webPorts, certificate, logFile }: HaproxyOptions): Program =>
  program({
    name: 'HAProxy',
    command: 'haproxy',
    args: ['-db', '-f', path.join(folder, 'haproxy.cfg')],
    env: {
      SHOP_TRIAL: 'yes',
      SHOP_AWAY: folder,
      SHOP_HTTP: `127.0.0.1:${plainPort}`,
      SHOP_HTTPS: `127.0.0.1:${port}`,
      SHOP_CERTIFICATE: certificate.withKey,
      SHOP_WEB_1: `127.0.0.1:${webPorts[0]}`,
      SHOP_WEB_2: `127.0.0.1:${webPorts[1]}`,
    },
    logFile,
    isReady: () => answers(`https://127.0.0.1:${port}/api/health/ready`),
  })
