import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { runs } from './find.ts'
import { run, withRetries } from './run.ts'

const wrapperOf = (cache: string) => path.join(cache, 'chromium')

/** A browser that an earlier run has unpacked. */
export const unpackedBrowser = (cache: string): string | undefined => {
  const wrapper = wrapperOf(cache)
  return existsSync(wrapper) && runs(wrapper) ? wrapper : undefined
}

/**
 * Gets Debian's Chromium without any rights: apt downloads it, with what this machine lacks of its
 * libraries, into a private folder, where it is unpacked and started by a wrapper.
 * @param statusFile what dpkg has installed; other libraries are downloaded too
 */
export async function unpackPrivately(
  cache: string,
  statusFile = '/var/lib/dpkg/status',
): Promise<string | undefined> {
  if (spawnSync('apt-get', ['--version']).status !== 0) return undefined
  const draft = path.join(cache, 'draft')
  const tree = path.join(cache, 'tree')
  rmSync(draft, { recursive: true, force: true })
  for (const folder of ['lists/partial', 'archives/partial', 'tree'])
    mkdirSync(path.join(draft, folder), { recursive: true })
  console.log('Downloading Chromium for the tests into the project’s cache …')
  await download(draft, statusFile)
  for (const name of readdirSync(path.join(draft, 'archives')).filter((file) => file.endsWith('.deb'))) {
    await run('dpkg-deb', ['-x', path.join(draft, 'archives', name), path.join(draft, 'tree')])
  }
  rmSync(tree, { recursive: true, force: true })
  renameSync(path.join(draft, 'tree'), tree)
  rmSync(draft, { recursive: true, force: true })
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
    await run(
      'apt-get',
      [...common, 'install', '-y', '--no-install-recommends', '--download-only', 'chromium'],
      env,
    )
  })
}

const WRAPPER = `#!/bin/sh
tree=$(dirname "$0")/tree
export LD_LIBRARY_PATH="@LIBRARIES@"
export FONTCONFIG_FILE="$tree/fonts.conf"
export XDG_DATA_DIRS="$tree/usr/share:/usr/local/share:/usr/share"
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
  writeFileSync(path.join(tree, 'fonts.conf'), fontSettings(tree))
  const folders = [
    'usr/lib/*-linux-gnu*',
    'lib/*-linux-gnu*',
    'usr/lib/*-linux-gnu*/{nss,pulseaudio}',
    'usr/lib/chromium',
  ]
  const found = folders
    .flatMap((pattern) => globSync(pattern, { cwd: tree }))
    .map((folder) => `$tree/${folder}`)
  writeFileSync(wrapperOf(cache), WRAPPER.replace('@LIBRARIES@', found.join(':')))
  chmodSync(wrapperOf(cache), 0o755)
}
