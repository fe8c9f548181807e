/** Responses of the leaf call (docs/draw-v1.md, appendix). */
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { toHex } from '#draw-protocol/bytes.ts'
import type { LeafResponse, ProvenLeaf } from '#draw-protocol/check.ts'
import { rowText } from '#draw-protocol/lists.ts'
import { type ReadTile, consistencyProof, inclusionProof } from '#draw-protocol/tiles.ts'
import { type RowsOfTree, drawFilesRepository } from '../draw-files.repository.ts'
import { fileText, listTileReader } from '../draw-files.ts'
import { drawLogsRepository } from '../draw-logs.repository.ts'
import { tileReader } from '../draw-logs.ts'
import { drawStepsRepository } from '../draw-steps.repository.ts'
import { sha256 } from '../sha256.ts'

type LeafOfLog = Pick<LeafResponse, 'index' | 'leaf' | 'size' | 'proof' | 'checkpoint' | 'last'>

/** Proofs of one response read the same tiles. */
function once(read: ReadTile): ReadTile {
  const tiles = new Map<string, ReturnType<ReadTile>>()
  return (level, index) => {
    const tile = tiles.get(`${level}/${index}`) ?? read(level, index)
    tiles.set(`${level}/${index}`, tile)
    return tile
  }
}

/** A leaf with its proof for the first checkpoint that contains it. @returns undefined when no checkpoint does */
export const provenLeaf = (db: Database, logId: number, index: number): Promise<LeafOfLog | undefined> =>
  atOnce(db, (trx) => leafIn(trx, logId, index, once(tileReader(trx, logId))))

/** An entry, its void, its row in the sealed list and the steps of the draw. @returns undefined when it is not in the log */
export const provenEntry = (db: Database, logId: number, number: number): Promise<LeafResponse | undefined> =>
  atOnce(db, async (trx) => {
    const logs = drawLogsRepository(trx)
    const index = await logs.indexOf(logId, number)
    if (index === undefined) return undefined
    const read = once(tileReader(trx, logId))
    const entry = await leafIn(trx, logId, index, read)
    if (!entry) return undefined
    const { size } = entry.last
    const prove = async (leaf: Omit<ProvenLeaf, 'proof'>): Promise<ProvenLeaf> => ({
      ...leaf,
      proof: (await inclusionProof(leaf.index, size, read, sha256)).map(toHex),
    })
    const steps: ProvenLeaf[] = []
    for (const step of await logs.steps(logId)) steps.push(await prove(step))
    const voidIndex = await logs.indexOfVoid(logId, number)
    const [voidLeaf] = voidIndex === null ? [] : await logs.leaves(logId, voidIndex, 1)
    return {
      ...entry,
      void:
        voidIndex === null || voidLeaf === undefined
          ? null
          : await prove({ index: voidIndex, leaf: voidLeaf }),
      steps,
      row: await rowOf(trx, logId, number, 'all'),
      valid: await validRowOf(trx, logId, number),
      attempts: await attemptsOf(trx, logId),
    }
  })

/** All parts of a response are of one moment. */
const atOnce = <T>(db: Database, read: (trx: Sql) => Promise<T>): Promise<T> =>
  transact(db, read, { isolation: 'repeatable read' })

async function leafIn(db: Sql, logId: number, index: number, read: ReadTile): Promise<LeafOfLog | undefined> {
  const logs = drawLogsRepository(db)
  const [first, last] = [await logs.firstCheckpoint(logId, index), await logs.lastCheckpoint(logId)]
  const [leaf] = await logs.leaves(logId, index, 1)
  if (!first || !last || leaf === undefined) return undefined
  const [proof, consistency] = [
    await inclusionProof(index, first.size, read, sha256),
    await consistencyProof(first.size, last.size, read, sha256),
  ]
  return {
    index,
    leaf,
    size: first.size,
    proof: proof.map(toHex),
    checkpoint: first.note,
    last: { size: last.size, checkpoint: last.note, proof: consistency.map(toHex) },
  }
}

/** What follows each result's leaf; without the results of a list that was sealed before its valid rows had a tree. */
async function attemptsOf(db: Sql, offerId: number): Promise<LeafResponse['attempts']> {
  const attempts: LeafResponse['attempts'][number][] = []
  const files = drawFilesRepository(db)
  for (const { attempt, number } of await drawStepsRepository(db).attempts(offerId)) {
    const row = number === null ? null : await validRowOf(db, offerId, number)
    if (!row) break
    const forfeiture = `forfeiture-${attempt}.txt`
    attempts.push({
      beacon: await fileText(db, offerId, `beacon-${attempt}.json`),
      row,
      forfeiture: (await files.file(offerId, forfeiture)) ? await fileText(db, offerId, forfeiture) : null,
    })
  }
  return attempts
}

/** The row of a number among the valid ones; null when it is not valid, and of a list without a tree of them. */
async function validRowOf(db: Sql, offerId: number, number: number): Promise<LeafResponse['valid']> {
  const found = await rowOf(db, offerId, number, 'valid')
  if (!found) return null
  const { size: _, ...row } = found
  return row
}

/** The row of a number in the sealed list, with its proof in the tree of all rows, or of the valid ones. */
async function rowOf(
  db: Sql,
  offerId: number,
  number: number,
  rows: RowsOfTree,
): Promise<LeafResponse['row']> {
  const found = await drawFilesRepository(db).sealedRow(offerId, number, rows)
  if (!found) return null
  const { index, size, row } = found
  const proof = await inclusionProof(index, size, once(listTileReader(db, offerId, rows)), sha256)
  return { index, size, row: rowText(row), proof: proof.map(toHex) }
}
