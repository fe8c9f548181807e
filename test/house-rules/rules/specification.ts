/**
 * `npm run spec`: which tests show which demand of the specification. Fails when a demand has no test.
 *
 *   node test/house-rules/rules/specification.ts [number …]   the tests of these demands, for example 5.27
 */
import path from 'node:path'
import { type Finding, type Tree, readTree } from './tree.ts'
import { testsOf } from './test-titles.ts'

export const DEMANDS = 'docs/specification-demands.txt'

interface Demand {
  id: string
  line: number
  text: string
  untested: boolean
  /** Tests that show it, as `file: "title"`. */
  tests: string[]
}

const DEMAND = /^(\d+\.\d+)\s+(\S.*)$/
const SECTION = /^(\d+)\. (.+)$/
const UNTESTED = /\{no test: .+\}$/

/** The demands with their tests, and what is wrong with the list or with the numbers in titles. */
export function checkDemands(tree: Tree): { demands: Demand[]; findings: Finding[] } {
  const { demands, findings } = readDemands(tree.read(DEMANDS))
  const byId = new Map(demands.map((demand) => [demand.id, demand]))
  const order = demands.map(({ id }) => id)
  for (const { file, title, demands: named } of testsOf(tree)) {
    for (const id of named === '' ? [] : named.split(', ').flatMap((part) => idsOf(part, order))) {
      const demand = byId.get(id)
      if (demand) demand.tests.push(`${file}: "${title}"`)
      else findings.push(`${file}:1  "${title}" names ${id}, which is no demand of ${DEMANDS}`)
    }
  }
  for (const { id, line, untested, tests } of demands) {
    if (!untested && tests.length === 0) findings.push(`${DEMANDS}:${line}  no test shows ${id}`)
    if (untested && tests.length > 0) findings.push(`${DEMANDS}:${line}  ${id} has a test after all`)
  }
  return { demands, findings }
}

function readDemands(text: string): { demands: Demand[]; findings: Finding[] } {
  const demands: Demand[] = []
  const findings: Finding[] = []
  let section = ''
  for (const [index, line] of text.split('\n').entries()) {
    section = SECTION.exec(line)?.[1] ?? section
    const [, id = '', demand = ''] = DEMAND.exec(line) ?? []
    if (!id) continue
    if (!id.startsWith(`${section}.`) || demands.some((one) => one.id === id))
      findings.push(`${DEMANDS}:${index + 1}  ${id} is there twice, or in another section than its own`)
    else demands.push({ id, line: index + 1, text: demand, untested: UNTESTED.test(demand), tests: [] })
  }
  return { demands, findings }
}

/** `5.27` as it is; `5.27-5.30` as the demands from one to the other. */
function idsOf(part: string, order: readonly string[]): string[] {
  const [from = '', to] = part.split('-')
  if (to === undefined) return [from]
  const [first, last] = [order.indexOf(from), order.indexOf(to)]
  return first >= 0 && last > first ? order.slice(first, last + 1) : [part]
}

/** Lines for people: sections with how many of their demands are shown, or the tests of the demands asked for. */
export function coverage(tree: Tree, { demands }: { demands: readonly Demand[] }, asked: string[]): string[] {
  if (asked.length > 0) {
    return demands
      .filter(({ id }) => asked.includes(id))
      .flatMap(({ id, text, tests }) => [`${id}  ${text}`, ...tests.map((test) => `  ${test}`)])
  }
  return tree
    .read(DEMANDS)
    .split('\n')
    .flatMap((line) => {
      const [, number, title] = SECTION.exec(line) ?? []
      if (number === undefined) return []
      const own = demands.filter(({ id, untested }) => id.startsWith(`${number}.`) && !untested)
      const shown = own.filter(({ tests }) => tests.length > 0).length
      return [`${String(shown).padStart(4)} of ${String(own.length).padStart(3)}  ${number}. ${title}`]
    })
}

if (import.meta.main) {
  const tree = readTree(path.resolve(import.meta.dirname, '../../..'))
  const found = checkDemands(tree)
  for (const line of coverage(tree, found, process.argv.slice(2))) console.log(line)
  for (const finding of found.findings) console.error(finding)
  process.exitCode = found.findings.length > 0 ? 1 : 0
}
