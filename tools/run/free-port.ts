import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { PlainError } from './say.ts'

const LOWEST = 11_000
/** Where the system's own choice of ports begins when it does not say. */
const USUAL_LIMIT = 32_768
const TRIES = 100

const given = new Set<number>()

/** A free port of the loopback address, outside the range that the system gives to outgoing connections. */
export async function freePort(): Promise<number> {
  const limit = systemsPorts()
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(LOWEST, limit)
    if (given.has(port)) continue
    given.add(port)
    if (!(await tryListen('127.0.0.1', port))) return port
  }
  throw new Error(`no free port among ${TRIES} between ${LOWEST} and ${limit}`)
}

/** The lowest port that the system gives to connections; where it gives nearly all, where most systems begin. */
function systemsPorts(): number {
  try {
    const lowest = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
    return lowest > 2 * LOWEST ? lowest : USUAL_LIMIT
  } catch {
    return USUAL_LIMIT
  }
}

export interface PortUse {
  setting: string
  host: string
  port: number
}

/** Refuses a port that another program holds, with the name of the setting that chooses another. */
export async function requireFreePort({ setting, host, port }: PortUse): Promise<void> {
  const fault = await tryListen(host, port)
  if (!fault) return
  if (fault === 'EADDRINUSE') {
    throw new PlainError(
      `Port ${port} on ${host} is taken by another program. Stop that program, or choose another port with ` +
        `the setting ${setting}, for example: ${setting}=${port + 10} npm start`,
    )
  }
  if (fault === 'EACCES') {
    throw new PlainError(
      `This account may not use port ${port}. Choose one above 1023 with the setting ${setting}.`,
    )
  }
  throw new PlainError(
    `Cannot listen on ${host}, port ${port} (${fault}). Check the settings HOST and ${setting}.`,
  )
}

/** Why nobody can listen there now: the system's code; undefined if one can. */
export function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** The host under which this machine reaches a server that listens on `host`. */
export const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
