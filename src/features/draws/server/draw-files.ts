import type { ReadDatabase, Sql, Trx } from '#platform/database.ts'
import { indexAmongValid } from '#draw-protocol/attempts.ts'
import { concatBytes, toBytes, toHex, toText } from '#draw-protocol/bytes.ts'
import { type ListRow, listHeader, rowText } from '#draw-protocol/lists.ts'
import { leafHash } from '#draw-protocol/merkle.ts'
import { type Terms, parseTerms } from '#draw-protocol/terms.ts'
import { type ReadTile, TILE_WIDTH, type Tile, TileBuilder } from '#draw-protocol/tiles.ts'
import {
  type ListFigures,
  type ListName,
  type RowsOfTree,
  drawFilesRepository,
  drawFilesWrites,
} from './draw-files.repository.ts'
import type { LockedLog } from './draw-logs.repository.ts'
import { rootOfLog } from './draw-logs.ts'
import { sha256 } from './sha256.ts'

/** As the CHECK of `draw_file_parts`. */
const PART_BYTES = 1_048_576
const ROWS_AT_ONCE = 10_000

/** The bytes of a stored file in parts. */
export async function* fileParts(db: ReadDatabase, offerId: number, name: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part += 1) {
    const content = await drawFilesRepository(db).part(offerId, name, part)
    if (!content) return
    yield content
  }
}

/** Stores a short file. @returns its hash */
export async function storeFile(
  trx: Trx,
  offerId: number,
  name: string,
  content: Uint8Array,
): Promise<Uint8Array> {
  const hash = sha256(content)
  const writes = drawFilesWrites(trx)
  await writes.insertFile(offerId, { name, sha256: hash, bytes: content.length })
  for (let at = 0, part = 0; at < content.length; at += PART_BYTES, part += 1)
    await writes.insertPart(offerId, name, part, content.subarray(at, at + PART_BYTES))
  return hash
}

async function wholeFile(db: ReadDatabase, offerId: number, name: string): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of fileParts(db, offerId, name)) parts.push(part)
  return concatBytes(...parts)
}

/** A short file as text. */
export const fileText = async (db: ReadDatabase, offerId: number, name: string): Promise<string> =>
  toText(await wholeFile(db, offerId, name))

/** The terms of a draw, as published. */
export interface PublishedTerms {
  terms: Terms
  hash: string
}

export async function termsOf(db: Sql, offerId: number): Promise<PublishedTerms> {
  const bytes = await wholeFile(db, offerId, 'terms.txt')
  return { terms: parseTerms(bytes, sha256), hash: toHex(sha256(bytes)) }
}

/** The rows of the list that follows from the log. */
async function* rowsOfLog(db: Sql, offerId: number): AsyncGenerator<ListRow[]> {
  for (let after = 0; ;) {
    const rows = await drawFilesRepository(db).rows(offerId, after, ROWS_AT_ONCE)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)!.number
  }
}

/** Reads tiles of a sealed list: of the tree of its rows, or of its valid ones. */
export const listTileReader =
  (db: Sql, offerId: number, rows: RowsOfTree): ReadTile =>
  async (level, index) => {
    const tile = await drawFilesRepository(db).listTile(offerId, rows, level, index)
    if (!tile)
      throw new Error(`the sealed list of ${offerId} has no tile ${level}/${index} of its ${rows} rows`)
    return tile
  }

/** A Merkle tree of rows of a list, whose tiles can be stored while it is made: a list can have millions of rows. */
class ListTree {
  private readonly rows: RowsOfTree
  private readonly tree: TileBuilder
  private readonly firstNumbers = new Map<number, number>()
  /** Tiles that may still grow. */
  private readonly partial = new Map<string, Tile>()

  private constructor(rows: RowsOfTree, tree: TileBuilder) {
    this.rows = rows
    this.tree = tree
  }

  static begin = async (rows: RowsOfTree): Promise<ListTree> =>
    new ListTree(rows, await TileBuilder.resume(0, () => new Uint8Array(), sha256))

  get size(): number {
    return this.tree.size
  }

