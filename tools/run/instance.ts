import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isAlive } from '#platform/postgres/process-table.ts'
import type { Ports } from './ports.ts'
import { PlainError, say } from './say.ts'
import { startWatchdog } from './watchdog.ts'

const END_MS = 20_000
const LOOK_MS = 1_000

/** A process, distinguished from a later one with the same number. */
interface ProcessIdentity {
  pid: number
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

const isSameAlive = ({ pid, began }: ProcessIdentity): boolean => isAlive(pid) && beginOf(pid) === began

/** npm and the bootstrap program, when they started us: see tools/bootstrap.mjs. */
const findLaunchers = (): ProcessIdentity[] =>
  (process.env.VOLANT_LAUNCHERS ?? '')
    .split(',')
    .filter(Boolean)
    .map((pid) => identify(Number(pid)))

/** Calls `onGone` when npm or the bootstrap program was killed. */
export function watchLaunchers(onGone: () => void): void {
  const launchers = findLaunchers()
  const look = setInterval(() => {
    if (launchers.every(isSameAlive)) return
    clearInterval(look)
    onGone()
  }, LOOK_MS)
  look.unref()
}

interface Instance {
  /** Inode of the data folder: a copy of it, made while the shop runs, describes the processes of the original. */
  folder: number
  starter: ProcessIdentity
  launchers: ProcessIdentity[]
  /** Where people open the shop. */
  address: string
  ports: Ports
  children: (ProcessIdentity & { name: string })[]
}

/**
 * The processes of this start, kept in the data folder. A kill -9 of this process ends them by its watchdog; the next start
 * recognises what was left running when that was killed as well.
 */
export interface InstanceFile {
  add(name: string, pid: number): void
  remove(pid: number): void
  /** Says where this start is reached. */
  announce(where: Pick<Instance, 'address' | 'ports'>): void
  clear(): void
}

/** The ports of the start that runs from a data folder now; undefined when none does. */
export function runningPorts(dataDir: string): Ports | undefined {
  const found = read(fileOf(dataDir))
  if (!found || found.folder !== statSync(dataDir).ino || !isSameAlive(found.starter)) return undefined
  return found.ports
}

const fileOf = (dataDir: string): string => path.join(dataDir, 'running.json')

/** Claims the data folder and ends leftover processes. @throws PlainError when Volant already runs from it */
export async function claimInstance(dataDir: string): Promise<InstanceFile> {
  const file = fileOf(dataDir)
  mkdirSync(dataDir, { recursive: true })
  const folder = statSync(dataDir).ino
  const found = read(file)
  const earlier = found?.folder === folder ? found : undefined
  if (earlier && isSameAlive(earlier.starter)) {
    if (!earlier.launchers.every(isSameAlive)) await endLeftover({ ...earlier.starter, name: 'shop' })
    else
      throw new PlainError(
        `Volant already runs from this folder, at ${earlier.address} (process ${earlier.starter.pid}). ` +
          'Stop it with Ctrl-C where it was started, or start a second shop with its own DATA_DIR, PORT and PAYPAL_PORT.',
      )
  }
  for (const child of earlier?.children ?? []) await endLeftover(child)

  const instance: Instance = {
    folder,
    starter: identify(process.pid),
    launchers: findLaunchers(),
    address: 'an address that is not known yet',
    ports: {},
    children: [],
  }
  const save = () => write(file, instance)
  save()
  const watchdog = startWatchdog()
  return {
    add: (name, pid) => {
      watchdog.add(pid)
      instance.children.push({ name, ...identify(pid) })
      save()
    },
    remove: (pid) => {
      watchdog.remove(pid)
      instance.children = instance.children.filter((child) => child.pid !== pid)
      try {
        save()
      } catch {
        // A full disk must not prevent the stop; the next start recognises a process that is gone.
      }
    },
    announce: (where) => {
      Object.assign(instance, where)
      save()
    },
    clear: () => {
      if (read(file)?.starter.pid === process.pid) rmSync(file, { force: true })
    },
  }
}

async function endLeftover(child: Instance['children'][number]): Promise<void> {
  if (!isSameAlive(child)) return
  say(`Ending the ${child.name} that an earlier start has left behind (process ${child.pid}).`)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(child.pid, signal)
    const until = performance.now() + END_MS
    while (isSameAlive(child) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50))
    if (!isSameAlive(child)) return
  }
  throw new PlainError(`Process ${child.pid}, the ${child.name} of an earlier start, does not end.`)
}

/** Signals a child and everything it has started; each child leads a group of its own. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const read = (file: string): Instance | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Instance
  } catch {
    return undefined
  }
}

function write(file: string, instance: Instance): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(instance), { mode: 0o644 })
  renameSync(draft, file)
}
