import type { Sql, Trx } from '#platform/database.ts'
import { concatBytes, toBytes, toHex } from '../protocol/bytes.ts'
import { parseLeaf } from '../protocol/leaves.ts'
import { type ListRow, listHeader, rowText } from '../protocol/lists.ts'
import { MerkleRoots } from '../protocol/merkle.ts'
import { type Beacon, type Terms, parseTerms } from '../protocol/terms.ts'
import {
  type ListFigures,
  type ListName,
  drawFilesRepository,
  drawFilesWrites,
} from './draw-files.repository.ts'
import { type LockedLog, drawLogsRepository } from './draw-logs.repository.ts'
import { rootOfLog } from './draw-logs.ts'
import { sha256 } from './sha256.ts'

/** As the CHECK of `draw_file_parts`. */
const PART_BYTES = 1_048_576
const ROWS_AT_ONCE = 10_000

/** The bytes of a stored file in parts. */
export async function* fileParts(db: Sql, offerId: number, name: string): AsyncGenerator<Buffer> {
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

/** The terms of a draw, as published, and the beacon in force. */
export interface PublishedTerms {
  terms: Terms
  hash: string
  beacon: Beacon
}

/**
 * The beacon that decides a draw: that of the terms, or of the last leaf that replaced it (docs/draw-v1.md, section 4).
 * Lists, rounds, results and forfeitures all ask here.
 */
export async function beaconInForce(db: Sql, offerId: number, terms: Terms): Promise<Beacon> {
  const leaf = await drawLogsRepository(db).lastStep(offerId, 'beacon')
  if (leaf === undefined) return terms.beacon
  const read = parseLeaf(leaf, 1)
  if (read.type !== 'beacon') throw new Error(`not a beacon: ${leaf}`)
  const { chain, key, genesis, period, round } = read
  return { chain, key, genesis, period, round }
}

/** The terms of a draw and the beacon in force. */
export async function termsOf(db: Sql, offerId: number): Promise<PublishedTerms> {
  const parts: Buffer[] = []
  for await (const part of fileParts(db, offerId, 'terms.txt')) parts.push(part)
  const bytes = concatBytes(...parts)
  const terms = parseTerms(bytes, sha256)
  return { terms, hash: toHex(sha256(bytes)), beacon: await beaconInForce(db, offerId, terms) }
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

/**
 * Stores the list that follows from a locked log as it is now. Each part but the first, which is the header, begins with
 * a row.
 * @returns its hash and root
 */
export async function storeList(
  trx: Trx,
  log: LockedLog,
  name: ListName,
  { terms, hash: termsHash, beacon }: PublishedTerms,
): Promise<{ listHash: string; listRoot: string; valid: number }> {
  const writes = drawFilesWrites(trx)
  const [logRoot, counts] = await Promise.all([rootOfLog(trx, log), drawFilesRepository(trx).counts(log.id)])
  const { rehearsal, contest } = terms
  const { chain, round } = beacon
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
  const tree = new MerkleRoots(sha256)
  let [parts, bytes, valid] = [0, 0, 0]
  const store = async (content: Uint8Array): Promise<void> => {
    hash.update(content)
    bytes += content.length
    await writes.insertPart(log.id, name, parts, content)
    parts += 1
  }
  await store(header)
  for await (const rows of rowsOfLog(trx, log.id)) {
    const lines = rows.map((row) => {
      const text = rowText(row)
      tree.add(toBytes(text))
      if (row.voided === null) valid += 1
      return `${text}\n`
    })
    await store(toBytes(lines.join('')))
  }
  if (tree.size !== counts.paid + counts.postal + counts.demo || valid !== counts.valid)
    throw new Error(`the list of ${contest} has other entries than were counted`)
  const listHash = hash.digest()
  const listRoot = tree.root()
  await writes.insertFile(log.id, { name, sha256: listHash, bytes })
  const figures: ListFigures = {
    leaf_index: log.size,
    log_root: logRoot,
    list_root: name === 'list.txt' ? listRoot : null,
    ...counts,
  }
  await writes.insertList(log.id, name, figures)
  return { listHash: toHex(listHash), listRoot: toHex(listRoot), valid }
}

const VALID = '\tvalid'

/** The valid row of the sealed list at `index`, counted without the rows of those who won before. */
export async function validRowAt(
  db: Sql,
  offerId: number,
  index: number,
  before: readonly number[],
): Promise<Pick<ListRow, 'number' | 'kind' | 'commitment'> | undefined> {
  let at = 0
  let isHeader = true
  for await (const part of fileParts(db, offerId, 'list.txt')) {
    const lines = isHeader ? [] : part.toString('utf8').split('\n')
    isHeader = false
    for (const line of lines) {
      if (!line.endsWith(VALID)) continue
      const [number, kind, commitment] = line.split('\t') as [string, ListRow['kind'], string]
      if (before.includes(Number(number))) continue
      if (at === index) return { number: Number(number), kind, commitment }
      at += 1
    }
  }
  return undefined
}
