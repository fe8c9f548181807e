import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bareEnvironment, projectDir } from '../testbed/program.ts'
import { HUB, type Place } from './settings.ts'

const BRIDGE = 'volant0'
const run = promisify(execFile)

/** Runs a program of the system. @returns what it prints @throws with what it says */
export const system = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** A switch in our own network namespace, which no other program of the machine sees. */
export function layNetwork(): void {
  system('ip', 'link', 'set', 'lo', 'up')
  system('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
  system('ip', 'addr', 'add', `${HUB.address}/24`, 'dev', BRIDGE)
  system('ip', 'link', 'set', BRIDGE, 'up')
}

/** A program of a machine: its output goes to a file of its name. */
export interface MachineProgram {
  name: string
  command: readonly string[]
  env: Record<string, string>
  /** Account that it runs as; root when left out. */
  user?: string
}

interface MachineOptions extends Place {
  /** Folder for logs. */
  folder: string
  /** Folders of ours that it sees in these places. */
  mounts: Record<string, string>
  programs: readonly MachineProgram[]
  /** Folders that are empty at each start, as all of /run is. */
  empty?: readonly string[]
  /** Settings of its kernel. */
  sysctl?: string
}

/** A machine: namespaces for network, processes and mounts. All of it ends with its first process. */
export class Machine {
  readonly name: string
  readonly address: string
  readonly #options: MachineOptions
  #process: ChildProcess | undefined

  constructor(options: MachineOptions) {
    this.name = options.name
    this.address = options.address
    this.#options = options
  }

  async start(): Promise<void> {
    const { folder, mounts, programs, address, empty = [], sysctl } = this.#options
    const log = path.join(folder, `${this.name}.log`)
    const binds = Object.entries(mounts).map(([target, source]) => {
      mkdirSync(source, { recursive: true })
      return `mkdir -p ${target} && mount --bind ${source} ${target}`
    })
    const script = [
      'set -e',
      ...binds,
      ...empty.map((target) => `mkdir -p ${target} && mount -t tmpfs -o mode=1777 tmpfs ${target}`),
      ...(sysctl ? [`sysctl --quiet --load=${sysctl}`] : []),
      `until ip addr show eth0 2>/dev/null | grep -q ${address}/; do sleep 0.05; done`,
      'set +e',
      ...programs.map(
        (one) => `${commandOf(one)} >>${path.join(folder, `${this.name}-${one.name}.log`)} 2>&1 &`,
      ),
      'wait',
    ]
    const namespaces = ['--net', '--pid', '--mount', '--fork', '--kill-child', '--mount-proc']
    const output = openSync(log, 'a')
    const child = spawn('unshare', [...namespaces, 'sh', '-c', script.join('\n')], {
      cwd: projectDir,
      env: { ...bareEnvironment(), HOME: '/root' },
      stdio: ['ignore', output, output],
    })
    this.#process = child
    const ours = readlinkSync('/proc/self/ns/net')
    while (readlinkSync(`/proc/${child.pid}/ns/net`) === ours) await sleep(5)
    this.#connect(String(child.pid))
  }

  #connect(pid: string): void {
    const cable = `volant-${this.name}`
    system('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid)
    system('ip', 'link', 'set', cable, 'master', BRIDGE, 'up')
    this.inside('ip', 'link', 'set', 'lo', 'up')
    this.inside('ip', 'link', 'set', 'eth0', 'up')
    this.inside('ip', 'addr', 'add', `${this.address}/24`, 'dev', 'eth0')
  }

  /** Starts a program again that has ended. */
  startProgram(name: string): void {
    const log = path.join(this.#options.folder, `${this.name}-${name}.log`)
    const line = `cd ${projectDir} && ${commandOf(this.#programOf(name))} >>${log} 2>&1`
    spawn('nsenter', [...this.#entrance(), 'sh', '-c', line], { stdio: 'ignore' })
  }

  /** Runs a command as a person logged in there would, with the environment of one of its programs. @returns what it prints */
  async runAs(name: string, ...command: string[]): Promise<string> {
    const line = commandOf({ ...this.#programOf(name), command })
    return (await run('nsenter', [...this.#entrance(), 'sh', '-c', line])).stdout
  }

  #programOf(name: string): MachineProgram {
    const one = this.#options.programs.find((each) => each.name === name)
    if (!one) throw new Error(`${this.name} has no ${name}`)
    return one
  }

  #entrance(): string[] {
    const [init = ''] = system('pgrep', '--parent', String(this.#process?.pid)).trim().split('\n')
    return ['--target', init, '--all']
  }

  /** Runs a program in its network. */
  inside(...command: string[]): string {
    return system('nsenter', '--target', String(this.#process?.pid), '--net', ...command)
  }

  /** kill -9 of all of it. The cable is pulled first: nobody is told that connections end, as when the power fails. */
  async kill(): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    system('ip', 'link', 'set', `volant-${this.name}`, 'down')
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    // The kernel would take it away with the namespace, a moment later; it may have done so.
    spawnSync('ip', ['link', 'delete', `volant-${this.name}`])
  }

  /** Nothing comes in and nothing goes out, of all machines or of those, and nobody is told. */
  cutOff(from?: readonly Place[]): void {
    const drop = (...rule: string[]) => this.inside('iptables', '-A', ...rule, '-j', 'DROP')
    if (!from) {
      drop('INPUT', '!', '-i', 'lo')
      drop('OUTPUT', '!', '-o', 'lo')
    }
    for (const { address } of from ?? []) {
      drop('INPUT', '-s', address)
      drop('OUTPUT', '-d', address)
    }
  }

  reconnect(): void {
    this.inside('iptables', '-F')
  }

  /** Sends a signal to every program of it. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of this.#pids()) process.kill(pid, signal)
  }

  /** Sends a signal to the programs whose command has this word. */
  signalTo(word: string, signal: NodeJS.Signals): void {
    for (const pid of this.#pids())
      if (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          .split('\0')
          .some((part) => path.basename(part) === word)
      )
        process.kill(pid, signal)
  }

  #pids(): number[] {
    const own = readlinkSync(`/proc/${this.#process?.pid}/ns/net`)
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return pid !== this.#process?.pid && readlinkSync(`/proc/${pid}/ns/net`) === own
        } catch {
          // It ended meanwhile.
          return false
        }
      })
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function commandOf({ command, env, user }: MachineProgram): string {
  const settings = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`))
  const account = user ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'] : []
  return [...account, 'env', ...settings, ...command.map(quoted)].join(' ')
}
