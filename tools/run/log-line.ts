const LEVELS = new Map([
  [10, 'trace'],
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'fatal'],
])
/** Of use to programs that read the log, and noise to a person. */
const HIDDEN = new Set(['level', 'time', 'msg', 'roles', 'reqId', 'pid', 'hostname', 'err'])

/** One line of the shop's log as a person reads it; any other line stays as it is. */
export function readable(line: string): string {
  const entry = parse(line)
  if (!entry) return line
  const level = LEVELS.get(entry.level) ?? String(entry.level)
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
