import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isAlive } from '#platform/postgres/process-table.ts'

/** A process, told apart from a later one that got the same number. */
export interface ProcessIdentity {
  pid: number
  /** When it began, in whatever form the system tells it. */
  began: string
}

const beginOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    const run = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return run.stdout?.trim() || undefined
  }
}

export const identify = (pid: number): ProcessIdentity => ({ pid, began: beginOf(pid) ?? '' })

/** Whether this very process still runs. */
export const isSameAlive = ({ pid, began }: ProcessIdentity): boolean =>
  isAlive(pid) && beginOf(pid) === began
