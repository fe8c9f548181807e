import { chmodSync, rmSync } from 'node:fs'
import { type AddressInfo, type ListenOptions, type Socket, connect, createServer } from 'node:net'
import type { Random } from '../../db/story/random.ts'

/** Faults of a connection. Rates are from 0 to 1, times milliseconds. */
export interface ConnectionFaults {
  latencyMs: number
  trickle: number
  /** At a piece, both sides lose the connection. */
  cut: number
  /** At a piece, the receiving side gets the end of the stream, while the other goes on sending. */
  halfClose: number
}

export const NO_FAULTS: ConnectionFaults = { latencyMs: 0, trickle: 0, cut: 0, halfClose: 0 }

export interface FaultProxy {
  /** Port of the proxy; 0 on a Unix socket. */
  port: number
  setFaults(change: Partial<ConnectionFaults>): void
  /** Breaks a share of the connections that are open now. @returns how many */
  cutOpen(share: number): number
  close(): Promise<void>
}

type Address = { port: number } | { path: string }

const TRICKLE_BYTES = 64
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A TCP proxy that injects faults between two programs. @param listen a port (0: a free one) or a socket path */
export async function faultProxy(listen: Address, target: Address, random: Random): Promise<FaultProxy> {
  let current = NO_FAULTS
  const connections = new Set<readonly [Socket, Socket]>()

  /** Hands on what comes from one end, piece by piece in order, with the current faults. */
  async function forward(from: Socket, to: Socket): Promise<void> {
    for await (const piece of from as AsyncIterable<Buffer>) {
      if (current.latencyMs > 0) await sleep(random.between(0, current.latencyMs))
      if (random.chance(current.cut)) return void [from.destroy(), to.destroy()]
      if (random.chance(current.halfClose)) {
        to.end(piece.subarray(0, Math.floor(piece.length / 2)))
        // The other side sends into nothing for a while, then the connection is gone.
        await sleep(random.between(100, 1000))
        return void [from.destroy(), to.destroy()]
      }
      const bits = random.chance(current.trickle) && piece.length < 8192 ? TRICKLE_BYTES : piece.length
      for (let at = 0; at < piece.length && !to.destroyed; at += bits) {
        if (at > 0) await sleep(random.between(1, 5))
        if (!to.write(piece.subarray(at, at + bits))) await drained(to)
      }
    }
    to.end()
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true, noDelay: true })
    near.setNoDelay(true)
    const pair = [near, far] as const
    connections.add(pair)
    const over = (): void => {
      near.destroy()
      far.destroy()
      connections.delete(pair)
    }
    // A broken end breaks the other.
    for (const end of pair) end.on('error', over)
    void Promise.allSettled([forward(near, far), forward(far, near)]).then(over)
  })
  await new Promise<void>((resolve, reject) => {
    const where: ListenOptions = 'path' in listen ? listen : { port: listen.port, host: '127.0.0.1' }
    if ('path' in listen) rmSync(listen.path, { force: true })
    server.once('error', reject)
    server.listen(where, resolve)
  })
  if ('path' in listen) chmodSync(listen.path, 0o600)

  return {
    port: 'path' in listen ? 0 : (server.address() as AddressInfo).port,
    setFaults: (change) => void (current = { ...current, ...change }),
    cutOpen(share) {
      const cut = [...connections].filter(() => random.chance(share))
      for (const [near, far] of cut) {
        near.destroy()
        far.destroy()
      }
      return cut.length
    },
    close: () =>
      new Promise((resolve) => {
        for (const [near, far] of connections) {
          near.destroy()
          far.destroy()
        }
        server.close(() => resolve())
      }),
  }
}

const drained = (to: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      to.off('drain', done).off('close', done)
      resolve()
    }
    to.once('drain', done).once('close', done)
  })
