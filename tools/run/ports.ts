import net from 'node:net'
import { PlainError } from './say.ts'

export interface PortUse {
  /** Setting that changes it, such as PORT. */
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

/** Why nobody can listen there now; undefined if one can. */
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
