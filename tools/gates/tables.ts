/**
 * `npm run deps`: holds which slice writes and reads which table against `slices.json`. A slice writes its own tables
 * only; which tables of others it reads, and the few that it writes, its row says.
 *
 *   node tools/gates/tables.ts [folder of a checkout]
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ESTree, Visitor, parseSync } from 'vite'
import { TEST_FILES } from './dependency-rules.ts'
import { IN_SLICE, PLATFORM, type TableRow, readTableRows } from './slices.ts'

const TYPES = 'src/platform/database-types.ts'

/** Stand in the text of a statement for what an expression puts there: anything, or the name of a table; and end it. */
const HOLE = '\u0001'
const TABLE_HOLE = '\u0002'
const END = '\u0003'
const WRITE =
  /(?:\b(?:INSERT\s+INTO|MERGE\s+INTO|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?|COPY(?=[^;]*\bFROM\b))|(?<!\b(?:FOR|KEY|DO|ON|OR|BEFORE|AFTER)\s+)\bUPDATE)\b/gi
const READ = /\b(?:(?<!\b(?:DELETE|DISTINCT)\s+)FROM|JOIN|USING)\b/gi
/** What a fragment begins with, to which another puts the FROM. */
const FRAGMENT = /^(?=\s*\w+(?:\s+(?:AS\s+)?\w+)?\s+(?:(?:LEFT|RIGHT|FULL|INNER|CROSS)\s+)?JOIN\b)/gi
const ITEM = new RegExp(
  String.raw`\s*(?:(?:LATERAL|ONLY)\b\s*)*(?:([a-z]\w*)\b(?!\s*\.)|([${HOLE}${TABLE_HOLE}])(\w*)${END}|(?=\())`,
  'iy',
)
const ALIAS = /(?:\s+(?:AS\s+)?[a-z]\w*)?/iy
const COMMA = /\s*,/y
/** Comments of SQL; two dashes within quotation marks begin none. */
const COMMENT = /('(?:[^']|'')*')|--.*|\/\*[\s\S]*?\*\//g
/** What may stand around the name of a table. */
const AROUND = /"|\bpublic\s*"?\s*\./g

const KYSELY_WRITES = /^(?:insertInto|replaceInto|updateTable|deleteFrom|mergeInto)$/
const KYSELY_READS = /^(?:selectFrom|from|using|(?:inner|left|right|full|cross)Join(?:Lateral)?)$/
/** The beginning of the name of a function of ours that a parameter tells which table it writes. */
const WRITING_FUNCTION = /^(?:insert|replace|update|delete|merge|truncate)/

interface Use {
  kind: 'writes' | 'reads'
  table: string
  line: number
}

/** A name as it stands; or what holds it, where the statement takes it from elsewhere. */
type Named = Omit<Use, 'table'> & ({ table: string } | { holder: string })

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** The place behind parentheses that begin at `at`; `at` itself where none do. */
function behindParentheses(text: string, at: number): number {
  let depth = 0
  for (let end = at + text.slice(at).search(/\S|$/); end < text.length; end++) {
    if (text[end] === '(') depth++
    if (text[end] === ')') depth--
    if (depth === 0) return text[end] === ')' ? end + 1 : at
  }
  return at
}

/** The tables of a list that begins at `at`: `offers o, unnest(…) AS u (id), orders`. */
function tablesAt(text: string, at: number, { kind, line }: Omit<Use, 'table'>): Named[] {
  const step = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  const names: Named[] = []
  do {
    const item = step(ITEM)
    if (!item) break
    const [, name, hole, holder = ''] = item
    const behind = behindParentheses(text, at)
    // A name before parentheses is that of a function, or of a table whose columns they list.
    const isTable = kind === 'writes' || behind === at
    if (isTable && name !== undefined) names.push({ kind, line, table: name.toLowerCase() })
    if (isTable && (hole === TABLE_HOLE || (hole === HOLE && kind === 'writes')))
      names.push({ kind, line, holder })
    at = behind
    step(ALIAS)
    at = behindParentheses(text, at)
  } while (step(COMMA))
  return names
}

/** What the SQL in a text writes and reads. */
function statementsIn(text: string, firstLine: number): Named[] {
  const bare = text
    .replaceAll(COMMENT, (comment, quoted?: string) => quoted ?? blank(comment))
    .replaceAll(AROUND, blank)
  const found = (kind: Use['kind'], pattern: RegExp): Named[] =>
    [...bare.matchAll(pattern)].flatMap(({ 0: { length }, index }) => {
      const line = firstLine + bare.slice(0, index).split('\n').length - 1
      return tablesAt(bare, index + length, { kind, line })
    })
  return [...found('writes', WRITE), ...found('reads', READ), ...found('reads', FRAGMENT)]
}

const isText = (node: ESTree.Node | null | undefined): node is ESTree.StringLiteral =>
  node?.type === 'Literal' && typeof node.value === 'string'

