import { mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'

export type WriteLine = (line: string, source: 'stdout' | 'stderr') => void

/** Names of the levels 10, 20 … 60. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']
const WARN = 40
/** Of use to programs that read the log, and noise to a person. */
const HIDDEN = new Set(['level', 'time', 'msg', 'roles', 'reqId', 'pid', 'hostname', 'err'])

/** Prints every line with the program's name: readable at a terminal, unchanged into a file or a service's journal. */
export const printEverything =
  (name: string): WriteLine =>
  (line, source) => {
    const target = process[source]
    target.write(labelled(name, target.isTTY ? readable(line) : line))
  }

/**
 * Writes every line into `<folder>/<name>.log`, and prints warnings, errors and standard error. Keeps the log of the start
 * before as `<name>.previous.log`.
 */
export function logToFile(name: string, folder: string): WriteLine {
  const file = path.join(folder, `${name}.log`)
  mkdirSync(folder, { recursive: true })
  rmSync(path.join(folder, `${name}.previous.log`), { force: true })
  try {
    renameSync(file, path.join(folder, `${name}.previous.log`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const log = openSync(file, 'a', 0o600)
  let isWritten = true
  return (line, source) => {
    try {
      writeSync(log, `${line}\n`)
      isWritten = true
    } catch (error) {
      // Such as a full disk, which must not end the start.
      if (isWritten)
        process.stderr.write(labelled(name, `The log ${file} is not written: ${reasonOf(error)}`))
      isWritten = false
    }
    const level = parse(line)?.level
    if (level === undefined ? source === 'stderr' : level >= WARN)
      process.stderr.write(labelled(name, readable(line)))
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const labelled = (name: string, line: string): string => `${name.padEnd(8)} | ${line}\n`

/** One line of the shop's log as a person reads it; any other line stays as it is. */
export function readable(line: string): string {
  const entry = parse(line)
  if (!entry) return line
  const level = LEVELS[entry.level / 10 - 1] ?? String(entry.level)
  const time = new Date(entry.time).toTimeString().slice(0, 8)
  const fields = Object.entries(entry)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const error = entry.err ? [`\n${entry.err.stack ?? entry.err.message ?? ''}`] : []
  return [time, level.padEnd(5), entry.msg, ...fields, ...error].join(' ')
}

interface LogEntry {
  level: number
  time: number
  msg: string
  err?: { message?: string; stack?: string }
}

function parse(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const entry = JSON.parse(line) as Partial<LogEntry>
    const isEntry = typeof entry.level === 'number' && typeof entry.time === 'number'
    return isEntry ? ({ ...entry, msg: entry.msg ?? '' } as LogEntry) : undefined
  } catch {
    return undefined
  }
}
