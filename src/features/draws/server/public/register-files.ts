/** The register in evidence packs, and for everybody (docs/draw-v1.md, section 6). */
import type { Sql } from '#platform/database.ts'
import type { WitnessPolicy } from '#draw-protocol/witness-policy.ts'
import { REGISTER, type StoredCheckpoint, drawLogsRepository } from '../draw-logs.repository.ts'
import { confirmationOf, confirmedFor, policyOfDraw } from '../register/policies.ts'
import { registerRepository } from '../register/register.repository.ts'

/** `register.txt` up to a size, and `register-checkpoints.txt`. */
export interface RegisterFiles {
  size: number
  checkpoints: string
}

interface Kept {
  id: number
  size: number
}

/** @returns for each leaf the checkpoint that confirms it first; without a policy the first that contains it */
async function confirming(
  db: Sql,
  policy: WitnessPolicy | null,
  indexes: readonly number[],
  upTo: number,
): Promise<{ kept: Kept[]; last: Kept | undefined }> {
  const stored = registerRepository(db)
  if (!policy?.quorum) return { kept: await stored.firsts(indexes, upTo), last: undefined }
  const confirmed = await confirmedFor(db, policy, indexes, upTo)
  const kept = indexes.flatMap((index) => confirmationOf(confirmed, index) ?? [])
  return { kept, last: confirmed.at(-1) }
}

const notesOf = async (db: Sql, kept: readonly (Kept | undefined)[]): Promise<string> =>
  (await registerRepository(db).notes(kept.flatMap((one) => one?.id ?? []))).join('\n')

/**
 * The register for the pack of a contest: checkpoints that confirm its steps, the last one that is confirmed, and the last
 * one. When the contest is over, it ends where its last leaf is confirmed, so that its pack stays as it is.
 */
export async function registerOf(db: Sql, contest: { id: number; slug: string }): Promise<RegisterFiles> {
  const stored = registerRepository(db)
  const newest = (await drawLogsRepository(db).lastCheckpoint(REGISTER))!
  const policy = await policyOfDraw(db, contest.id)
  const indexes = await stored.indexesOf(contest)
  const end = (await stored.isOver(contest.id)) ? await stored.lastIndexOf(contest.slug) : undefined
  const ends = end === undefined ? [] : (await confirming(db, policy, [end], newest.id)).kept
  const last = ends[0] ?? newest
  const { kept, last: confirmed } = await confirming(db, policy, indexes, last.id)
  return { size: last.size, checkpoints: await notesOf(db, [...kept, confirmed, last]) }
}

/** Checkpoints of the register for everybody, up to its last one: those that confirm what is not the growth of a log. */
export async function registerCheckpoints(
  db: Sql,
  policy: WitnessPolicy | null,
  last: StoredCheckpoint,
): Promise<string> {
  const stored = registerRepository(db)
  const { kept, last: confirmed } = await confirming(db, policy, await stored.milestones(), last.id)
  const daily = (await stored.daily(last.id)).map((id) => ({ id, size: 0 }))
  return notesOf(db, [...kept, ...daily, confirmed, last])
}
