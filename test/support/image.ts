import {
  type ChildProcess,
  type ExecFileSyncOptions,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** The account of the image's processes. */
export const ACCOUNT = 999

const NEEDED = ['buildah', 'debootstrap', 'unshare', 'setpriv']

/** Whether this machine can build and run images; on Debian: apt-get install -y buildah debootstrap. */
export const hasImages = (): boolean =>
  process.geteuid?.() === 0 &&
  NEEDED.every((program) => spawnSync(program, ['--version']).error === undefined)

/** The machine's own trust, which a registry behind a proxy may need. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/** What a process in a container sees of the machine. */
const OF_THE_MACHINE = ['/etc/hosts', '/etc/resolv.conf']
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom']

/**
 * Mounts the root of an image as engines of containers do and becomes its program: the root can only be read, DATA_DIR and
 * /tmp are in memory, the program is the first process of its own, and the account has no rights.
 */
const AS_CONTAINER = `
root=$1 mounts=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs dev "$root/dev"
for device in ${DEVICES.join(' ')}; do : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
for file in ${OF_THE_MACHINE.join(' ')}; do mount --bind "$file" "$root$file"; done
mount -t tmpfs -o uid=${ACCOUNT},gid=${ACCOUNT},mode=0700 data "$root/data"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
for pair in $mounts; do mount --bind "\${pair%%:*}" "$root\${pair#*:}"; done
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs -- "$@"
`

/** The configuration of an image that an engine goes by. */
interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  StopSignal: string
  Volumes: Record<string, object>
  Healthcheck: { Test: string[] }
}

export interface RunOptions {
  env?: Record<string, string>
  args?: readonly string[]
  entrypoint?: readonly string[]
  /** Folders of the machine by their places in the container. */
  mounts?: Record<string, string>
}

/** Images in a folder of their own, which nothing else of the machine sees. */
export function openImages(folder: string) {
  const store = ['--root', `${folder}/images`, '--runroot', `${folder}/run`, '--storage-driver', 'vfs']
  const buildah = (args: readonly string[], cwd = folder): string =>
    execFileSync('buildah', [...store, ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim()

  return {
    /** A Debian with Node and npm, in the place of the images that Containerfile names. @returns its root */
    makeBase(name: string, packages: readonly string[]): string {
      const base = path.join(folder, name)
      const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] }
      execFileSync('debootstrap', ['--variant=minbase', 'trixie', base], quiet)
      cpSync('/etc/resolv.conf', path.join(base, 'etc/resolv.conf'))
      const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'ca-certificates', ...packages]
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' }
      execFileSync('chroot', [base, ...install], { ...quiet, env })
      if (existsSync(AUTHORITIES)) cpSync(AUTHORITIES, path.join(base, AUTHORITIES))
      const container = buildah(['from', 'scratch'])
      buildah(['add', container, base, '/'])
      buildah(['config', '--env', `NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, container])
      buildah(['commit', '--rm', container, `localhost/${name}`])
      return base
    },

    /** Runs a `docker build` of the documents, with the base of this machine. */
    build(command: string, base: string): void {
      const given = command.replace(/^docker build /, '').split(' ')
      const settings = path.join(os.homedir(), '.npmrc')
      buildah(
        [
          'build',
          '--isolation=chroot',
          '--network=host',
          '--layers=false',
          '--format=docker',
          ...['BUILDER', 'BASE'].map((name) => `--build-arg=${name}=localhost/${base}`),
          ...(existsSync(settings) ? [`--secret=id=npmrc,src=${settings}`] : []),
          ...given,
        ],
        root,
      )
    },

    /** Size in bytes, and what an engine goes by. */
    inspect(image: string): { config: ImageConfig; bytes: number } {
      const { Docker } = JSON.parse(buildah(['inspect', '--type', 'image', image])) as {
        Docker: { config: ImageConfig }
      }
      const listed = JSON.parse(buildah(['images', '--json', image])) as [{ size: string }]
      const [, amount = '', unit = ''] = /^([\d.]+) (\w+)$/.exec(listed[0].size) ?? []
      return { config: Docker.config, bytes: Number(amount) * (unit === 'MB' ? 1e6 : Number.NaN) }
    },

    /** The files of an image. @returns their root, in which engines would mount what `run` mounts */
    mount(image: string): string {
      const files = buildah(['mount', buildah(['from', '--pull-never', image])])
      for (const place of ['proc', 'dev', 'run/secrets', 'backup'])
        mkdirSync(path.join(files, place), { recursive: true })
      for (const file of OF_THE_MACHINE) if (!existsSync(files + file)) cpSync('/dev/null', files + file)
      return files
    },

    /** Runs a container of the mounted files as the image says. */
    run(files: string, config: ImageConfig, { env = {}, args, entrypoint, mounts = {} }: RunOptions = {}) {
      const [user, group] = config.User.split(':')
      const own = config.Env.filter((pair) => !(pair.split('=', 1)[0]! in env))
      const settings = [...own, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
      const binds = Object.entries(mounts).map(([place, from]) => `${from}:${place}`)
      const program = [...(entrypoint ?? config.Entrypoint), ...(args ?? config.Cmd)]
      const apart = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
      const place = [`--root=${files}`, `--wd=${config.WorkingDir}`, `--setgid=${group}`, `--setuid=${user}`]
      // The program is searched for by the PATH of the image once its root is the root.
      const inside = ['env', '-i', ...settings, '/usr/bin/unshare', ...place, '--', ...program]
      const mounted = ['sh', '-ec', AS_CONTAINER, 'sh', files, binds.join(' '), ...inside]
      const child: ChildProcess = spawn('unshare', [...apart, '--', ...mounted], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (part: Buffer) => void (output += part.toString()))
      const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
      /** The first process of the container, seen from the machine; 0 before there is one and after it. */
      const first = (): number => {
        try {
          return Number.parseInt(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')) || 0
        } catch {
          return 0
        }
      }
      const signal = (name: NodeJS.Signals): void => {
        if (first() > 0) process.kill(first(), name)
      }
      return {
        ended,
        output: (): string => output,
        first,
        /** As an engine stops a container. */
        stop: async (): Promise<number | null> => {
          signal(config.StopSignal as NodeJS.Signals)
          return ended
        },
        /** With the first process all others of the container end. */
        kill: () => signal('SIGKILL'),
      }
    },

    /** Removes the containers, whose files may be mounted. */
    close(): void {
      spawnSync('buildah', [...store, 'umount', '--all'])
      spawnSync('buildah', [...store, 'rm', '--all'])
    },
  }
}
