import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseHome } from './home.ts'
import { commandLine, isAlive, listProcesses } from './process-table.ts'
import { clusterName } from './settings.ts'
import { SOCKET_PORT } from './socket-folder.ts'

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
 * Removes the lock files of a server that is gone when they would keep PostgreSQL from starting, because
 * their number still stands in the process table: a zombie, or another program after a reboot or in a new
 * container. Never while any process of this cluster lives; a number that is free is left to PostgreSQL.
 */
export function clearStaleLocks(home: DatabaseHome, socketDir: string): boolean {
  const noted = readPidFile(home)
  if (noted && isAlive(noted.pid) && isServerOf(noted.pid, home)) return false
  const locks = [pidFile(home), path.join(socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`)]
  const stale = locks.flatMap((file) => {
    const pid = firstNumber(file)
    return pid !== undefined && processExists(pid) ? [{ file, pid }] : []
  })
  if (stale.length === 0 || hasProcesses(home)) return false
  return stale.map((lock) => removeLock(lock, home)).includes(true)
}

function removeLock({ file, pid }: { file: string; pid: number }, home: DatabaseHome): boolean {
  const aside = path.join(home.folder, `stale-${process.pid}.lock`)
  try {
    renameSync(file, aside)
  } catch {
    return false
  }
  // Between the look and the move another process may have started the server.
  const removed = firstNumber(aside) === pid
  if (removed) rmSync(aside)
  else renameSync(aside, file)
  return removed
}

/** Whether any process of the cluster lives, such as a child that outlives its killed server for a moment. */
export const hasProcesses = (home: DatabaseHome): boolean => {
  const name = clusterName(home)
  return listProcesses().some(({ pid, command }) => command.includes(name) && isAlive(pid))
}

const firstNumber = (file: string): number | undefined => {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10)
  } catch {
    return undefined
  }
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
    if (!isAlive(pid)) return true
    // A process that is just ending has no command line any more; one with another command has taken over the number.
    if (!existsSync(pidFile(home)) && commandLine(pid) !== '' && !isServerOf(pid, home)) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return !isAlive(pid)
}
