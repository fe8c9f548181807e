/**
 * A Merkle tree as tiles of 256 hashes (https://c2sp.org/tlog-tiles): the tile of level 0 has hashes of leaves, that of
 * level L + 1 has one root for each full tile of level L. A proof of a million leaves reads a few of them.
 */
import { type Sha256, concatBytes } from './bytes.ts'
import { HASH_BYTES, foldRight, nodeHash } from './merkle.ts'

const HEIGHT = 8
export const TILE_WIDTH = 2 ** HEIGHT

/** Of a tile, the first `width` hashes. */
export interface TileId {
  level: number
  index: number
  width: number
}

/** Gives at least the hashes that a tile has at the size asked about; more are not read. */
export type ReadTile = (level: number, index: number) => Uint8Array | Promise<Uint8Array>

/** The leaves from `start` to `end`, without `end`. */
interface Range {
  start: number
  end: number
}

/** A complete subtree: 2 ** height leaves from `index` times as many. */
interface Subtree {
  height: number
  index: number
}

/** The greatest power of two below `n`. */
const splitOf = (n: number): number => {
  let split = 1
  while (split * 2 < n) split *= 2
  return split
}

/** The subtrees of an inclusion proof, nearest to the leaf first (RFC 9162, section 2.1.3.1). */
export function inclusionRanges(index: number, size: number): Range[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`no leaf ${index} in a tree of ${size}`)
  const ranges: Range[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    if (index < middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  return ranges.toReversed()
}

/** The subtrees of a consistency proof (RFC 9162, section 2.1.4.1). */
export function consistencyRanges(first: number, second: number): Range[] {
  if (!(first >= 0 && first <= second)) throw new RangeError(`no tree of ${first} in one of ${second}`)
  if (first === 0 || first === second) return []
  const ranges: Range[] = []
  let [start, end] = [0, second]
  while (first !== end) {
    const middle = start + splitOf(end - start)
    if (first <= middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  if (start > 0) ranges.push({ start, end })
  return ranges.toReversed()
}

/** Complete subtrees from the left to the right; `start` is one at which such a range of a tree begins. */
function subtreesOf({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = start; at < end;) {
    let height = 0
    while (2 ** (height + 1) <= end - at) height += 1
    subtrees.push({ height, index: at / 2 ** height })
    at += 2 ** height
  }
  return subtrees
}

/** Where the hashes stand from which a subtree's root is made. */
function placeOf({ height, index }: Subtree): { level: number; tile: number; offset: number; count: number } {
  const count = 2 ** (height % HEIGHT)
  const first = index * count
  return {
    level: Math.floor(height / HEIGHT),
    tile: Math.floor(first / TILE_WIDTH),
    offset: first % TILE_WIDTH,
    count,
  }
}

/** The tiles that the hashes of these ranges are made from, each once, with the width that is read. */
export function tilesOf(ranges: readonly Range[]): TileId[] {
  const tiles = new Map<string, TileId>()
  for (const subtree of ranges.flatMap(subtreesOf)) {
    const { level, tile: index, offset, count } = placeOf(subtree)
    const width = Math.max(offset + count, tiles.get(`${level}/${index}`)?.width ?? 0)
    tiles.set(`${level}/${index}`, { level, index, width })
  }
  return [...tiles.values()]
}

const hashAt = (tile: Uint8Array, at: number): Uint8Array =>
  tile.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES)

/** The root of `count` hashes, a power of two, from `offset` of a tile. */
function rootWithin(sha256: Sha256, tile: Uint8Array, offset: number, count: number): Uint8Array {
  let row = Array.from({ length: count }, (_, at) => hashAt(tile, offset + at))
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_, at) => nodeHash(sha256, row[2 * at]!, row[2 * at + 1]!))
  }
  return row[0]!
}

/** One hash for each range; reads each tile once. */
export async function hashRanges(
  ranges: readonly Range[],
  readTile: ReadTile,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  const tiles = new Map<string, Uint8Array>()
  await Promise.all(
    tilesOf(ranges).map(async ({ level, index, width }) => {
      const tile = await readTile(level, index)
      if (tile.length < width * HASH_BYTES)
        throw new RangeError(`tile ${level}/${index} has ${tile.length / HASH_BYTES} hashes, not ${width}`)
      tiles.set(`${level}/${index}`, tile)
    }),
  )
  return ranges.map((range) =>
    foldRight(
      sha256,
      subtreesOf(range).map((subtree) => {
        const { level, tile, offset, count } = placeOf(subtree)
        return rootWithin(sha256, tiles.get(`${level}/${tile}`)!, offset, count)
      }),
    ),
  )
}

