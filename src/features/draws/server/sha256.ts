import { createHash, hash } from 'node:crypto'
import { type Sha256, toHex } from '#draw-protocol/bytes.ts'
import { commitmentOf } from '#draw-protocol/commitments.ts'

/** Node's SHA-256, which is several times as fast as the portable one. */
export const sha256: Sha256 = Object.assign((data: Uint8Array) => hash('sha256', data, 'buffer'), {
  create: () => createHash('sha256'),
})

/** The commitment to a ticket, in hexadecimal. */
export const ticketCommitment = (salt: Uint8Array, ticketId: string): string =>
  toHex(commitmentOf({ salt, ticketId }, sha256))
