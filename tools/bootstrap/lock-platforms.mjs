/**
 * `npm run lock:platforms`: adds to package-lock.json the optional packages for other systems that npm has left out.
 * npm leaves one out when the registry does not answer for it, and `npm ci` then refuses the whole lock file. An added
 * entry has no checksum: npm takes the one that the registry states when it installs the package.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** Where Node finds `name` for the package in `folder`: there or in a folder above. */
function find(packages, folder, name) {
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
      .filter(([name]) => !find(packages, parent, name))
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = path.resolve(import.meta.dirname, '../../package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingPackages(lock)
  writeFileSync(file, `${JSON.stringify(completeLock(lock), null, 2)}\n`)
  console.log(`${missing.length} packages of other systems added to package-lock.json.`)
}
