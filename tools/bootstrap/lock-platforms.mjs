/**
 * `npm run lock:platforms`: completes package-lock.json for other systems than this one. npm leaves an optional package
 * out when the registry does not respond for it, and `npm ci` then refuses the whole lock file. The checksums that are
 * missing come from the registry; a package that it does not have stays without one, and `npm start` and `npm test`
 * refuse to install it.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** Where Node finds `name` for the package in `folder`: there or in a folder above. */
export function findPackage(packages, folder, name) {
  for (let place = folder; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const candidate = `${place === '' ? '' : `${place}/`}node_modules/${name}`
    if (packages[candidate]) return candidate
    if (place === '') return undefined
  }
}

/** Optional packages that the lock file asks for and does not have. */
export const missingPackages = ({ packages }) =>
  Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !findPackage(packages, parent, name))
      .map(([name, version]) => ({ name, version, parent })),
  )

/** The systems of a package by its name, such as `@oxlint/binding-linux-arm-musleabihf`. */
function platformOf(name) {
  const words = name.split(/[/-]/)
  const [os, cpu] = [SYSTEMS, PROCESSORS].map((known) => words.filter((word) => known.includes(word)))
  const libc = words.flatMap((word) =>
    word.startsWith('musl') ? ['musl'] : word.startsWith('gnu') ? ['glibc'] : [],
  )
  return { os, cpu, libc: os.includes('linux') ? libc : [] }
}

/** @throws for a package whose version or system is unknown */
export function completeLock(lock) {
  const packages = { ...lock.packages }
  for (const { name, version, parent } of missingPackages(lock)) {
    const { os, cpu, libc } = platformOf(name)
    if (!/^\d+\.\d+\.\d+$/.test(version) || os.length + cpu.length === 0)
      throw new Error(
        `Which ${name} (${version}) is meant, and for which system? Add it to package-lock.json.`,
      )
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu.length > 0 && { cpu }),
      ...(lock.packages[parent].dev && { dev: true }),
      ...(libc.length > 0 && { libc }),
      optional: true,
      ...(os.length > 0 && { os }),
    }
  }
  const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  return { ...lock, packages: Object.fromEntries(sorted) }
}

const libcOf = () => {
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

/** @returns {{ os: string, cpu: string, libc?: string }} */
const thisMachine = () => ({
  os: process.platform,
  cpu: process.arch,
  ...(process.platform === 'linux' && { libc: libcOf() }),
})

/** Whether a package of the lock file is for a machine, by default this one. */
export const fits = (entry, machine = thisMachine()) =>
  Object.entries(machine).every(([kind, value]) => !entry[kind] || entry[kind].includes(value))

/** Packages without a checksum; with a machine, by default this one, only those that npm installs there. */
export function uncheckedPackages(packages, machine = thisMachine()) {
  return Object.entries(packages)
    .filter(([place, entry]) => place !== '' && !entry.integrity && fits(entry, machine))
    .map(([place, { version, dev }]) => ({
      place,
      name: place.replace(/^.*node_modules\//, ''),
      version,
      dev,
    }))
}

/** How many packages are asked for at a time. */
const AT_A_TIME = 8

/** @param ask resolves with the checksum of a name and version, or with nothing */
export async function addChecksums({ packages, ...lock }, ask) {
  const responses = await Readable.from(uncheckedPackages(packages, {}))
    .map(async ({ place, name, version }) => [place, version, await ask(`${name}@${version}`)], {
      concurrency: AT_A_TIME,
    })
    .toArray()
  const added = responses
    .filter(([, , integrity]) => integrity)
    .map(([place, version, integrity]) => [place, { version, integrity, ...packages[place] }])
  return { ...lock, packages: { ...packages, ...Object.fromEntries(added) } }
}

const askRegistry = (wanted) =>
  new Promise((resolve) => {
    execFile('npm', ['view', wanted, 'dist.integrity'], (failure, stdout) => {
      const response = failure ? '' : stdout.trim()
      console.log(`${wanted}: ${response || 'not in the registry'}`)
      resolve(response)
    })
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = path.resolve(import.meta.dirname, '../../package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const complete = await addChecksums(completeLock(lock), askRegistry)
  writeFileSync(file, `${JSON.stringify(complete, null, 2)}\n`)
  const left = uncheckedPackages(complete.packages, {}).length
  console.log(
    `package-lock.json: ${missingPackages(lock).length} packages of other systems added, ${left} without a checksum.`,
  )
}
