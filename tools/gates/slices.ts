import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The three graphs of a slice: each names the slices that its part may import from. */
export const GRAPHS = ['contracts', 'server', 'screens'] as const
export type Graph = (typeof GRAPHS)[number]

export type Slice = { about: string } & Record<Graph, string[]> & {
    /** Files of its screens that every screen may import: what the browser keeps of the slice. They know no screen. */
    shares: string[]
  }
export type Slices = Record<string, Slice>

/** A slice's folder below `src/features/`, as a pattern; those of the purchase lie in one folder. */
export const SLICE = '(?:purchase/)?[^/]+'
/** Files of a slice; its name is the first group. */
export const IN_SLICE = new RegExp(`^src/features/(${SLICE})/`)

/** What a slice, or the platform, has to do with the tables of the database. */
export interface TableRow {
  /** Its own: nobody else writes them. */
  tables: string[]
  /** Tables of others that it reads. */
  reads: string[]
  /** Tables of others that it writes all the same. */
  writes?: { tables: string[]; because: string }[]
}

/** The row that names the tables of `src/platform` and `src/server`; it is no slice. */
export const PLATFORM = 'platform'

const parsed = (root: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(root, 'slices.json'), 'utf8')) as Record<string, unknown>

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`slices.json:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}

/** The table of slices of a checkout. @throws Error naming every fault: unknown slices, wrong shapes, circles */
export function readSlices(root: string): Slices {
  const { [PLATFORM]: _, ...rest } = parsed(root)
  const slices = rest as Slices
  refuse([...shapeFaults(slices), ...GRAPHS.flatMap((graph) => circles(slices, graph))])
  return slices
}

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')

/** The tables of each slice and of the platform. @throws Error naming every row of a wrong shape */
export function readTableRows(root: string): Record<string, TableRow> {
  const rows = parsed(root) as Record<string, TableRow>
  refuse(
    Object.entries(rows).flatMap(([name, { tables, reads, writes = [] }]) => [
      ...(isListOfNames(tables) ? [] : [`${name}: "tables" must be a list of its tables`]),
      ...(isListOfNames(reads) ? [] : [`${name}: "reads" must be a list of tables of others`]),
      ...(Array.isArray(writes) &&
      writes.every((one) => isListOfNames(one.tables) && typeof one.because === 'string')
        ? []
        : [`${name}: "writes" must be a list of tables of others, each with "because"`]),
    ]),
  )
  return rows
}

function shapeFaults(slices: Slices): string[] {
  return Object.entries(slices).flatMap(([name, slice]) => {
    if (typeof slice.about !== 'string' || slice.about === '')
      return [`${name}: "about" must say what it is for`]
    if (!Array.isArray(slice.shares)) return [`${name}: "shares" must be a list of files in its screens`]
    return GRAPHS.flatMap((graph) => {
      if (!Array.isArray(slice[graph])) return [`${name}: "${graph}" must be a list of slices`]
      return slice[graph]
        .filter((other) => !Object.hasOwn(slices, other) || other === name)
        .map(
          (other) => `${name}: "${graph}" names ${other === name ? 'itself' : `an unknown slice, ${other}`}`,
        )
    })
  })
}

/** Every circle of one graph, as "a -> b -> a". */
function circles(slices: Slices, graph: Graph): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (name: string, way: readonly string[]): void => {
    const start = way.indexOf(name)
    if (start >= 0) found.push(`${graph}: ${[...way.slice(start), name].join(' -> ')} is a circle`)
    if (start >= 0 || done.has(name)) return
    for (const other of slices[name]?.[graph] ?? []) visit(other, [...way, name])
    done.add(name)
  }
  for (const name of Object.keys(slices)) visit(name, [])
  return found
}
