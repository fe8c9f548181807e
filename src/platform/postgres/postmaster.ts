import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseHome } from './home.ts'
import { commandLine, isAlive, listProcesses } from './process-table.ts'
import { clusterName } from './settings.ts'

/** What `postmaster.pid` says about the server of a cluster. */
export interface Postmaster {
  pid: number
  socketDir: string
  ready: boolean
}

const pidFile = (home: DatabaseHome) => path.join(home.cluster, 'postmaster.pid')

function readPidFile(home: DatabaseHome): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFile(home), 'utf8').split('\n')
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 0) return undefined
    return { pid, socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
  } catch {
    return undefined
  }
}

const isServerOf = (pid: number, home: DatabaseHome): boolean => {
  const command = commandLine(pid)
  return command.includes('postgres') && command.includes(home.cluster)
}

/** The running server of this cluster, or nothing. A process that merely reuses its number is not it. */
export function findPostmaster(home: DatabaseHome): Postmaster | undefined {
  const noted = readPidFile(home)
  return noted && isAlive(noted.pid) && isServerOf(noted.pid, home) ? noted : undefined
}

/**
 * Removes a pid file that would keep PostgreSQL from starting although its server is gone: its number
 * belongs to another program now (after a reboot or in a new container). Never while any process of this
 * cluster lives; a number that is free is left to PostgreSQL, which knows best.
 */
export function clearForeignPidFile(home: DatabaseHome): boolean {
  const noted = readPidFile(home)
  if (!noted || !processExists(noted.pid) || (isAlive(noted.pid) && isServerOf(noted.pid, home))) return false
  const name = clusterName(home)
  if (listProcesses().some(({ pid, command }) => isAlive(pid) && command.includes(name))) return false
  const aside = path.join(home.folder, `stale-${process.pid}.pid`)
  renameSync(pidFile(home), aside)
  const moved = Number.parseInt(readFileSync(aside, 'utf8'), 10)
  // Between the look and the move another process may have started the server.
  if (moved !== noted.pid) renameSync(aside, pidFile(home))
  else rmSync(aside)
  return moved === noted.pid
}

const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits until a server has ended; true when it did within `ms`. */
export async function waitForEnd(home: DatabaseHome, pid: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (performance.now() < until) {
    if (!isAlive(pid) || !existsSync(pidFile(home)) && !isServerOf(pid, home)) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return !isAlive(pid)
}
