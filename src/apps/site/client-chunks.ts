interface ModuleGraph {
  getModuleInfo(
    id: string,
  ): { code: string | null; importedIds: readonly string[]; importers: readonly string[] } | null
}

interface ChunkGroup {
  name: (id: string, graph: ModuleGraph) => string | null
  priority: number
  /** Rolldown's default is 1. */
  minShareCount?: number
  tags?: ['$initial']
}

interface SharedFile {
  name: string
  seeds: readonly string[]
}

const EVERYWHERE: SharedFile = { name: 'base', seeds: ['/src/apps/site/entry.client.tsx'] }

/** A module belongs to the first file whose seeds import it, so the home page and the list load no form code. */
const SHARED: readonly SharedFile[] = [
  {
    name: 'contests',
    // The lower part of the home page comes later; what it shares with many pages is here all the same.
    seeds: ['/src/apps/site/routes/home.tsx', '/src/features/home/screens/step-tabs.tsx', '/src/ui/card.tsx'],
  },
  {
    name: 'texts',
    seeds: [
      '/src/apps/site/routes/offers.tsx',
      '/src/apps/site/routes/terms.tsx',
      '/src/apps/site/routes/logout.tsx',
    ],
  },
  {
    name: 'buying',
    seeds: [
      '/src/apps/site/routes/offer.tsx',
      '/src/apps/site/routes/cart.tsx',
      '/src/apps/site/routes/participations.tsx',
    ],
  },
  {
    name: 'forms',
    seeds: [
      '/src/apps/site/routes/login.tsx',
      '/src/apps/site/routes/register.tsx',
      '/src/apps/site/routes/profile-data.tsx',
    ],
  },
]

/** Most pages load it: with "buying" or "forms" a page would load the whole file for an icon. */
const ICONS_WITH = SHARED.find(({ name }) => name === 'texts')

/** A module that fewer pages use stays beside its page. */
const SHARED_BY = 2

/**
 * Groups shared modules into a few files; Rolldown makes some forty small ones, which cost requests and compress badly.
 * Separate files for libraries would stay cached longer, but cost every first visit 2.3 kB more.
 * @param projectFolder absolute, without a trailing slash
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
      name: (id, graph) =>
        holds(EVERYWHERE, id, graph) || isSharedCatalogue(id, graph) ? EVERYWHERE.name : null,
      priority: SHARED.length,
    },
    // A group also takes the imports of its modules; the priority leaves them to an earlier group.
    ...SHARED.map((file, index): ChunkGroup => ({
      name: (id, graph) =>
        holds(file, id, graph) || (file === ICONS_WITH && ICON.test(id)) ? file.name : null,
      priority: SHARED.length - 1 - index,
      minShareCount: SHARED_BY,
      tags: ['$initial'],
    })),
  ]
}

/** A few bytes that load messages; for them no page should load another file. */
const isSharedCatalogue = (id: string, graph: ModuleGraph): boolean =>
  /virtual:messages\/\w+$/.test(id) && (graph.getModuleInfo(id)?.importers.length ?? 0) >= SHARED_BY

function reachableFrom(seeds: readonly string[], graph: ModuleGraph): Set<string> {
  const found = new Set<string>()
  const queue = [...seeds]
  for (const id of queue) {
    if (found.has(id)) continue
    found.add(id)
    queue.push(...importedBy(id, graph))
  }
  return found
}

const ICON = /\/lucide-react\/dist\/esm\/icons\//
const ICON_LIST = /\/lucide-react\/dist\/esm\/lucide-react\.m?js$/

/** The list of icons imports every icon of every page; a module counts with those that it names. */
function importedBy(id: string, graph: ModuleGraph): string[] {
  const module = graph.getModuleInfo(id)
  if (!module || ICON_LIST.test(id)) return []
  return module.importedIds.flatMap((imported) =>
    ICON_LIST.test(imported) ? [imported, ...iconsNamed(module.code ?? '', imported, graph)] : [imported],
  )
}

function iconsNamed(code: string, list: string, graph: ModuleGraph): string[] {
  const { code: exported, importedIds } = graph.getModuleInfo(list)!
  const named = [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)].flatMap(
    ([, names = '']) => [...names.matchAll(/(?:^|,)\s*(\w+)/g)].map(([, name]) => name),
  )
  return named.flatMap((name) => {
    const [, file] =
      new RegExp(`\\bdefault as ${name}\\b[^;]*? from ["']\\.(/icons/[^"']+)["']`).exec(exported ?? '') ?? []
    return file === undefined ? [] : importedIds.filter((one) => one.endsWith(file))
  })
}
