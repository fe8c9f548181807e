import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const readProc = (file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

const isZombie = (pid: number): boolean => {
  const stat = readProc(`${pid}/stat`)
  // The state follows the program's name in brackets, which may itself have brackets.
  return stat !== undefined && stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'Z'
}

/** Also true for a zombie. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** False for a zombie. */
export const isAlive = (pid: number): boolean => processExists(pid) && !isZombie(pid)

/** Words are separated by spaces; empty when unknown. */
export function commandLine(pid: number): string {
  const fromProc = readProc(`${pid}/cmdline`)
  if (fromProc !== undefined) return fromProc.replaceAll('\0', ' ').trim()
  const run = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return run.status === 0 ? run.stdout.trim() : ''
}

export function listProcesses(): { pid: number; command: string }[] {
  try {
    const pids = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
    return pids.map((pid) => ({ pid, command: commandLine(pid) }))
  } catch {
    const run = spawnSync('ps', ['-ww', '-A', '-o', 'pid=,command='], { encoding: 'utf8' })
    return (run.stdout ?? '').split('\n').flatMap((line) => {
      const parts = /^\s*(\d+)\s+(.*)$/.exec(line)
      return parts ? [{ pid: Number(parts[1]), command: parts[2] ?? '' }] : []
    })
  }
}