function textOf({ quasis, expressions }: ESTree.TemplateLiteral, source: string): string {
  const filled = (expression: ESTree.Expression): string => {
    const code = source.slice(expression.start, expression.end)
    const isName = expression.type === 'CallExpression' && /^sql\s*\.\s*(?:table|id|ref|raw)\b/.test(code)
    const [first] = isName ? expression.arguments : []
    const holder = isName ? first : expression
    const name = holder?.type === 'Identifier' ? holder.name : ''
    const text = isText(first) ? first.value : `${isName ? TABLE_HOLE : HOLE}${name}${END}`
    return text + code.replaceAll(/[^\n]/g, '')
  }
  return quasis
    .map(({ value }, at) => (value.cooked ?? value.raw) + (expressions[at] ? filled(expressions[at]) : ''))
    .join('')
}

/** The names of tables in an argument, without their aliases: one, or a list. */
const namesIn = (argument: ESTree.Node | null | undefined): string[] =>
  argument?.type === 'ArrayExpression'
    ? argument.elements.flatMap(namesIn)
    : isText(argument)
      ? [argument.value.split(/\s/, 1)[0]!]
      : argument?.type === 'TemplateLiteral'
        ? [argument.quasis[0]!.value.raw.split(/\s/, 1)[0]!]
        : []

const nameOfCalled = (callee: ESTree.Expression): string | undefined => {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression') return undefined
  return callee.property.type === 'Identifier' && !callee.computed
    ? callee.property.name
    : namesIn(callee.property)[0]
}

interface FileUses {
  uses: Use[]
  /** Lines with a write that names no table, in a file that names none. */
  nameless: number[]
  /** Functions that a parameter tells which table they write: their callers write it. */
  told: string[]
}

/**
 * @param told functions of other files whose callers write the table that they name
 * @returns which tables a file writes and reads, by SQL and by Kysely
 */
export function tableUses(
  file: string,
  source: string,
  tables: ReadonlySet<string>,
  told: ReadonlySet<string> = new Set(),
): FileUses {
  const lineOf = (at: number): number => source.slice(0, at).split('\n').length
  const named: Named[] = []
  const literals = new Set<string>()
  const functions: { name: string; parameters: ReadonlySet<string> }[] = []
  const toldHere = new Set<string>()
  const add = (found: readonly Named[]): void => {
    for (const use of found) {
      const around = functions.at(-1)
      if ('table' in use) {
        if (tables.has(use.table)) named.push(use)
      } else if (around && WRITING_FUNCTION.test(around.name) && around.parameters.has(use.holder))
        toldHere.add(around.name)
      else named.push(use)
    }
  }
  new Visitor({
    FunctionDeclaration({ id, params }) {
      const names = params.flatMap((one) => (one.type === 'Identifier' ? [one.name] : []))
      functions.push({ name: id?.name ?? '', parameters: new Set(names) })
    },
    'FunctionDeclaration:exit': () => void functions.pop(),
    Literal({ value, start }) {
      if (typeof value !== 'string') return
      if (tables.has(value)) literals.add(value)
      add(statementsIn(value, lineOf(start)))
    },
    TemplateLiteral: (template) => add(statementsIn(textOf(template, source), lineOf(template.start))),
    CallExpression({ callee, arguments: given, start }) {
      const called = nameOfCalled(callee) ?? ''
      const isWrite = KYSELY_WRITES.test(called)
      const isTold = told.has(called)
      if (!isWrite && !isTold && !KYSELY_READS.test(called)) return
      const use = { kind: isWrite || isTold ? 'writes' : 'reads', line: lineOf(start) } as const
      const names = isTold ? given.filter(isText).map(({ value }) => value) : namesIn(given[0])
      add(names.map((table) => ({ ...use, table })))
      const holders = (isTold ? given : given.slice(0, 1)).flatMap((one) =>
        one.type === 'Identifier' ? [one.name] : [],
      )
      if (isTold && !names.some((name) => tables.has(name)))
        add([{ ...use, holder: holders.find((name) => functions.at(-1)?.parameters.has(name)) ?? '' }])
      if (isWrite && names.length === 0) add([{ ...use, holder: holders[0] ?? '' }])
      if (called === 'selectFrom' && holders[0] !== undefined) add([{ ...use, holder: holders[0] }])
    },
  }).visit(parseSync(file, source).program)

  // A statement that takes the name from elsewhere may mean every table that the file names.
  const uses = named.flatMap(({ kind, line, ...one }) =>
    ('table' in one ? [one.table] : [...literals]).map((table) => ({ kind, line, table })),
  )
  const nameless = named.filter((one) => one.kind === 'writes' && !('table' in one) && literals.size === 0)
  return { uses, nameless: nameless.map(({ line }) => line), told: [...toldHere] }
}

interface TableFindings {
  /** Statements that were found. */
  writes: number
  reads: number
  faults: string[]
}

