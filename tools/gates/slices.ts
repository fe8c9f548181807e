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

/** The table of slices of a checkout. @throws Error naming every fault: unknown slices, wrong shapes, circles */
export function readSlices(root: string): Slices {
  const slices = JSON.parse(readFileSync(path.join(root, 'slices.json'), 'utf8')) as Slices
  const faults = [...shapeFaults(slices), ...GRAPHS.flatMap((graph) => circles(slices, graph))]
  if (faults.length > 0) throw new Error(`slices.json:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  return slices
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
