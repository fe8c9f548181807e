/** A claim in the log of its contest, and what its winner gets of it: the receipt (docs/draw-v1.md, section 4). */
import type { EmailFile } from '#features/emails/server/index.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { toBytes, toHex } from '#draw-protocol/bytes.ts'
import { claimText } from '#draw-protocol/claims.ts'
import type { Claim } from '../../claims.contract.ts'
import { type LockedLog, drawLogsRepository, drawLogsWrites } from '../draw-logs.repository.ts'
import { drawStepsWrites } from '../draw-steps.repository.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { eachDraw } from '../each-draw.ts'
import { appendStep, registerHalt } from '../register/register.ts'
import { textFile } from '../seal-files.ts'
import { sha256 } from '../sha256.ts'
import { type AttemptId, type ClaimRow, claimsRepository, claimsWrites } from './claims.repository.ts'
import { tellWinner } from './tell-winner.ts'

/** `claim.txt`; null without a claim, and once it is erased. */
function textOf(claim: ClaimRow): string | null {
  const { slug, attempt, number, leaf_salt, name, address, postcode, city, country, phone } = claim
  if (!leaf_salt || name === null || address === null || city === null || country === null) return null
  const salt = toHex(leaf_salt)
  return claimText({ contest: slug, attempt, number, salt, name, address, postcode, city, country, phone })
}

/** What proves that a claim was received; null while there is none, its leaf waits, or it is erased. */
export async function receiptOf(db: Sql, claim: ClaimRow): Promise<Claim['receipt']> {
  const text = textOf(claim)
  if (text === null || claim.leaf_index === null) return null
  const checkpoint = await drawLogsRepository(db).firstCheckpoint(claim.offer_id, claim.leaf_index)
  return checkpoint ? { hash: toHex(claim.leaf_hash!), claim: text, checkpoint: checkpoint.note } : null
}

/** The files of a receipt, for an email. */
export async function receiptFiles(db: Sql, id: AttemptId): Promise<EmailFile[]> {
  const claim = await claimsRepository(db).find(id)
  const receipt = claim && (await receiptOf(db, claim))
  if (!receipt) return []
  return [textFile('claim.txt', receipt.claim), textFile('checkpoint.txt', receipt.checkpoint)]
}

/**
 * Appends the leaf of a locked claim, if it has none as it is now, and sends the winner the receipt.
 * @returns the log as it is then
 */
export async function logClaim(
  trx: Trx,
  deps: Pick<DrawsDeps, 'key'>,
  id: AttemptId,
  log: LockedLog,
): Promise<LockedLog> {
  const claim = await claimsRepository(trx).find(id)
  const text = claim && claim.leaf_index === null ? textOf(claim) : null
  if (!claim || text === null) return log
  const { attempt, slug } = claim
  const hash = sha256(toBytes(text))
  const { log: grown } = await appendStep(trx, deps, log, { type: 'claim', attempt, hash: toHex(hash) }, slug)
  await claimsWrites(trx).logged(id, { index: log.size, hash })
  await tellWinner(trx, id, claim.recorded_by === null ? 'received' : 'recorded')
  return grown
}

/** Appends the leaf of a claim that this transaction has stored. While the register is halted it waits for the job. */
export async function logStoredClaim(trx: Trx, deps: Pick<DrawsDeps, 'key'>, id: AttemptId): Promise<void> {
  if ((await registerHalt(trx)) !== null) return
  const log = await drawLogsWrites(trx).lock(id.offerId)
  if (!log) throw new Error(`contest ${id.offerId} is drawn and has no log`)
  await logClaim(trx, deps, id, log)
}

/** Background job: appends the leaves of claims that came while the register was halted. */
export async function logWaitingClaims(deps: Pick<DrawsDeps, 'db' | 'key' | 'isStopping'>): Promise<void> {
  if ((await registerHalt(deps.db)) !== null) return
  await eachDraw(await claimsRepository(deps.db).withoutLeaf(), deps, (id) =>
    transact(deps.db, async (trx) => {
      await drawStepsWrites(trx).lockOffer(id.offerId)
      await claimsWrites(trx).lock(id)
      await logStoredClaim(trx, deps, id)
    }),
  )
}
