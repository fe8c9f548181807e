import { once } from 'node:events'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFile, chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

const PROGRAMS = ['debootstrap', 'ip', 'openssl']
/** Without a running systemd units are enabled and not started; a test starts them. */
const SYSTEMCTL = `#!/bin/sh
[ "$1" = reload ] && exit
for argument; do shift; [ "$argument" = --now ] || set -- "$@" "$argument"; done
exec /usr/bin/systemctl "$@"
`

/** Whether this account may make a bare machine, and what that needs is installed. */
export const canMakeMachines = (): boolean =>
  process.geteuid?.() === 0 && PROGRAMS.every((name) => spawnSync('which', [name]).status === 0)

/** Debian 12 as its installer leaves it, in a folder, with a network of its own. */
export interface BareMachine {
  root: string
  /** Where this test reaches the machine. */
  address: string
  /** Where the machine reaches this test. */
  ours: string
  /** Types lines as root, in /root. @throws Error with what they printed when one of them fails @returns what they printed */
  type(lines: readonly string[]): Promise<string>
  /** Types lines that install packages; as a package's services start only with systemd, none does. */
  install(lines: readonly string[]): Promise<string>
  /** Starts a program in the background. */
  start(command: string): ChildProcess
  /** Starts the services that `systemctl enable` has enabled, as their units say, with more variables. */
  startUnits(variables: Record<string, string>): Promise<void>
}

