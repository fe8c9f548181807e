import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { sized } from '../../test/support/tier.ts'
import { concatBytes, fromHex, toHex, u64be } from './bytes.ts'
import { MerkleRoots, isConsistent, isIncluded, leafHash } from './merkle.ts'
import { sha256 as quickSha256 } from './sha256.ts'
import {
  type ReadTile,
  TILE_WIDTH,
  TileBuilder,
  consistencyProof,
  consistencyRanges,
  edgeTiles,
  hashRanges,
  inclusionProof,
  inclusionRanges,
  tilesOf,
} from './tiles.ts'

test('a hasher that is used again finds the same hashes', () => {
  for (let length = 0; length < 200; length += 1) {
    const data = new Uint8Array(length).fill(length)
    expect(quickSha256(data)).toEqual(sha256(data))
  }
  // One that is in use is another one.
  const hash = quickSha256.create()
  hash.update(Uint8Array.of(1))
  quickSha256(Uint8Array.of(2))
  expect(hash.digest()).toEqual(sha256(Uint8Array.of(1)))
})

/** The definitions of RFC 9162, section 2.1, word for word, over hashes of leaves. */
class Definition {
  private readonly known = new Map<string, Uint8Array>()
  private readonly leaves: readonly Uint8Array[]

  constructor(leaves: readonly Uint8Array[]) {
    this.leaves = leaves
  }

  private split(n: number): number {
    return 2 ** Math.ceil(Math.log2(n) - 1)
  }

  mth(start: number, end: number): Uint8Array {
    if (end === start) return sha256(new Uint8Array())
    if (end - start === 1) return this.leaves[start]!
    const key = `${start}-${end}`
    const k = this.split(end - start)
    const hash =
      this.known.get(key) ??
      sha256(concatBytes(Uint8Array.of(1), this.mth(start, start + k), this.mth(start + k, end)))
    this.known.set(key, hash)
    return hash
  }

  path(m: number, start: number, end: number): Uint8Array[] {
    if (end - start === 1) return []
    const k = this.split(end - start)
    return m < k
      ? [...this.path(m, start, start + k), this.mth(start + k, end)]
      : [...this.path(m - k, start + k, end), this.mth(start, start + k)]
  }

  proof(m: number, start: number, end: number, isWhole = true): Uint8Array[] {
    const n = end - start
    if (m === n) return isWhole ? [] : [this.mth(start, end)]
    const k = this.split(n)
    return m <= k
      ? [...this.proof(m, start, start + k, isWhole), this.mth(start + k, end)]
      : [...this.proof(m - k, start + k, end, false), this.mth(start, start + k)]
  }
}

const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex)

/** Leaves and roots that the implementations of Certificate Transparency share. */
const KNOWN: [leaf: string, root: string][] = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
]

test('roots are those of Certificate Transparency', () => {
  const tree = new MerkleRoots(sha256)
  expect(toHex(tree.root())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  for (const [leaf, root] of KNOWN) {
    tree.add(fromHex(leaf))
    expect(toHex(tree.root())).toBe(root)
  }
})

/** A tree as a server keeps it: tiles in a table, with what was read of it. */
class Table {
  readonly reads: string[] = []
  private readonly tiles = new Map<string, Uint8Array>()

  readonly read: ReadTile = (level, index) => {
    this.reads.push(`${level}/${index}`)
    return Promise.resolve(this.tiles.get(`${level}/${index}`) ?? new Uint8Array())
  }

  save(builder: TileBuilder): void {
    for (const { level, index, width, hashes } of builder.takeChanged()) {
      if (hashes.length !== width * 32) throw new Error(`a tile of ${width} has ${hashes.length} bytes`)
      this.tiles.set(`${level}/${index}`, hashes)
    }
  }
}

const leavesOf = (size: number): Uint8Array[] =>
  Array.from({ length: size }, (_, at) => leafHash(sha256, u64be(at)))

/** A tree built in several runs, each of which reads the right edge of the one before. */
async function tableOf(leaves: readonly Uint8Array[], runs: readonly number[]): Promise<Table> {
  const table = new Table()
  let from = 0
  for (const to of [...runs, leaves.length]) {
    const builder = await TileBuilder.resume(from, table.read, sha256)
    for (const leaf of leaves.slice(from, to)) builder.add(leaf)
    table.save(builder)
    from = to
  }
  return table
}

const SIZES = sized({
  short: [1, 2, 3, 7, 8, 255, 256, 257, 600, 1500],
  extended: [
    ...Array.from({ length: 300 }, (_, at) => at + 1),
    511,
    512,
    513,
    5000,
    65_535,
    65_536,
    65_537,
    70_000,
  ],
})

let seed = 7
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}

