/**
 * `npm run spec`: which tests show which demand of the specification. Fails when a demand has no test.
 *
 *   node test/house-rules/rules/specification.ts [number …]   the tests of these demands, for example 5.27
 */
import path from 'node:path'
import { type ESTree, Visitor } from 'vite'
import { type Finding, type Tree, isTest, programOf, readTree } from './tree.ts'

const DEMANDS = 'docs/specification-demands.txt'

/** Raised with new demands, never lowered, so that a demand missing from the list is noticed. */
const FEWEST = 466

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

/** A list that has become shorter. */
export function fewDemands(tree: Tree): Finding[] {
  const { length } = readDemands(tree.read(DEMANDS)).demands
  return length >= FEWEST ? [] : [`${DEMANDS}  has ${length} demands, at least ${FEWEST} are known`]
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

/** A test by its title in the source, without the numbers of demands. */
interface TitledTest {
  file: string
  title: string
  /** Numbers of the demands that the test shows: the text of `[spec 5.27, 6.1-6.3]`. */
  demands: string
}

const ANNOTATION = / ?\[spec ([^\]]*)\]$/
const known = new WeakMap<Tree, TitledTest[]>()

/** Every test of the tree, also those whose title is made (`%s`, `$name`, `${…}`). */
function testsOf(tree: Tree): readonly TitledTest[] {
  const tests =
    known.get(tree) ??
    tree.files.filter(isTest).flatMap((file) =>
      sourceTitles(tree, file).map((title) => ({
        file,
        title: title.replace(ANNOTATION, ''),
        demands: ANNOTATION.exec(title)?.[1] ?? '',
      })),
    )
  known.set(tree, tests)
  return tests
}

/** Whether a test has this title; one with placeholders is also known by the part before the first. */
export const hasTest = (tree: Tree, name: string): boolean =>
  testsOf(tree).some(({ title }) => title === name || fixedStart(title) === name)

function sourceTitles(tree: Tree, file: string): string[] {
  const source = tree.read(file)
  const titles: string[] = []
  new Visitor({
    CallExpression(node) {
      const [title] = node.arguments
      if (!title || !callsTest(node.callee)) return
      if (title.type === 'Literal' && typeof title.value === 'string') titles.push(title.value)
      if (title.type === 'TemplateLiteral') titles.push(source.slice(title.start + 1, title.end - 1))
    },
  }).visit(programOf(tree, file))
  return titles
}

/** Whether `test(…)`, `it(…)`, `test.each(…)(…)` or `test.skipIf(…)(…)` is called. */
export function callsTest(callee: ESTree.Expression | ESTree.Super): boolean {
  if (callee.type === 'Identifier') return callee.name === 'test' || callee.name === 'it'
  const maker =
    callee.type === 'CallExpression'
      ? callee.callee
      : callee.type === 'TaggedTemplateExpression'
        ? callee.tag
        : undefined
  return maker?.type === 'MemberExpression' && callsTest(maker.object)
}

function fixedStart(title: string): string {
  const made = title.search(/\$\{|\$[a-z]|%[sdifjo#$]/)
  return made === -1 ? title : title.slice(0, made).replace(/[\s:,("'«]+$/, '')
}

if (import.meta.main) {
  const tree = readTree(path.resolve(import.meta.dirname, '../../..'))
  const found = checkDemands(tree)
  for (const line of coverage(tree, found, process.argv.slice(2))) console.log(line)
  for (const finding of found.findings) console.error(finding)
  process.exitCode = found.findings.length > 0 ? 1 : 0
}