/** Makes a bare machine, which ends with the test. @param folder must be on a file system that takes devices */
export async function bareMachine(folder: string): Promise<BareMachine> {
  const root = path.join(folder, 'machine')
  const number = (process.pid % 200) + 20
  const [ours, address] = [`10.213.${number}.1`, `10.213.${number}.2`]
  const space = `volant-${process.pid}`
  const link = `v${process.pid}`
  const ip = (line: string): string => execFileSync('ip', line.split(' '), { encoding: 'utf8' })
  const mounted: string[] = []
  onTestFinished(async () => {
    const inside = spawnSync('ip', ['netns', 'pids', space], { encoding: 'utf8' }).stdout ?? ''
    for (const pid of inside.split(/\s+/).filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
    for (const one of mounted.toReversed()) spawnSync('umount', ['--lazy', one])
    spawnSync('ip', ['link', 'del', link])
    spawnSync('ip', ['netns', 'del', space])
  })
  execFileSync('debootstrap', ['--variant=minbase', '--include=systemd,ca-certificates', 'bookworm', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (const [kind, place] of [
    ['proc', 'proc'],
    ['tmpfs', 'dev/shm'],
    ['tmpfs', 'run'],
  ] as const) {
    const at = path.join(root, place)
    await mkdir(at, { recursive: true })
    execFileSync('mount', ['-t', kind, kind, at])
    mounted.push(at)
  }
  await writeFile(path.join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  await writeFile(path.join(root, 'usr/local/sbin/systemctl'), SYSTEMCTL, { mode: 0o755 })
  await writeFile(path.join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  await writeFile(path.join(root, 'etc/resolv.conf'), await readFile('/etc/resolv.conf'))
  ip(`netns add ${space}`)
  ip(`link add ${link} type veth peer name eth0 netns ${space}`)
  ip(`addr add ${ours}/30 dev ${link}`)
  ip(`link set ${link} up`)
  for (const line of ['link set lo up', `addr add ${address}/30 dev eth0`, 'link set eth0 up'])
    ip(`-n ${space} ${line}`)

  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_ALL: 'C.UTF-8',
    SYSTEMD_OFFLINE: '1',
  }
  const inRoot = ['chroot', root, '/usr/bin/env', '-C', '/root']
  const inNetwork = ['netns', 'exec', space, ...inRoot]
  // Partners of the machine may run in this process, which responds meanwhile.
  async function run(program: string, args: string[]): Promise<string> {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    if (status === 0) return stdout
    throw new Error(`${args.at(-1)}\nended with ${String(status)}:\n${stdout}${stderr}`)
  }

  const machine: BareMachine = {
    root,
    address,
    ours,
    type: (lines) => run('ip', [...inNetwork, 'sh', '-ec', lines.join('\n')]),
    install: (lines) =>
      run(inRoot[0]!, [...inRoot.slice(1), 'DEBIAN_FRONTEND=noninteractive', 'sh', '-ec', lines.join('\n')]),
    start(command) {
      return spawn('ip', [...inNetwork, 'sh', '-c', `exec ${command}`], {
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
      })
    },
    async startUnits(variables) {
      const enabled = await readdir(path.join(root, 'etc/systemd/system/multi-user.target.wants'))
      for (const name of enabled.filter((one) => one.startsWith('volant-')))
        machine.start(commandOf(await unit(root, name), variables))
    },
  }
  return machine
}

interface Unit {
  name: string
  /** The values of each setting, in order. */
  settings: Map<string, string[]>
}

/** Reads a unit, or the template of it, where administrators put them. */
async function unit(root: string, name: string): Promise<Unit> {
  const [, template, instance = ''] = /^([^@]+@?)(.*)\.service$/.exec(name)!
  const written = await readFile(path.join(root, 'etc/systemd/system', `${template}.service`), 'utf8')
  const settings = new Map<string, string[]>()
  for (const line of written.split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (key) settings.set(key, [...(settings.get(key) ?? []), value!.replaceAll('%i', instance)])
  }
  return { name, settings }
}

/** A shell's command that does what the unit says about accounts, folders, secrets and the program. */
function commandOf({ name, settings }: Unit, variables: Record<string, string>): string {
  const one = (key: string): string | undefined => settings.get(key)?.at(-1)
  const user = one('User') ?? 'root'
  const secrets = `/run/credentials/${name}`
  const lines = [`mkdir -p ${secrets}`]
  for (const folder of settings.get('StateDirectory') ?? [])
    lines.push(`mkdir -p /var/lib/${folder}`, `chown ${user}: /var/lib/${folder}`)
  for (const credential of settings.get('LoadCredentialEncrypted') ?? []) {
    const [id, file] = credential.split(':')
    lines.push(`systemd-creds decrypt --name=${id} ${file} - > ${secrets}/${id}`)
  }
  lines.push(
    `chown -R ${user}: ${secrets}`,
    `umask ${one('UMask') ?? '0022'}`,
    `cd ${one('WorkingDirectory') ?? '/'}`,
  )
  const values = [
    ...(settings.get('Environment') ?? []),
    ...Object.entries(variables).map(([key, value]) => `${key}=${value}`),
  ]
  const program = one('ExecStart')!.replaceAll('%d', secrets)
  const drop = user === 'root' ? '' : `setpriv --reuid=${user} --regid=${user} --init-groups --no-new-privs `
  lines.push(`exec env ${values.join(' ')} ${drop}${program}`)
  return `sh -ec '${lines.join('; ')}'`
}

/** Names of other machines that this one knows. */
export const knowHosts = async ({ root }: BareMachine, hosts: Record<string, string>): Promise<void> =>
  appendFile(
    path.join(root, 'etc/hosts'),
    Object.entries(hosts)
      .map(([name, address]) => `${address} ${name}\n`)
      .join(''),
  )

/** An authority for the names of a test, and one certificate for all of them. */
export async function authority(folder: string, names: readonly string[]) {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const at = (name: string): string => path.join(folder, name)
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=Authority of a test',
    '-days',
    '30',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
  )
  openssl('req', ...key, '-subj', `/CN=${names[0]}`, '-keyout', at('key.pem'), '-out', at('request.pem'))
  await writeFile(
    at('names'),
    `subjectAltName=${names.map((name) => `${/^[\d.]+$/.test(name) ? 'IP' : 'DNS'}:${name}`).join(',')}`,
  )
  openssl(
    'x509',
    '-req',
    '-in',
    at('request.pem'),
    '-CA',
    at('ca.pem'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-days',
    '30',
    '-extfile',
    at('names'),
    '-out',
    at('certificate.pem'),
  )
  const [ca, cert, privateKey] = await Promise.all(
    ['ca.pem', 'certificate.pem', 'key.pem'].map((name) => readFile(at(name), 'utf8')),
  )
  return { ca: ca!, cert: cert!, key: privateKey! }
}
