import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import type { Sha256 } from './bytes.ts'

const fresh = nobleSha256.create()
const used = nobleSha256.create()

/** SHA-256 for browsers. It takes one hasher again and again: to make one takes longer than to hash a leaf or a node. */
export const sha256: Sha256 = Object.assign(
  (data: Uint8Array): Uint8Array => fresh._cloneInto(used).update(data).digest(),
  { create: () => nobleSha256.create() },
)
