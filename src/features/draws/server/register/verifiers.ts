import { transact } from '#platform/transaction.ts'
import { verifierLeaf } from '#draw-protocol/register.ts'
import { REGISTER, drawLogsWrites } from '../draw-logs.repository.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { registerRepository } from './register.repository.ts'
import { register, registerHalt } from './register.ts'

/**
 * Registers the programs that check draws and that the register does not name last.
 * @param programs their hashes by their names
 * @returns false while there is no register, or it does not grow
 */
export const registerVerifiers = (
  deps: Pick<DrawsDeps, 'db' | 'key'>,
  programs: ReadonlyMap<string, string>,
): Promise<boolean> =>
  transact(deps.db, async (trx) => {
    if (!(await drawLogsWrites(trx).lock(REGISTER)) || (await registerHalt(trx)) !== null) return false
    const leaves: string[] = []
    for (const [name, hash] of programs)
      if ((await registerRepository(trx).verifierHash(name)) !== hash)
        leaves.push(verifierLeaf({ name, hash }))
    if (leaves.length > 0) await register(trx, deps, leaves)
    return true
  })

/** The job of a process: once, so that two releases that run at the same time do not take turns. */
export function verifierRegistration(
  deps: Pick<DrawsDeps, 'db' | 'key'>,
  read: () => Promise<ReadonlyMap<string, string>>,
): () => Promise<void> {
  let isDone = false
  return async () => {
    if (!isDone) isDone = await registerVerifiers(deps, await read())
  }
}
