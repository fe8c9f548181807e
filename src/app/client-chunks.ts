/** What of rolldown's view on the modules is looked at here. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/** Modules that every page runs, whatever it shows. */
const EVERYWHERE = ['/src/app/entry.client.tsx', '/src/app/root.tsx']

/** One group of rolldown's `codeSplitting`. */
interface ChunkGroup {
  name: (id: string, graph: ModuleGraph) => string | null
  priority: number
  /** How many entries must use a module; rolldown's default is 1. */
  minShareCount?: number
  tags?: ['$initial']
}

/** A module that this many pages use belongs to what contests look like: cards, plates, prices. */
const SHARED_BY = 3

/**
 * Puts what every page runs into one file, and what most pages about contests share into a second one. Left alone, the
 * build makes some forty small files of it: each costs a request, and small files compress badly. Libraries apart from
 * our own code would be kept longer by browsers, but cost every first visit 2.3 kB more.
 * @param projectFolder absolute, without a slash at its end
 */
export function clientChunks(projectFolder: string): ChunkGroup[] {
  const seeds = EVERYWHERE.map((file) => projectFolder + file)
  let everywhere: Set<string> | undefined
  return [
    {
      name: (id, graph) => ((everywhere ??= reachableFrom(seeds, graph)).has(id) ? 'base' : null),
      priority: 1,
    },
    { name: () => 'contests', priority: 0, minShareCount: SHARED_BY, tags: ['$initial'] },
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
