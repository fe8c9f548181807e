import { type ESTree, Visitor } from 'vite'
import { programOf } from './house-rules/syntax.ts'
import { type Finding, type Tree } from './house-rules/tree.ts'

/** One demand of the specification as `docs/specification.md` tells of it. */
export type Demand = { id: string; section: string; line: number; text: string; by: string; shown: string }

export const TABLE = 'docs/specification.md'

const HEADING = /^## (\d+)\./
const HEADER = ['Id', 'Demand', 'Satisfied by', 'Shown by']
/** A row may do without a test only by saying one of these. */
const WORDS = /^(Not met|Text)\b/
const NAMED_TEST = /^`?([\w./-]+)`?: "(.+)"$/
/** A file in code quotes, such as `src/app/head.ts`. */
const NAMED_FILE = /`((?:src|test|tools|db|emulators|public|docs)\/[\w./-]+\.\w+)`/g

/** Cells of a table's line; a pipe inside a cell is written `\|`. */
export const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

/** Every row below the headings, and what is wrong with the form of the table. */
export function readDemands(document: string): { demands: Demand[]; faults: Finding[] } {
  const demands: Demand[] = []
  const faults: Finding[] = []
  let section = ''
  for (const [index, line] of document.split('\n').entries()) {
    section = HEADING.exec(line)?.[1] ?? section
    const cells = cellsOf(line)
    if (!line.startsWith('|') || cells[0] === HEADER[0] || /^:?-+:?$/.test(cells[0] ?? '')) continue
    const [id = '', text = '', by = '', shown = ''] = cells
    const at = `${TABLE}:${index + 1}`
    if (cells.length !== HEADER.length) faults.push(`${at}  has ${cells.length} cells: a row has four`)
    else demands.push({ id, section, line: index + 1, text, by, shown })
  }
  return { demands, faults }
}

/** What is untrue of the table: ids, files that are not there, tests that are not there, rows without any. */
export function checkDemands(tree: Tree): Finding[] {
  const { demands, faults } = readDemands(tree.read(TABLE))
  const seen = new Set<string>()
  const found = demands.flatMap((one) => {
    const { id, section, text, by } = one
    const wrong: string[] = []
    if (!new RegExp(`^${section}\\.[1-9]\\d*$`).test(id)) wrong.push(`${id} is no id of section ${section}`)
    if (seen.has(id)) wrong.push(`${id} is there twice`)
    seen.add(id)
    if (text === '' || by === '') wrong.push(`${id} lacks the demand or what satisfies it`)
    for (const [, file = ''] of by.matchAll(NAMED_FILE))
      if (!tree.files.includes(file)) wrong.push(`${id} names ${file}, which does not exist`)
    return [...wrong, ...checkTests(tree, one)].map((what) => `${TABLE}:${one.line}  ${what}`)
  })
  return [...faults, ...found]
}

function checkTests(tree: Tree, { id, shown }: Demand): string[] {
  if (WORDS.test(shown)) return []
  if (shown === '') return [`${id} has neither a test nor the words "Not met"`]
  return namedTestFaults(tree, id, shown)
}

/** What is wrong with a cell of tests, each as file: "title", one below the other. */
export function namedTestFaults(tree: Tree, id: string, cell: string): string[] {
  return cell.split(/<br\s*\/?>/).flatMap((part) => {
    const [, file, title] = NAMED_TEST.exec(part.trim()) ?? []
    if (!file || !title) return [`${id} names no test in the form file: "title": ${part.trim()}`]
    if (!tree.files.includes(file)) return [`${id} names ${file}, which does not exist`]
    return titlesOf(tree, file).has(title) ? [] : [`${id}: ${file} has no test "${title}"`]
  })
}

const known = new WeakMap<Tree, Map<string, Set<string>>>()

/**
 * Titles by which a file's tests may be named: as they stand in the source. A title that is made (`%s`, `$name`,
 * `${…}`) may also be named by what stands before its first made part.
 */
export function titlesOf(tree: Tree, file: string): Set<string> {
  const files = known.get(tree) ?? new Map<string, Set<string>>()
  known.set(tree, files)
  const titles = files.get(file) ?? new Set(sourceTitles(tree, file).flatMap(waysToName))
  files.set(file, titles)
  return titles
}

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
function callsTest(callee: ESTree.Expression | ESTree.Super): boolean {
  if (callee.type === 'Identifier') return callee.name === 'test' || callee.name === 'it'
  const maker =
    callee.type === 'CallExpression'
      ? callee.callee
      : callee.type === 'TaggedTemplateExpression'
        ? callee.tag
        : undefined
  return maker?.type === 'MemberExpression' && callsTest(maker.object)
}

function waysToName(title: string): string[] {
  const made = title.search(/\$\{|\$[a-z]|%[sdifjo#$]/)
  const before = made === -1 ? '' : title.slice(0, made).replace(/[\s:,("'«]+$/, '')
  return before === '' ? [title] : [title, before]
}