test('roots and proofs from tiles are those of the definition, and verify', async () => {
  for (const size of SIZES) {
    const leaves = leavesOf(size)
    const definition = new Definition(leaves)
    const table = await tableOf(leaves, [Math.floor(size / 3), Math.floor(size / 2)])
    const root = definition.mth(0, size)
    const [whole] = await hashRanges([{ start: 0, end: size }], table.read, sha256)
    const resumed = await TileBuilder.resume(size, table.read, sha256)
    expect(hexes([whole!, resumed.root()])).toEqual([toHex(root), toHex(root)])
    const indices =
      size <= 8 ? [...Array(size).keys()] : [0, size - 1, random(size), random(size), random(size)]
    for (const index of indices) {
      const proof = await inclusionProof(index, size, table.read, sha256)
      expect(hexes(proof)).toEqual(hexes(definition.path(index, 0, size)))
      const claim = { index, size, root, hash: leaves[index]!, proof }
      expect(isIncluded(claim, sha256), `${index} of ${size}`).toBe(true)
      for (const wrong of [
        { ...claim, index: (index + 1) % (size + 1) },
        { ...claim, hash: sha256(leaves[index]!) },
        { ...claim, proof: [...proof, root] },
        { ...claim, proof: proof.slice(1), index: size > 1 ? index : size },
        { ...claim, root: sha256(root) },
      ])
        expect(isIncluded(wrong, sha256), `${index} of ${size}, changed`).toBe(false)
    }
    for (const first of new Set([1, size, Math.ceil(size / 2), 1 + random(size), 1 + random(size)])) {
      const proof = await consistencyProof(first, size, table.read, sha256)
      expect(hexes(proof)).toEqual(hexes(definition.proof(first, 0, size)))
      const [old, now] = [
        { size: first, root: definition.mth(0, first) },
        { size, root },
      ]
      expect(isConsistent(old, now, proof, sha256), `${first} in ${size}`).toBe(true)
      expect(isConsistent({ ...old, root: sha256(old.root) }, now, proof, sha256)).toBe(false)
      expect(isConsistent(old, { ...now, root: sha256(root) }, proof, sha256)).toBe(false)
      expect(isConsistent(old, now, [...proof, root], sha256)).toBe(false)
      const isBehind = first < size
      expect(isBehind && isConsistent(now, old, proof, sha256)).toBe(false)
      expect(isBehind && isConsistent(old, now, proof.slice(0, -1), sha256)).toBe(false)
    }
  }
})

test('the empty tree is the beginning of every tree', async () => {
  const empty = { size: 0, root: sha256(new Uint8Array()) }
  const one = { size: 1, root: leavesOf(1)[0]! }
  expect(isConsistent(empty, one, [], sha256)).toBe(true)
  expect(isConsistent({ ...empty, root: one.root }, one, [], sha256)).toBe(false)
  expect(await consistencyProof(0, 1, new Table().read, sha256)).toEqual([])
  expect(() => inclusionRanges(1, 1)).toThrow(RangeError)
  expect(() => consistencyRanges(2, 1)).toThrow(RangeError)
})

test('a proof of a million leaves reads few tiles, each once', async () => {
  const inclusion = tilesOf(inclusionRanges(123_456, 1_000_000))
  expect(inclusion.length).toBeLessThanOrEqual(6)
  expect(inclusion).toContainEqual({ level: 0, index: Math.floor(123_456 / TILE_WIDTH), width: TILE_WIDTH })
  expect(tilesOf(consistencyRanges(400_001, 1_000_000)).length).toBeLessThanOrEqual(6)
  expect(edgeTiles(1_000_000)).toEqual([
    { level: 0, index: 3906, width: 64 },
    { level: 1, index: 15, width: 66 },
    { level: 2, index: 0, width: 15 },
  ])
  const table = await tableOf(leavesOf(1000), [])
  await inclusionProof(700, 1000, table.read, sha256)
  expect(table.reads.length).toBe(new Set(table.reads).size)
})

test('tiles that are too short are refused', async () => {
  await expect(inclusionProof(3, 9, () => new Uint8Array(32), sha256)).rejects.toThrow(
    'tile 0/0 has 1 hashes, not 9',
  )
  await expect(TileBuilder.resume(9, () => new Uint8Array(32), sha256)).rejects.toThrow(RangeError)
})
