/** Finds a Chromium for the tests, or gets one: `node tools/chromium.ts` prints its path. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** How every Chromium of tests and tools is started: as root, without a graphics card, and calling nobody. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const SHELL_NAME = 'chromium-headless-shell'

/** Whether a program responds like a browser; a wrapper of a browser that is not installed does not. */
function runs(program: string): boolean {
  const run = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  return run.status === 0 && /\b(Chromium|Chrome)\b.*\d+\./.test(run.stdout)
}

const findInstalled = (searchPath = ''): string | undefined => find(NAMES, searchPath)

/** The headless shell on PATH, which is faster than Chromium and has no back/forward cache. */
export const findShell = (searchPath = ''): string | undefined => find([SHELL_NAME], searchPath)

function find(names: readonly string[], searchPath: string): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(runs)
}

const cacheFolder = path.resolve(import.meta.dirname, '../.cache/chromium')

/**
 * Path of a Chromium that runs: CHROME_PATH, on PATH, or unpacked earlier; else it is installed with apt, or unpacked into
 * the project's cache. @throws Error with what to do when none of it works
 */
export async function ensureChromium(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.CHROME_PATH) {
    if (runs(env.CHROME_PATH)) return env.CHROME_PATH
    throw new Error(`CHROME_PATH names ${env.CHROME_PATH}, which does not run. Correct it or leave it out.`)
  }
  const found = findInstalled(env.PATH) ?? unpackedBrowser(cacheFolder)
  if (found) return found
  const faults: string[] = []
  for (const get of [() => installWithApt(env), () => unpackPrivately(cacheFolder)]) {
    try {
      const got = await get()
      if (got) return got
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(
    'The tests need a Chromium, and none could be installed here. Install Chromium or Google Chrome and set ' +
      ['CHROME_PATH to its program.', ...faults.map((fault) => `  - ${fault}`)].join('\n'),
  )
}

/** Gets the headless shell where apt has it and can install it, for the speed of the tests; they run without it, too. */
export async function tryToGetShell(env: NodeJS.ProcessEnv): Promise<void> {
  if (findShell(env.PATH)) return
  try {
    await install('Chromium’s headless shell', SHELL_NAME)
  } catch {
    console.log('There is no headless shell of Chromium here: the tests in the browser take longer.')
  }
}

async function installWithApt(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // A bare machine has no font at all, and Chromium then shows pages without words.
  await install('Chromium', 'chromium', 'fonts-liberation')
  return findInstalled(env.PATH)
}

/** Installs packages with apt, as root or through a sudo that asks nothing; does nothing when neither is possible. */
async function install(what: string, ...packages: string[]): Promise<void> {
  if (spawnSync('apt-get', ['--version']).status !== 0) return
  const isRoot = process.geteuid?.() === 0
  if (!isRoot && spawnSync('sudo', ['-n', 'true']).status !== 0) return
  const apt = (...args: string[]) => {
    const options = ['-q', '-o', 'DPkg::Lock::Timeout=120']
    const command = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...options, ...args]
    return isRoot ? run('env', command) : run('sudo', ['-n', 'env', ...command])
  }
  console.log(`Installing ${what} for the tests with apt-get …`)
  await withRetries(async () => {
    await apt('update')
    await apt('install', '-y', '--no-install-recommends', ...packages)
  })
}

function run(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program}: ${error.message}`)))
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args.join(' ')} failed with code ${code}`)),
    )
  })
}

/** Tries again after 2 and 4 seconds: mirrors hiccup, and another apt may hold its lock. */
async function withRetries(work: () => Promise<void>): Promise<void> {
  for (const pause of [2_000, 4_000]) {
    try {
      return await work()
    } catch (error) {
      console.log(`${error instanceof Error ? error.message : String(error)}; trying again …`)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return work()
}

const wrapperOf = (cache: string) => path.join(cache, 'chromium')

const unpackedBrowser = (cache: string): string | undefined => {
  const wrapper = wrapperOf(cache)
  return fs.existsSync(wrapper) && runs(wrapper) ? wrapper : undefined
}

/** Downloads Debian's Chromium and missing libraries with apt into a private folder, where a wrapper starts it. */
async function unpackPrivately(
  cache: string,
  statusFile = '/var/lib/dpkg/status',
): Promise<string | undefined> {
  if (spawnSync('apt-get', ['--version']).status !== 0) return undefined
  const draft = path.join(cache, 'draft')
  const tree = path.join(cache, 'tree')
  fs.rmSync(draft, { recursive: true, force: true })
  for (const folder of ['lists/partial', 'archives/partial', 'tree'])
    fs.mkdirSync(path.join(draft, folder), { recursive: true })
  console.log('Downloading Chromium for the tests into the project’s cache …')
  await download(draft, statusFile)
  for (const name of fs.readdirSync(path.join(draft, 'archives')).filter((file) => file.endsWith('.deb'))) {
    await run('dpkg-deb', ['-x', path.join(draft, 'archives', name), path.join(draft, 'tree')])
  }
  fs.rmSync(tree, { recursive: true, force: true })
  fs.renameSync(path.join(draft, 'tree'), tree)
  fs.rmSync(draft, { recursive: true, force: true })
  writeWrapper(cache, tree)
  if (runs(wrapperOf(cache))) return wrapperOf(cache)
  throw new Error(`the Chromium unpacked into ${cache} does not run`)
}

function download(folder: string, statusFile: string): Promise<void> {
  const options = {
    'Dir::State::Lists': path.join(folder, 'lists'),
    'Dir::State::status': statusFile,
    'Dir::Cache': folder,
    'Dir::Cache::archives': path.join(folder, 'archives'),
    'Dir::Log': folder,
    // Its own folders need no lock, and the system's lock is root's.
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Retries': '3',
  }
  const common = ['-q', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return withRetries(async () => {
    await run('apt-get', [...common, 'update'], env)
    const install = ['install', '-y', '--no-install-recommends', '--download-only', 'chromium']
    await run('apt-get', [...common, ...install], env)
  })
}

const WRAPPER = `#!/bin/sh
tree=$(dirname "$0")/tree
LD_LIBRARY_PATH="@LIBRARIES@"
FONTCONFIG_FILE="$tree/fonts.conf"
XDG_DATA_DIRS="$tree/usr/share:/usr/local/share:/usr/share"
# Its setuid sandbox needs root to install.
exec "$tree/usr/lib/chromium/chromium" --no-sandbox "$@"
`

/** The machine's own fonts, and those that came along for one that has none. */
const fontSettings = (tree: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${tree.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

function writeWrapper(cache: string, tree: string): void {
  fs.writeFileSync(path.join(tree, 'fonts.conf'), fontSettings(tree))
  const folders = [
    'usr/lib/*-linux-gnu*',
    'lib/*-linux-gnu*',
    'usr/lib/*-linux-gnu*/{nss,pulseaudio}',
    'usr/lib/chromium',
  ]
  const globs = folders.flatMap((pattern) => fs.globSync(pattern, { cwd: tree }))
  const found = globs.map((folder) => `$tree/${folder}`)
  fs.writeFileSync(wrapperOf(cache), WRAPPER.replace('@LIBRARIES@', found.join(':')))
  fs.chmodSync(wrapperOf(cache), 0o755)
}

if (import.meta.main) {
  try {
    console.log(await ensureChromium(process.env))
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