  add(number: number, hash: Uint8Array): void {
    if (this.size % TILE_WIDTH === 0) this.firstNumbers.set(this.size / TILE_WIDTH, number)
    this.tree.add(hash)
  }

  root(): Uint8Array {
    return this.tree.root()
  }

  /** Stores the tiles that are full since the last call; in the end those, too, that are not. */
  async store(trx: Trx, offerId: number, isEnd: boolean): Promise<void> {
    const full: Tile[] = []
    for (const tile of this.tree.takeChanged()) {
      const id = `${tile.level}/${tile.index}`
      this.partial.delete(id)
      if (tile.width === TILE_WIDTH) full.push(tile)
      else this.partial.set(id, tile)
    }
    const tiles = isEnd ? [...full, ...this.partial.values()] : full
    if (tiles.length > 0)
      await drawFilesWrites(trx).insertListTiles(offerId, this.rows, tiles, this.firstNumbers)
  }
}

/**
 * Stores the list that follows from a locked log as it is now. Each part but the first, which is the header, begins with
 * a row. The rows of the sealed list are stored as a tree, too, and the valid ones as another, for their proofs.
 * @returns its hash, and of a sealed one the roots of both trees
 */
export async function storeList(
  trx: Trx,
  log: LockedLog,
  name: ListName,
  { terms, hash: termsHash }: PublishedTerms,
): Promise<{ listHash: string; listRoot: string; valid: number; validRoot: string }> {
  const writes = drawFilesWrites(trx)
  const [logRoot, counts] = await Promise.all([rootOfLog(trx, log), drawFilesRepository(trx).counts(log.id)])
  const { rehearsal, contest } = terms
  const { chain, round } = terms.beacon
  const header = listHeader({
    ...counts,
    rehearsal,
    contest,
    termsHash,
    chain,
    round,
    logSize: log.size,
    logRoot: toHex(logRoot),
  })
  const hash = sha256.create()
  const [tree, valid] = [await ListTree.begin('all'), await ListTree.begin('valid')]
  const isSealed = name === 'list.txt'
  let [parts, bytes, lines, validLines] = [0, 0, 0, 0]
  const store = async (content: Uint8Array): Promise<void> => {
    hash.update(content)
    bytes += content.length
    await writes.insertPart(log.id, name, parts, content)
    parts += 1
  }
  await store(header)
  for await (const rows of rowsOfLog(trx, log.id)) {
    const texts = rows.map((row) => {
      const text = rowText(row)
      lines += 1
      if (row.voided === null) validLines += 1
      if (isSealed) {
        const rowHash = leafHash(sha256, toBytes(text))
        tree.add(row.number, rowHash)
        if (row.voided === null) valid.add(row.number, rowHash)
      }
      return `${text}\n`
    })
    await store(toBytes(texts.join('')))
    for (const one of [tree, valid]) await one.store(trx, log.id, false)
  }
  for (const one of [tree, valid]) await one.store(trx, log.id, true)
  if (lines !== counts.paid + counts.postal + counts.demo || validLines !== counts.valid)
    throw new Error(`the list of ${contest} has other entries than were counted`)
  const listHash = hash.digest()
  const listRoot = tree.root()
  await writes.insertFile(log.id, { name, sha256: listHash, bytes })
  const figures: ListFigures = {
    leaf_index: log.size,
    log_root: logRoot,
    list_root: isSealed ? listRoot : null,
    ...counts,
  }
  await writes.insertList(log.id, name, figures)
  return {
    listHash: toHex(listHash),
    listRoot: toHex(listRoot),
    valid: counts.valid,
    validRoot: toHex(valid.root()),
  }
}

/**
 * The row that an attempt draws: `index` counts the valid rows of the sealed list without those who won before.
 * @returns undefined when there is no such row
 */
export async function drawnRow(
  db: Sql,
  offerId: number,
  index: number,
  before: readonly number[],
): Promise<ListRow | undefined> {
  const files = drawFilesRepository(db)
  const drawn: number[] = []
  for (const number of before) drawn.push((await files.sealedRow(offerId, number, 'valid'))!.index)
  return files.validRowAt(offerId, indexAmongValid(index, drawn))
}
