import { createHash } from 'node:crypto'

const node = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest()

/** The largest power of two below n. */
const below = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1)

/**
 * Whether a tree begins with an older one, by the proof of RFC 6962, section 2.1.2. Written from the definition, which
 * splits both trees from the top, and not as the shop does it, from the leaves.
 */
export function rootOfProof({
  first,
  old,
  size,
  root,
  proof,
}: {
  first: Uint8Array
  old: number
  size: number
  root: Uint8Array
  proof: readonly Uint8Array[]
}): boolean {
  if (proof.some(({ length }) => length !== 32)) return false
  if (old === 0 || old === size) return proof.length === 0 && (old === 0 || Buffer.from(root).equals(first))
  const left = [...proof]
  /** Both roots of the subtree of the new tree with `width` leaves, of which the old one has the first `within`. */
  const roots = (within: number, width: number, isWhole: boolean): [Uint8Array, Uint8Array] | null => {
    if (within === width) {
      const own = isWhole ? first : left.shift()
      return own ? [own, own] : null
    }
    const half = below(width)
    if (within <= half) {
      const both = roots(within, half, isWhole)
      const right = left.shift()
      return both && right ? [both[0], node(both[1], right)] : null
    }
    const both = roots(within - half, width - half, false)
    const start = left.shift()
    return both && start ? [node(start, both[0]), node(start, both[1])] : null
  }
  const found = roots(old, size, true)
  return (
    found !== null &&
    left.length === 0 &&
    Buffer.from(found[0]).equals(first) &&
    Buffer.from(found[1]).equals(root)
  )
}
