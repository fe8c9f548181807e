import { spawn } from 'node:child_process'

/**
 * Reads `+ pid` and `- pid`. Once nobody can write any more, it ends the process groups that are left, the newest first:
 * the shop needs the emulator while it finishes. The last user of the embedded database stops that as well.
 */
const SCRIPT = `
pids=
while read -r sign pid; do
  if [ "$sign" = + ]; then pids="$pid $pids"; continue; fi
  kept=
  for one in $pids; do [ "$one" = "$pid" ] || kept="$kept $one"; done
  pids=$kept
done
for pid in $pids; do
  kill -s TERM -- "-$pid" 2> /dev/null || continue
  tries=0
  while [ "$tries" -lt "$1" ] && kill -s 0 -- "-$pid" 2> /dev/null; do sleep 0.1; tries=$((tries + 1)); done
  kill -s KILL -- "-$pid" 2> /dev/null
done
`
const TENTHS_OF_A_SECOND = '200'

interface Watchdog {
  add(pid: number): void
  remove(pid: number): void
}

/** A process that ends the children of this one when this one is killed with -9. It ends with this one. */
export function startWatchdog(): Watchdog {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', TENTHS_OF_A_SECOND], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without it, the next start ends what is left.
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  const tell = (line: string): void => void child.stdin.write(`${line}\n`)
  return { add: (pid) => tell(`+ ${pid}`), remove: (pid) => tell(`- ${pid}`) }
}
