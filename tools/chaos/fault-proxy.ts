import { chmodSync, rmSync } from 'node:fs'
import { type AddressInfo, type ListenOptions, type Socket, connect, createServer } from 'node:net'
import type { Dice } from './dice.ts'

/** What a line does to those who speak over it. Rates are from 0 to 1, times milliseconds. */
export interface Trouble {
  /** Each piece waits up to this long. */
  latencyMs: number
  /** A piece is dealt out in small bits with pauses. */
  trickle: number
  /** At a piece, both sides lose the connection without a word. */
  cut: number
  /** At a piece, the receiving side is told that nothing more comes, while the other goes on talking. */
  halfClose: number
}

export const NO_TROUBLE: Trouble = { latencyMs: 0, trickle: 0, cut: 0, halfClose: 0 }

export interface FaultProxy {
  /** Port of the proxy; 0 on a Unix socket. */
  port: number
  trouble(change: Partial<Trouble>): void
  /** Breaks a share of the connections that are open now. @returns how many */
  cutOpen(share: number): number
  close(): Promise<void>
}

type Address = { port: number } | { path: string }

const TRICKLE_BYTES = 64
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * A TCP line with faults between two programs.
 * @param listen a loopback port (0: a free one) or the path of a Unix socket
 * @param target where the line leads to
 */
export async function faultProxy(listen: Address, target: Address, dice: Dice): Promise<FaultProxy> {
  let current = NO_TROUBLE
  const lines = new Set<readonly [Socket, Socket]>()

  /** Hands on what comes from one end, piece by piece in order, with the troubles of the moment. */
  async function carry(from: Socket, to: Socket): Promise<void> {
    for await (const piece of from as AsyncIterable<Buffer>) {
      if (current.latencyMs > 0) await sleep(dice.between(0, current.latencyMs))
      if (dice.hits(current.cut)) return void [from.destroy(), to.destroy()]
      if (dice.hits(current.halfClose)) {
        to.end(piece.subarray(0, Math.floor(piece.length / 2)))
        // It goes on talking to nobody for a while, then the line is gone.
        await sleep(dice.between(100, 1000))
        return void [from.destroy(), to.destroy()]
      }
      const bits = dice.hits(current.trickle) && piece.length < 8192 ? TRICKLE_BYTES : piece.length
      for (let at = 0; at < piece.length && !to.destroyed; at += bits) {
        if (at > 0) await sleep(dice.between(1, 5))
        if (!to.write(piece.subarray(at, at + bits))) await drained(to)
      }
    }
    to.end()
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true, noDelay: true })
    near.setNoDelay(true)
    const line = [near, far] as const
    lines.add(line)
    const over = (): void => {
      near.destroy()
      far.destroy()
      lines.delete(line)
    }
    // A broken end breaks the other: who it was does not matter here.
    for (const end of line) end.on('error', over)
    void Promise.allSettled([carry(near, far), carry(far, near)]).then(over)
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
    trouble: (change) => void (current = { ...current, ...change }),
    cutOpen(share) {
      const cut = [...lines].filter(() => dice.hits(share))
      for (const [near, far] of cut) {
        near.destroy()
        far.destroy()
      }
      return cut.length
    },
    close: () =>
      new Promise((resolve) => {
        for (const [near, far] of lines) {
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
