import path from 'node:path'
import { type Finding, type HouseRule, type Tree, isCanary, matches } from './tree.ts'

const SOURCE = /\.(tsx?|mjs|py|sql|cfg|service|md)$/
const CODE = /(?<!`)`([^`\s]+)`(?!`)/g
const LINK = /\]\(([^()\s]+)\)/g
const BLOCK = /^```[^\n]*\n[\s\S]*?^```$/gm

/** A name with parts that stand for others (`<slice>.rules.ts`, `test/http/*.test.ts`, `NNNN-title.sql`) as a pattern. */
const patternOf = (name: string): RegExp =>
  new RegExp(
    `(^|/)${name
      .replace(/^\.?\//, '')
      .replace(/^#/, '')
      .replaceAll(/[$()+?[\]{}|\\^.]/g, String.raw`\$&`)
      .replaceAll(/<[\w-]+>|\*+/g, '[^/]*')
      .replaceAll('NNNN-title', String.raw`\d{4}-[^/]+`)}$`,
  )

/** The text without its blocks, whose lines stay. */
const prose = (text: string): string => text.replaceAll(BLOCK, (block) => block.replaceAll(/[^\n]/g, ' '))

/** Anchors of a page, as GitHub makes them of its headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  )

function namedFiles(tree: Tree): Finding[] {
  const folders = new Set(tree.files.flatMap((file) => ancestorsOf(file)))
  const tops = new Set([...folders].filter((folder) => !folder.includes('/')))
  const all = [...tree.files, ...folders]
  const exists = (name: string): boolean => {
    const pattern = patternOf(name.replace(/\/$/, ''))
    return all.some((one) => pattern.test(one))
  }
  return tree.files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = prose(tree.read(file))
      const own = { files: [file], read: () => text }
      return [
        ...matches(own, file, CODE, ([, name = '']) => {
          const isOurs = SOURCE.test(name) || (name.includes('/') && tops.has(name.split('/')[0] ?? ''))
          return isOurs && !/^[a-z]+:|^x\.|^-/.test(name) && !exists(name) && `names no file: ${name}`
        }),
        ...matches(own, file, LINK, ([, target = '']) => whatIsWrongWith(tree, file, target, all)),
      ]
    })
}

function whatIsWrongWith(tree: Tree, file: string, target: string, all: readonly string[]): string | false {
  if (/^[a-z]+:/.test(target)) return false
  const [name = '', anchor] = target.split('#')
  const to = name === '' ? file : path.posix.normalize(path.posix.join(path.posix.dirname(file), name))
  const isPicture = /\.(webp|png|jpe?g|svg)$/.test(to)
  if (!isPicture && !all.includes(to.replace(/\/$/, ''))) return `links to no file: ${target}`
  if (anchor === undefined || anchorsOf(tree.read(to)).includes(anchor)) return false
  return `links to no heading: ${target}`
}

const ancestorsOf = (file: string): string[] =>
  file.split('/').flatMap((_, index, parts) => (index === 0 ? [] : [parts.slice(0, index).join('/')]))

const RECORD = /^docs\/adr\/((\d{4})-[a-z0-9-]+\.md)$/
const INDEX = 'docs/adr/README.md'
/** A number after "ADR", a list of them, or one in the path of a record. */
const CITED = /\b(?:ADRs? |adr\/)(\d{4}(?:(?:, | and )\d{4})*)/g
/** A row of the table of folded numbers: those that migrations cite, and the record that says it now. */
const FOLDED = /^\| (\d{4}(?:, \d{4})*) +\| (\d{4}) +\|$/gm

function citedDecisions(tree: Tree): Finding[] {
  const records = tree.files.flatMap((file) => {
    const [, name, number] = RECORD.exec(file) ?? []
    return name && number ? [{ name, number }] : []
  })
  const index = tree.read(INDEX)
  const numbers = records.map(({ number }) => number)
  const folded = [...index.matchAll(FOLDED)].map(([, from = '', to = '']) => ({ from: from.split(', '), to }))
  const gone = new Set(folded.flatMap(({ from }) => from))
  return [
    ...records
      .filter(({ name }) => !index.includes(`](${name})`))
      .map(({ name }) => `${INDEX}  does not list ${name}`),
    ...numbers
      .filter((number, at) => numbers.indexOf(number) !== at || gone.has(number))
      .map((number) => `${INDEX}  ${number} stands for two decisions`),
    ...folded
      .filter(({ to }) => !numbers.includes(to))
      .map(({ to }) => `${INDEX}  folds into no record: ${to}`),
    ...tree.files
      .filter((file) => !isCanary(file))
      .flatMap((file) =>
        matches(tree, file, CITED, ([, list = '']) => {
          // Only a migration, which cannot change, may cite a folded number.
          const isKnown = (number: string): boolean =>
            numbers.includes(number) || (file.startsWith('db/migrations/') && gone.has(number))
          const unknown = list.split(/, | and /).filter((number) => !isKnown(number))
          return unknown.length > 0 && `cites no decision: ${unknown.join(', ')}`
        }),
      ),
  ]
}

/** A document says who reads it, and when, before anything else; for single records their index does. */
const withoutReader = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => file.endsWith('.md') && !RECORD.test(file) && !isCanary(file))
    .filter((file) => !/^# .+\n\nFor \S/.test(tree.read(file)))
    .map((file) => `${file}  does not begin with who reads it`)

/** Rules about documents. What they have their reader run or open is tested by test/http/documents.test.ts. */
export const documentRules = {
  namedFiles: {
    about: 'every file and heading that a document names exists',
    check: namedFiles,
  },
  citedDecisions: {
    about: 'every number of a decision that the tree cites is a record, or folded into one for a migration',
    check: citedDecisions,
  },
  readers: {
    about: 'every document begins with who reads it, and when',
    check: withoutReader,
  },
} satisfies Record<string, HouseRule>
