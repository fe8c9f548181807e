/** Merkle trees of RFC 9162, section 2.1. */
import { type Sha256, sameBytes } from './bytes.ts'

export const HASH_BYTES = 32

/** The hash of a leaf: SHA-256(0x00 || data). */
export function leafHash(sha256: Sha256, data: Uint8Array): Uint8Array {
  const bytes =
    data.length < LEAF.length ? LEAF.subarray(0, 1 + data.length) : new Uint8Array(1 + data.length)
  bytes.set(data, 1)
  return sha256(bytes)
}

/** Used again for each leaf: a large log has millions. Its first byte stays 0. */
const LEAF = new Uint8Array(512)

/** The hash of two subtrees: SHA-256(0x01 || left || right). */
export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  NODE.set(left, 1)
  NODE.set(right, 1 + HASH_BYTES)
  return sha256(NODE)
}

const NODE = Uint8Array.of(1, ...new Uint8Array(2 * HASH_BYTES))

/** The root over complete subtrees from the left to the right, each smaller than the one before. */
export const foldRight = (sha256: Sha256, subtrees: readonly Uint8Array[]): Uint8Array =>
  subtrees.length === 0
    ? sha256(new Uint8Array())
    : subtrees.reduceRight((right, left) => nodeHash(sha256, left, right))

/** Makes roots of a growing tree and keeps one hash for each complete subtree on its right edge. */
export class MerkleRoots {
  size = 0
  private readonly sha256: Sha256
  private readonly subtrees: Uint8Array[] = []

  constructor(sha256: Sha256) {
    this.sha256 = sha256
  }

  /** Appends a leaf by its data. */
  add(data: Uint8Array): void {
    this.addHash(leafHash(this.sha256, data))
  }

  /** Appends a leaf by its hash. */
  addHash(hash: Uint8Array): void {
    let node = hash
    for (let rest = this.size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      node = nodeHash(this.sha256, this.subtrees.pop()!, node)
    }
    this.subtrees.push(node)
    this.size += 1
  }

  root(): Uint8Array {
    return foldRight(this.sha256, this.subtrees)
  }
}

const isOdd = (n: number): boolean => n % 2 === 1
const half = (n: number): number => Math.floor(n / 2)

/** The root that an inclusion proof leads to (section 2.1.3.2), or null for a proof of another shape. */
function rootOfInclusion(
  {
    index,
    size,
    hash,
    proof,
  }: { index: number; size: number; hash: Uint8Array; proof: readonly Uint8Array[] },
  sha256: Sha256,
): Uint8Array | null {
  if (index < 0 || index >= size) return null
  let [first, last] = [index, size - 1]
  let root = hash
  for (const node of proof) {
    if (last === 0) return null
    if (isOdd(first) || first === last) {
      root = nodeHash(sha256, node, root)
      while (!isOdd(first) && first !== 0) [first, last] = [half(first), half(last)]
    } else {
      root = nodeHash(sha256, root, node)
    }
    ;[first, last] = [half(first), half(last)]
  }
  return last === 0 ? root : null
}

/** Whether a leaf's hash is at this index of the tree with this size and root. */
export function isIncluded(
  claim: { index: number; size: number; root: Uint8Array; hash: Uint8Array; proof: readonly Uint8Array[] },
  sha256: Sha256,
): boolean {
  const root = rootOfInclusion(claim, sha256)
  return root !== null && sameBytes(root, claim.root)
}

/** A size of a tree and its root. */
export interface TreeHead {
  size: number
  root: Uint8Array
}

/** Whether the tree of `second` begins with that of `first` (section 2.1.4.2). */
export function isConsistent(
  first: TreeHead,
  second: TreeHead,
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean {
  if (first.size < 0 || first.size > second.size) return false
  if (first.size === second.size) return proof.length === 0 && sameBytes(first.root, second.root)
  if (first.size === 0) return proof.length === 0 && sameBytes(first.root, sha256(new Uint8Array()))
  let [from, to] = [first.size - 1, second.size - 1]
  while (isOdd(from)) [from, to] = [half(from), half(to)]
  // A first tree that is one complete subtree is the proof's first node itself.
  const [start, ...rest] = from === 0 ? [first.root, ...proof] : proof
  if (!start) return false
  let [old, now] = [start, start]
  for (const node of rest) {
    if (to === 0) return false
    if (isOdd(from) || from === to) {
      old = nodeHash(sha256, node, old)
      now = nodeHash(sha256, node, now)
      while (!isOdd(from) && from !== 0) [from, to] = [half(from), half(to)]
    } else {
      now = nodeHash(sha256, now, node)
    }
    ;[from, to] = [half(from), half(to)]
  }
  return to === 0 && sameBytes(old, first.root) && sameBytes(now, second.root)
}
