import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { withNumberReplay } from '#features/tickets/server/index.ts'
import { type Invariant, readInvariants } from '#platform/invariants.ts'

const FILE = path.resolve(fileURLToPath(import.meta.url), '../../../../db/invariants.sql')

/** The promises of the shop: the statements of db/invariants.sql, and what only code can tell. */
export const readPromises = async (): Promise<Invariant[]> => withNumberReplay(await readInvariants(FILE))
