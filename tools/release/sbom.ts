import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { findPackage } from '../bootstrap/lock-platforms.mjs'
import { type Lock, type LockedPackage, neededBy } from './packages.ts'

/** The list of what a release or an image consists of, in its folder. */
export const SBOM = 'sbom.cdx.json'

interface Component {
  type: 'application' | 'library' | 'operating-system'
  'bom-ref': string
  name: string
  group?: string
  version: string
  purl?: string
  hashes?: { alg: 'SHA-512'; content: string }[]
  licenses?: { expression: string }[]
}

/** A list of components in CycloneDX 1.6, as scanners read it. */
export interface Sbom {
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  version: number
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const readJson = <Shape>(file: string): Shape => JSON.parse(readFileSync(file, 'utf8')) as Shape

/** The packages of npm that are installed in the folder of a release. @param release its name */
export function sbomOf(folder: string, release: string): Sbom {
  const { packages } = readJson<Lock>(path.join(folder, 'node_modules/.package-lock.json'))
  const own = readJson<LockedPackage & { name: string; license: string }>(path.join(folder, 'package.json'))
  const places = Object.keys(packages)
  const components = new Map(places.map((place) => [place, packageAt(folder, place, packages[place]!)]))
  const dependencies = new Map<string, Set<string>>()
  const refOf = (place: string): string => components.get(place)?.['bom-ref'] ?? release
  // A package may be installed at several places.
  for (const [place, entry] of [['', own] as const, ...Object.entries(packages)]) {
    const needed = neededBy(entry).flatMap((name) => findPackage(packages, place, name) ?? [])
    const known = dependencies.get(refOf(place)) ?? new Set()
    dependencies.set(refOf(place), new Set([...known, ...needed.map(refOf)]))
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': release,
        name: own.name,
        version: release,
        licenses: [{ expression: own.license }],
      },
    },
    components: [...new Map([...components.values()].map((one) => [one['bom-ref'], one])).values()],
    dependencies: [...dependencies].map(([ref, on]) => ({ ref, dependsOn: [...on].toSorted() })),
  }
}

function packageAt(folder: string, place: string, entry: LockedPackage & { integrity?: string }): Component {
  const { name, version, license } = readJson<Record<string, string | undefined>>(
    path.join(folder, place, 'package.json'),
  ) as { name: string; version: string; license?: string }
  const [scope, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const [, hash] = /^sha512-(\S+)/.exec(entry.integrity ?? '') ?? []
  const prefix = scope === undefined ? '' : `${encodeURIComponent(scope)}/`
  const purl = `pkg:npm/${prefix}${short}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope !== undefined && { group: scope }),
    name: short ?? name,
    version,
    purl,
    ...(hash && { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
    ...(typeof license === 'string' && { licenses: [{ expression: license }] }),
  }
}

const fieldsOf = (text: string, line: RegExp): Record<string, string> =>
  Object.fromEntries([...text.matchAll(line)].map(([, name, value]) => [name, value]))

/** The same with the Debian packages that the root of an image has records of. @param system folder of that root */
export function withSystem(sbom: Sbom, system: string): Sbom {
  const release = fieldsOf(
    readFileSync(path.join(system, 'etc/os-release'), 'utf8'),
    /^(\w+)="?([^"\n]*)"?$/gm,
  )
  const { ID = 'debian', VERSION_ID = '' } = release
  const records = path.join(system, 'var/lib/dpkg/status.d')
  const packages = (existsSync(records) ? readdirSync(records) : []).toSorted().map((name): Component => {
    const record = fieldsOf(readFileSync(path.join(records, name), 'utf8'), /^([\w-]+): (.*)$/gm)
    const { Package = name, Version = '', Architecture = '' } = record
    const purl = `pkg:deb/${ID}/${encodeURIComponent(Package)}@${encodeURIComponent(Version)}?arch=${Architecture}&distro=${ID}-${VERSION_ID}`
    return { type: 'library', 'bom-ref': purl, name: Package, version: Version, purl }
  })
  const base: Component = {
    type: 'operating-system',
    'bom-ref': `${ID}-${VERSION_ID}`,
    name: ID,
    version: VERSION_ID,
  }
  return {
    ...sbom,
    components: [...sbom.components, base, ...packages],
    dependencies: [
      ...sbom.dependencies,
      { ref: base['bom-ref'], dependsOn: packages.map((one) => one['bom-ref']) },
    ],
  }
}
