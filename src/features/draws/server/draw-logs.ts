import type { Sql, Trx } from '#platform/database.ts'
import { concatBytes, toBytes } from '#draw-protocol/bytes.ts'
import { HASH_BYTES, MerkleRoots, leafHash } from '#draw-protocol/merkle.ts'
import { TILE_WIDTH, TileBuilder, type ReadTile, type Tile } from '#draw-protocol/tiles.ts'
import { type LockedLog, drawLogsRepository, drawLogsWrites } from './draw-logs.repository.ts'
import type { LogKey } from './log-key.ts'
import { sha256 } from './sha256.ts'

/** Reads tiles of a log, and makes those of its right edge that are not stored because they still grow. */
export const tileReader =
  (db: Sql, logId: number): ReadTile =>
  async (level, index) => {
    const logs = drawLogsRepository(db)
    const full = await logs.fullTile(logId, level, index)
    if (full) return full
    const hashes =
      level === 0
        ? (await logs.leaves(logId, index * TILE_WIDTH, TILE_WIDTH)).map((leaf) =>
            leafHash(sha256, toBytes(leaf)),
          )
        : await logs.rootsBelow(logId, level, index)
    return concatBytes(...hashes)
  }

const isFull = ({ width }: Tile): boolean => width === TILE_WIDTH

function rootOf({ hashes }: Tile): Uint8Array {
  const tree = new MerkleRoots(sha256)
  for (let at = 0; at < hashes.length; at += HASH_BYTES) tree.addHash(hashes.subarray(at, at + HASH_BYTES))
  return tree.root()
}

/** The host in whose name a log's checkpoints are signed. */
export const hostOf = ({ origin }: Pick<LockedLog, 'origin'>): string => origin.slice(0, origin.indexOf('/'))

/** @returns the origin of a log that still gets checkpoints and that another key signs; undefined when `key` fits */
export const logOfAnotherKey = async (db: Sql, key: LogKey): Promise<string | undefined> =>
  (await drawLogsRepository(db).open()).find((log) => !isSignedBy(key, log))?.origin

/** Whether it is the same key; logs of former versions name it otherwise. */
const isSignedBy = (key: LogKey, log: Pick<LockedLog, 'origin' | 'key'>): boolean =>
  bytesOf(key.verifierKey(hostOf(log))) === bytesOf(log.key)

/** Of `NAME+KEYID+KEY` the last part, in which a `+` may stand. */
const bytesOf = (key: string): string => key.split('+').slice(2).join('+')

/** Entries whose leaves this transaction has inserted at the end of a log. */
export interface InsertedEntries {
  count: number
  /** Of their leaves, one after the other. */
  hashes: Uint8Array
}

export const NO_ENTRIES: InsertedEntries = { count: 0, hashes: new Uint8Array() }

/**
 * Appends entries and leaves to a log that this transaction has locked, and signs a checkpoint: with the leaves, or once again.
 * @returns the log as it is now, and the checkpoint's time in Unix seconds
 */
export async function appendLeaves(
  trx: Trx,
  key: LogKey,
  log: LockedLog,
  leaves: readonly string[],
  entries = NO_ENTRIES,
): Promise<{ log: LockedLog; time: number; root: Uint8Array }> {
  const host = hostOf(log)
  // Checkpoints by another key than that of the terms would be worth nothing.
  if (!isSignedBy(key, log)) throw new Error(`LOG_KEY is not the key of the log ${log.origin}`)
  const writes = drawLogsWrites(trx)
  const [{ log: grown, root }, time] = await Promise.all([
    insertLeaves(trx, log, leaves, entries),
    writes.nextTime(log.id),
  ])
  const { size } = grown
  const note = key.note(host, { origin: log.origin, size, root, time })
  await writes.insertCheckpoint(log.id, { size, root, time, note })
  return { log: grown, time, root }
}

/** Appends leaves to a locked log without signing it: only for checkpoints that were signed before. */
export const restoreLeaves = (trx: Trx, log: LockedLog, leaves: readonly string[]) =>
  insertLeaves(trx, log, leaves, NO_ENTRIES)

async function insertLeaves(
  trx: Trx,
  log: LockedLog,
  leaves: readonly string[],
  entries: InsertedEntries,
): Promise<{ log: LockedLog; root: Uint8Array }> {
  const writes = drawLogsWrites(trx)
  const builder = await TileBuilder.resume(log.size, tileReader(trx, log.id), sha256)
  for (let at = 0; at < entries.hashes.length; at += HASH_BYTES)
    builder.add(entries.hashes.subarray(at, at + HASH_BYTES))
  for (const leaf of leaves) builder.add(leafHash(sha256, toBytes(leaf)))
  const tiles = builder.takeChanged().filter(isFull)
  const { size } = builder
  const grown = { ...log, size, entries: log.entries + entries.count }
  await Promise.all([
    leaves.length > 0 && writes.insertLeaves(log.id, log.size + entries.count, leaves),
    tiles.length > 0 &&
      writes.insertTiles(
        log.id,
        tiles.map((tile) => ({ ...tile, root: rootOf(tile) })),
      ),
    size > log.size && writes.grow(grown),
  ])
  return { log: grown, root: builder.root() }
}

/** The root of a locked log as it is. */
export async function rootOfLog(trx: Trx, { id, size }: LockedLog): Promise<Uint8Array> {
  return (await TileBuilder.resume(size, tileReader(trx, id), sha256)).root()
}
