import { connect } from 'node:net'

type Reply = (result: unknown) => void

/** A picture process of tests: the first byte of what it is given says what it does. */
const WORKS: Record<number, (reply: Reply, input: Uint8Array) => void> = {
  /** Responds when the server at the port of bytes 1 and 2 lets it. */
  0: (reply, [, high = 0, low = 0]) => {
    connect(high * 256 + low, '127.0.0.1')
      .on('end', () => reply(process.pid))
      .resume()
  },
  /** Responds with its environment. */
  // oxlint-disable-next-line node/no-process-env -- it must be empty
  1: (reply) => reply({ ...process.env }),
  /** Dies as a decoder does that reads where it must not. */
  2: () => void process.kill(process.pid, 'SIGSEGV'),
  /** Never responds, and no timer of its own can interrupt it. */
  3: () => {
    for (;;);
  },
}

process.on('disconnect', () => process.exit())
process.on('message', ({ input }: { input: Uint8Array }) =>
  WORKS[input[0] ?? 1]?.((result) => process.send?.({ result }), input),
)