/** The inclusion proof of a leaf in the tree of the first `size` leaves. */
export const inclusionProof = (
  index: number,
  size: number,
  readTile: ReadTile,
  sha256: Sha256,
): Promise<Uint8Array[]> => hashRanges(inclusionRanges(index, size), readTile, sha256)

/** The proof that the tree of the first `second` leaves begins with that of the first `first`. */
export const consistencyProof = (
  first: number,
  second: number,
  readTile: ReadTile,
  sha256: Sha256,
): Promise<Uint8Array[]> => hashRanges(consistencyRanges(first, second), readTile, sha256)

/** The tiles on the right edge of a tree, from which it grows: one partial tile for each level. */
export function edgeTiles(size: number): TileId[] {
  const tiles: TileId[] = []
  for (
    let [level, count] = [0, size];
    count > 0;
    [level, count] = [level + 1, Math.floor(count / TILE_WIDTH)]
  ) {
    const width = count % TILE_WIDTH
    if (width > 0) tiles.push({ level, index: Math.floor(count / TILE_WIDTH), width })
  }
  return tiles
}

export interface Tile extends TileId {
  /** `width` hashes, one after the other. */
  hashes: Uint8Array
}

/** Appends leaves to a tree of tiles. Begins with the tiles of the right edge, and says which tiles it has changed. */
export class TileBuilder {
  size: number
  private readonly sha256: Sha256
  /** For each level, the hashes of its partial tile. */
  private readonly edge: Uint8Array[][] = []
  private readonly changed = new Map<string, Tile>()

  private constructor(size: number, sha256: Sha256) {
    this.size = size
    this.sha256 = sha256
  }

  /** Reads the right edge of a tree of `size` leaves; the empty tree reads nothing. */
  static async resume(size: number, readTile: ReadTile, sha256: Sha256): Promise<TileBuilder> {
    const builder = new TileBuilder(size, sha256)
    for (let level = 0; TILE_WIDTH ** level <= size; level += 1) builder.edge.push([])
    for (const { level, index, width } of edgeTiles(size)) {
      const tile = await readTile(level, index)
      if (tile.length < width * HASH_BYTES)
        throw new RangeError(`tile ${level}/${index} has ${tile.length / HASH_BYTES} hashes, not ${width}`)
      builder.edge[level] = Array.from({ length: width }, (_, at) => hashAt(tile, at))
    }
    return builder
  }

  /** Appends a leaf by its hash. */
  add(leaf: Uint8Array): void {
    let count = this.size
    let hash = leaf
    for (let level = 0; ; level += 1) {
      const tile = (this.edge[level] ??= [])
      tile.push(hash)
      const index = Math.floor(count / TILE_WIDTH)
      const width = tile.length
      const isFull = width === TILE_WIDTH
      if (isFull || !this.changed.has(`${level}/${index}`))
        this.changed.set(`${level}/${index}`, {
          level,
          index,
          width,
          hashes: isFull ? concatBytes(...tile) : NOTHING,
        })
      if (!isFull) break
      hash = rootWithin(this.sha256, concatBytes(...tile), 0, TILE_WIDTH)
      this.edge[level] = []
      count = index
    }
    this.size += 1
  }

  root(): Uint8Array {
    const subtrees = this.edge.toReversed().flatMap((tile) =>
      subtreesOf({ start: 0, end: tile.length }).map(({ height, index }) => {
        const count = 2 ** height
        return rootWithin(this.sha256, concatBytes(...tile), index * count, count)
      }),
    )
    return foldRight(this.sha256, subtrees)
  }

  /** The tiles that have changed since the last call, as they are now. */
  takeChanged(): Tile[] {
    const tiles = [...this.changed.values()].map((tile) => {
      const edge = this.edge[tile.level] ?? []
      return tile.hashes.length > 0 ? tile : { ...tile, width: edge.length, hashes: concatBytes(...edge) }
    })
    this.changed.clear()
    return tiles
  }
}

const NOTHING = new Uint8Array()
