import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** Ticks a second of /proc on Linux, whatever the kernel's own rate. */
const TICKS = 100

interface Times {
  parent: number
  seconds: number
  /** Of children that have ended. */
  ended: number
}

/** Fields of /proc/PID/stat after the name, which may contain anything but ends with the last parenthesis. */
function timesOf(pid: number | string): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const at = (index: number): number => Number(fields[index])
    return { parent: at(1), seconds: (at(11) + at(12)) / TICKS, ended: (at(13) + at(14)) / TICKS }
  } catch {
    // It ended meanwhile.
    return undefined
  }
}

/** Seconds of processor time a process has used. */
export const processSeconds = (pid: number | undefined): number => timesOf(pid ?? 0)?.seconds ?? 0

/** The same of a database server: the process that its folder names, and all of that one's children. */
export function serverSeconds(dataFolder: string): number {
  const server = Number(readFileSync(path.join(dataFolder, 'cluster/postmaster.pid'), 'utf8').split('\n')[0])
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times?.parent === server)
  const own = timesOf(server)
  return (own?.seconds ?? 0) + (own?.ended ?? 0) + children.reduce((sum, one) => sum + (one?.seconds ?? 0), 0)
}