const ownerOf = (file: string): string => IN_SLICE.exec(file)?.[1] ?? PLATFORM

/** @param root folder of a checkout */
export function checkTables(root: string): TableFindings {
  const types = readFileSync(path.join(root, TYPES), 'utf8')
  const [, body = ''] = /export interface DB \{([^}]*)\}/.exec(types) ?? []
  const tables = new Set([...body.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!))
  const rows = readTableRows(root)
  const sources = globSync('src/**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}', { cwd: root })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file !== TYPES && !new RegExp(TEST_FILES).test(file))
    .toSorted()
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const)
  const told = toldIn(sources, tables)
  const faults = rowFaults(rows, tables)
  const done = new Map(Object.keys(rows).map((name) => [name, { writes: new Set(), reads: new Set() }]))
  const counts = { writes: 0, reads: 0 }
  for (const [file, source] of sources) {
    const owner = ownerOf(file)
    const row = rows[owner]
    const { uses, nameless } = tableUses(file, source, tables, told)
    if (!row) {
      if (uses.length > 0) faults.push(`${file}:${uses[0]!.line}  ${owner} has no row in slices.json`)
      continue
    }
    faults.push(...nameless.map((line) => `${file}:${line}  writes a table that the file does not name`))
    for (const { kind, table, line } of uses) {
      counts[kind]++
      if (row.tables.includes(table)) continue
      const isFirst = !done.get(owner)![kind].has(table)
      done.get(owner)![kind].add(table)
      const holder = Object.keys(rows).find((name) => rows[name]!.tables.includes(table))
      if (kind === 'writes' && !exceptions(row).includes(table))
        faults.push(`${file}:${line}  ${owner} writes ${table}, which belongs to ${holder ?? 'nobody'}`)
      if (kind === 'reads' && isFirst && !row.reads.includes(table))
        faults.push(`${file}:${line}  ${owner} reads ${table}: slices.json does not say so`)
    }
  }
  for (const [name, row] of Object.entries(rows)) {
    const { writes, reads } = done.get(name)!
    faults.push(
      ...row.reads
        .filter((table) => tables.has(table) && !reads.has(table))
        .map((table) => `slices.json:1  ${name} does not read ${table}`),
      ...exceptions(row)
        .filter((table) => tables.has(table) && !writes.has(table))
        .map((table) => `slices.json:1  ${name} does not write ${table}`),
    )
  }
  return { ...counts, faults }
}

/** Functions whose callers name the table, those that hand on what they are told among them. */
function toldIn(
  sources: readonly (readonly [file: string, source: string])[],
  tables: ReadonlySet<string>,
): Set<string> {
  let told = new Set<string>()
  for (let size = -1; size < told.size;) {
    size = told.size
    const known = told
    told = new Set([
      ...known,
      ...sources.flatMap(([file, source]) => tableUses(file, source, tables, known).told),
    ])
  }
  return told
}

const exceptions = ({ writes = [] }: TableRow): string[] => writes.flatMap((one) => one.tables)

/** What the rows say amiss, whatever the code does. */
function rowFaults(rows: Record<string, TableRow>, tables: ReadonlySet<string>): string[] {
  const all = Object.entries(rows)
  const owned = all.flatMap(([, row]) => row.tables)
  const inOrder = (list: readonly string[]): boolean =>
    list.every((table, at) => at === 0 || list[at - 1]! < table)
  return [
    ...[...tables].filter((table) => !owned.includes(table)).map((table) => `nobody owns ${table}`),
    ...owned.filter((table, at) => owned.indexOf(table) !== at).map((table) => `${table} has two owners`),
    ...all.flatMap(([name, row]) => [
      ...[...row.tables, ...row.reads, ...exceptions(row)]
        .filter((table) => !tables.has(table))
        .map((table) => `${name} names ${table}: there is no such table`),
      ...[...row.reads, ...exceptions(row)]
        .filter((table) => row.tables.includes(table))
        .map((table) => `${name} owns ${table}, and need not name it again`),
      ...(row.writes ?? [])
        .filter(({ because }) => because.trim() === '')
        .map((one) => `${name} writes ${one.tables.join(', ')} without a reason`),
      ...(['tables', 'reads'] as const)
        .filter((list) => !inOrder(row[list]))
        .map((list) => `${name}: "${list}" must be in the order of the alphabet, each once`),
    ]),
  ].map((fault) => `slices.json:1  ${fault}`)
}

if (import.meta.main) {
  const { writes, reads, faults } = checkTables(process.argv[2] ?? path.resolve(import.meta.dirname, '../..'))
  for (const fault of faults) console.error(fault)
  const isBlind = writes === 0 || reads === 0
  if (isBlind) console.error('No statements were found: the gate has checked nothing.')
  console.log(`${writes} writes and ${reads} reads of tables, ${faults.length} faults.`)
  process.exitCode = isBlind || faults.length > 0 ? 1 : 0
}
