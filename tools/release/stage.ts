import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { NODE_PACKAGE } from '../bootstrap/installation.mjs'
import { fits } from '../bootstrap/lock-platforms.mjs'
import { LIST } from '../bootstrap/whole-release.mjs'
import { type Kind, type Lock, releaseLock, releaseManifest } from './packages.ts'
import { SBOM, sbomOf } from './sbom.ts'

/** What a release takes of a checkout. */
const CONTENT = [
  '.npmrc',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'build',
  'db',
  'deploy',
  'docs',
  'emulators',
  'public',
  'src',
  'tools',
]

/** Tests. */
const LEFT_OUT = /\.test(?:-[a-z-]+)?\.(?:[jt]sx?|mjs)$|(?:^|\/)__screenshots__\//
/** What an operator of containers has made in this checkout. */
const OPERATORS = /^deploy\/[^/]+\/(?:secrets|backup|settings\.env)(?:\/|$)/
/** Files of a package for its readers and builders: sources in TypeScript, which Node loads from no package, and texts. */
const FOR_READERS = /\.(?:map|[cm]?ts|md)$/i
const LICENCE = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i
/** Folders at the top of a package that its users do not load; those of Node are its headers and manuals. */
const UNUSED =
  /node_modules\/(?:@[^/]+\/)?[^/]+\/(?:\.[^/]+|tests?|docs|examples|benchmarks?)(?:\/|$)|^node_modules\/node-[\w-]+\/(?:include|share)(?:\/|$)/

/** Whether a release takes a file of the checkout. */
export const isReleased = (file: string): boolean => !LEFT_OUT.test(file) && !OPERATORS.test(file)

/** Whether a release takes a file of an installed package: what its users load, and its licence. */
export const isLoaded = (file: string): boolean =>
  !UNUSED.test(file) && (!FOR_READERS.test(file) || LICENCE.test(file))

const readJson = <Shape>(file: string): Shape => JSON.parse(readFileSync(file, 'utf8')) as Shape

/** Puts a release together in the empty folder `stage`. @returns names and sizes of its files, in order */
export function stageRelease(
  projectDir: string,
  stage: string,
  release: string,
  kind: Kind,
): Record<string, number> {
  const copy = (name: string, isWanted: (file: string) => boolean): void =>
    cpSync(path.join(projectDir, name), path.join(stage, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => isWanted(path.relative(projectDir, file)),
    })
  const write = (name: string, content: unknown): void =>
    writeFileSync(path.join(stage, name), `${JSON.stringify(content, null, 2)}\n`)

  for (const name of CONTENT) copy(name, isReleased)
  removeTypes(stage)
  const manifest = readJson<Record<string, unknown>>(path.join(projectDir, 'package.json'))
  const lock = releaseLock(readJson<Lock>(path.join(projectDir, 'package-lock.json')), kind)
  write('package.json', releaseManifest(manifest, release, kind))
  write('package-lock.json', lock)

  // Only what is installed, of what the lock names for every system; npm 9 installs both C libraries' packages.
  const places = Object.keys(lock.packages).filter(
    (place) => place && existsSync(path.join(projectDir, place)) && fits(lock.packages[place]!),
  )
  for (const place of places) {
    const inner = `${place}/node_modules`
    copy(place, (file) => file !== inner && isLoaded(file))
  }
  const { packages, ...rest } = lock
  const installed = Object.fromEntries(places.map((place) => [place, packages[place]]))
  write('node_modules/.package-lock.json', { ...rest, packages: installed })
  copyPrograms(projectDir, stage)
  write(SBOM, sbomOf(stage, release))

  const files = Object.fromEntries(
    readdirSync(stage, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(stage, path.join(entry.parentPath, entry.name)))
      .toSorted()
      .map((name) => [name, statSync(path.join(stage, name)).size]),
  )
  writeFileSync(path.join(stage, LIST), JSON.stringify({ release, files }))
  return files
}

/** What runs needs no compiler then (src/platform/without-types.mjs). Lines and columns stay. */
export function removeTypes(stage: string): void {
  for (const name of readdirSync(stage, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(stage, name)
    if (name.endsWith('.ts')) writeFileSync(file, stripTypeScriptTypes(readFileSync(file, 'utf8')))
  }
}

/** The links of node_modules/.bin whose packages came along. */
function copyPrograms(projectDir: string, stage: string): void {
  const bin = 'node_modules/.bin'
  mkdirSync(path.join(stage, bin), { recursive: true })
  for (const name of readdirSync(path.join(projectDir, bin))) {
    const link = path.join(projectDir, bin, name)
    if (!lstatSync(link).isSymbolicLink()) continue
    const target = readlinkSync(link)
    if (name !== 'node' && existsSync(path.join(stage, bin, target)))
      symlinkSync(target, path.join(stage, bin, name))
  }
  // The npm of Debian 13 makes no link for it.
  const node = path.relative('node_modules', NODE_PACKAGE)
  if (existsSync(path.join(stage, NODE_PACKAGE)))
    symlinkSync(`../${node}/bin/node`, path.join(stage, bin, 'node'))
}
