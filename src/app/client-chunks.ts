/** What of rolldown's view on the modules is looked at here. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/** One group of rolldown's `codeSplitting`. */
interface ChunkGroup {
  name: (id: string, graph: ModuleGraph) => string | null
  priority: number
  /** How many entries must use a module; rolldown's default is 1. */
  minShareCount?: number
  tags?: ['$initial']
}

/** A file of shared modules, and the modules all of whose imports may be in it. */
interface SharedFile {
  name: string
  seeds: readonly string[]
}

/** Modules that every page runs, whatever it shows. */
const EVERYWHERE: SharedFile = { name: 'base', seeds: ['/src/app/entry.client.tsx'] }

/**
 * What pages share, first come first served: a visit of the first page or of the list loads nothing that belongs to
 * forms, because the file of the contests holds only what those two pages run, and who buys does without what forms
 * alone need.
 */
const SHARED: readonly SharedFile[] = [
  { name: 'contests', seeds: ['/src/app/routes/home.tsx'] },
  {
    name: 'texts',
    seeds: ['/src/app/routes/offers.tsx', '/src/app/routes/terms.tsx', '/src/app/routes/logout.tsx'],
  },
  {
    name: 'buying',
    seeds: ['/src/app/routes/offer.tsx', '/src/app/routes/cart.tsx', '/src/app/routes/participations.tsx'],
  },
  {
    name: 'forms',
    seeds: ['/src/app/routes/login.tsx', '/src/app/routes/register.tsx', '/src/app/routes/profile-data.tsx'],
  },
]

/** A module that this many pages use shares a file with its like; with fewer it stays beside its page. */
const SHARED_BY = 2

/**
 * Puts what every page runs into one file, what the pages about contests share into a second one, and what forms share
 * into others. Left alone, the build makes some forty small files of it: each costs a request, and small files
 * compress badly. Libraries apart from our own code would be kept longer by browsers, but cost every first visit 2.3 kB
 * more.
 * @param projectFolder absolute, without a slash at its end
 */
export function clientChunks(projectFolder: string): ChunkGroup[] {
  const reachable = new Map<SharedFile, Set<string>>()
  const holds = (file: SharedFile, id: string, graph: ModuleGraph): boolean => {
    let found = reachable.get(file)
    if (!found) {
      found = reachableFrom(
        file.seeds.map((seed) => projectFolder + seed),
        graph,
      )
      reachable.set(file, found)
    }
    return found.has(id)
  }
  return [
    {
      name: (id, graph) => (holds(EVERYWHERE, id, graph) ? EVERYWHERE.name : null),
      priority: SHARED.length,
    },
    // A group takes along what its modules import: only by these numbers is it that of a group before.
    ...SHARED.map((file, index): ChunkGroup => ({
      name: (id, graph) => (holds(file, id, graph) ? file.name : null),
      priority: SHARED.length - 1 - index,
      minShareCount: SHARED_BY,
      tags: ['$initial'],
    })),
  ]
}

/** All modules that the given ones import, directly or not; what is imported on demand stays out. */
function reachableFrom(seeds: readonly string[], graph: ModuleGraph): Set<string> {
  const found = new Set<string>()
  const queue = [...seeds]
  for (const id of queue) {
    if (found.has(id)) continue
    found.add(id)
    queue.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  return found
}
