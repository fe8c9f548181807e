/** The register of the shop (docs/draw-v1.md, section 6). A transaction locks it last of all. */
import type { Sql, Trx } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { toHex } from '#draw-protocol/bytes.ts'
import { registerOriginOf } from '#draw-protocol/checkpoints.ts'
import { type Leaf, leafText } from '#draw-protocol/leaves.ts'
import { isRegistered, logLeaf, termsLeaf } from '#draw-protocol/register.ts'
import { type LockedLog, REGISTER, drawLogsRepository, drawLogsWrites } from '../draw-logs.repository.ts'
import { appendLeaves, hostOf, rootOfLog } from '../draw-logs.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { type RegisterHalt, registerRepository, registerWrites } from './register.repository.ts'

type KeyDeps = Pick<DrawsDeps, 'key'>

/** Leaves of a contest's log that are neither an entry nor a void. */
export type StepLeaf = Exclude<Leaf, { type: 'entry' | 'void' }>

/** Creates the register of the shop with its first contest. */
export const createRegister = (trx: Trx, { host, key }: Pick<DrawsDeps, 'host' | 'key'>) =>
  drawLogsWrites(trx).create(REGISTER, registerOriginOf({ host, rehearsal: false }), key.verifierKey(host))

/** The host by which the register is named: that of the shop's first contest, by which witnesses know it. */
export async function registerHost(db: Sql): Promise<string | undefined> {
  const log = await drawLogsRepository(db).log(REGISTER)
  return log && hostOf(log)
}

/** Why nothing can be published at this moment; null when it can. Jobs look before they begin. */
export const registerHalt = (db: Sql): Promise<RegisterHalt | null> => registerRepository(db).halt()

/**
 * Appends leaves to the register.
 * @throws Refusal 409 while its witnesses contradict it, or have not been asked since the database was started: it may have
 * lost leaves, and what it signed then would contradict what it signed before
 */
export async function register(trx: Trx, { key }: KeyDeps, leaves: readonly string[]): Promise<void> {
  const log = (await drawLogsWrites(trx).lock(REGISTER))!
  const halt = await registerHalt(trx)
  if (halt === 'contradicted')
    throw new Refusal('register.contradicted', 409, 'consoleDraws.refusals.registerContradicted')
  if (halt === 'unasked') throw new Refusal('register.unasked', 409, 'consoleDraws.refusals.registerUnasked')
  await appendLeaves(trx, key, log, leaves)
}

/** Registers a locked log of a contest as it is, after leaves that say why. */
export async function registerLog(
  trx: Trx,
  deps: KeyDeps,
  { contest, log, root }: { contest: string; log: LockedLog; root?: Uint8Array },
  leaves: readonly string[] = [],
): Promise<void> {
  const hash = toHex(root ?? (await rootOfLog(trx, log)))
  await registerWrites(trx).noteLog(log.id, log.size)
  await register(trx, deps, [...leaves, logLeaf({ contest, size: log.size, root: hash })])
}

/** Appends a leaf that is neither an entry nor a void to a locked log, and what the register says of it. */
export async function appendStep(
  trx: Trx,
  deps: KeyDeps,
  log: LockedLog,
  leaf: StepLeaf,
  contest: string,
): Promise<{ log: LockedLog; time: number }> {
  const text = leafText(leaf, { contest, rehearsal: false })
  const appended = await appendLeaves(trx, deps.key, log, [text])
  const first = leaf.type === 'open' ? [termsLeaf({ contest, termsHash: leaf.termsHash })] : []
  await registerLog(trx, deps, { contest, ...appended }, isRegistered(leaf.type) ? [text] : first)
  return appended
}
