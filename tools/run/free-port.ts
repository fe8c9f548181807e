import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tryListen } from './ports.ts'

const LOWEST = 11_000
/** Where the system's own choice of ports begins when it does not say. */
const USUAL_LIMIT = 32_768
const TRIES = 100

const given = new Set<number>()

/**
 * A port of this machine's loopback address that nobody listens on and that stays free until its server starts: none of
 * those the system hands out to connections, among which a port that was free a moment ago may be taken again.
 */
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
