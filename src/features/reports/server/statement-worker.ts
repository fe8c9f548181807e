import { constants, setPriority } from 'node:os'
import type { DateOrder } from '../statement.rules.ts'
import { type StatementFile, StatementFault, readStatement } from './statement-file.ts'

export interface StatementTask {
  file: Uint8Array
  order: DateOrder | undefined
}

export type StatementOutcome = StatementFile | Pick<StatementFault, 'fault' | 'shown'>

// Of this thread alone, so that requests come first; other systems would lower the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** Runs in a thread. A fault is data, since a thread passes on no class of ours. */
export function outcomeOf({ file, order }: StatementTask): StatementOutcome {
  try {
    return readStatement(file, order)
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error
    return { fault: error.fault, shown: error.shown }
  }
}
