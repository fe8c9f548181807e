/** Brings back leaves of the register that a restored backup lacks, from what somebody kept. */
import type { Database } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { concatBytes, sameBytes, toBytes } from '#draw-protocol/bytes.ts'
import {
  type Checkpoint,
  checkSignature,
  parseCheckpoints,
  parseVerifierKey,
} from '#draw-protocol/checkpoints.ts'
import { DrawFault } from '#draw-protocol/faults.ts'
import { MerkleRoots } from '#draw-protocol/merkle.ts'
import { REGISTER, drawLogsRepository, drawLogsWrites } from '../draw-logs.repository.ts'
import { restoreLeaves } from '../draw-logs.ts'
import { sha256 } from '../sha256.ts'
import { registerWrites } from './register.repository.ts'

/** Why the files are of no use, in English for the operator. */
export class RestoreFault extends Error {
  override readonly name = 'RestoreFault'
}

const LEAF = /^[\t\x20-\x7e]+$/

function leavesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new RestoreFault('the file of the register does not end with a line break')
  const wrong = lines.findIndex((line) => !LEAF.test(line))
  if (wrong >= 0) throw new RestoreFault(`line ${wrong + 1} of the register is no leaf`)
  return lines
}

/** Checkpoints that the shop's key has signed. @throws RestoreFault */
function checkpointsOf(text: string, { origin, key }: { origin: string; key: string }): Checkpoint[] {
  try {
    const found = parseCheckpoints(toBytes(text))
    const own = parseVerifierKey(key, sha256, 1)
    for (const one of found) checkSignature(one, own, origin)
    return found
  } catch (error) {
    if (error instanceof DrawFault)
      throw new RestoreFault(`line ${error.line} of the checkpoints is not signed by this shop's key`)
    throw error
  }
}

/**
 * Appends the leaves that the register lacks, and the checkpoints that were signed over them: nothing is signed anew.
 * @param kept `register.txt` and `register-checkpoints.txt` of an evidence pack, or `/draws/log.txt` and `/draws/checkpoints.txt`
 * @returns how many leaves it had, and has
 * @throws RestoreFault without any change
 */
export const restoreRegister = (
  db: Database,
  kept: { register: string; checkpoints: string },
): Promise<{ from: number; to: number }> =>
  transact(db, async (trx) => {
    const log = await drawLogsWrites(trx).lock(REGISTER)
    if (!log) throw new RestoreFault('this database has no register')
    const leaves = leavesOf(kept.register)
    const signed = checkpointsOf(kept.checkpoints, log).filter(({ size }) => size <= leaves.length)
    const to = signed.at(-1)?.size ?? 0
    if (to <= log.size)
      throw new RestoreFault(
        `the checkpoints sign ${to} leaves of the file, and the register has ${log.size}: nothing is missing`,
      )
    const own = await drawLogsRepository(trx).leaves(REGISTER, 0, log.size)
    const other = own.findIndex((leaf, at) => leaf !== leaves[at])
    if (other >= 0)
      throw new RestoreFault(`line ${other + 1} is another one than in the register of this database`)
    const tree = new MerkleRoots(sha256)
    for (const [at, leaf] of leaves.slice(0, to).entries()) {
      tree.add(toBytes(leaf))
      const wrong = signed.find(({ size, root }) => size === at + 1 && !sameBytes(root, tree.root()))
      if (wrong)
        throw new RestoreFault(
          `the first ${wrong.size} lines have another root than line ${wrong.line} of the checkpoints says`,
        )
    }
    await restoreLeaves(trx, log, leaves.slice(log.size, to))
    const last = (await drawLogsRepository(trx).lastCheckpoint(REGISTER))!
    for (const one of signed)
      if (one.size > last.size || (one.size === last.size && one.time > last.at.getTime() / 1000))
        await registerWrites(trx).restoreCheckpoint({ ...one, note: noteOf(one, log.key) })
    return { from: log.size, to }
  })

/** As the shop has signed it; witnesses sign it again. */
function noteOf(checkpoint: Checkpoint, key: string): string {
  const { name, id } = parseVerifierKey(key, sha256, 1)
  const own = checkpoint.signatures.find((one) => one.name === name && sameBytes(one.id, id))!
  const line = `— ${name} ${Buffer.from(concatBytes(own.id, own.signature)).toString('base64')}\n`
  return `${Buffer.from(checkpoint.text).toString('utf8')}\n${line}`
}
