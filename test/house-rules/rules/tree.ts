import { type Dirent, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ESTree, Visitor, type VisitorObject, parseSync } from 'vite'

/** The files of a checkout that people write, by their path from its root, with forward slashes. */
export type Tree = {
  files: readonly string[]
  read: (file: string) => string
}

/** One breach, as "file:line  what is wrong". */
export type Finding = string

export type HouseRule = { about: string; check: (tree: Tree) => Finding[] }

const MADE = /^(node_modules|\.git|build|data|\.cache|\.react-router|\.screenshots|test-results)$/
const TEXT =
  /\.(tsx?|mjs|js|json|jsonc|md|ya?ml|css|sql|html|sh|txt|cfg|conf|env|ini|service|py|svg)$|\/\.?[a-zA-Z]+$/

/** The tree on disk. Reads no git, so that an unpacked archive is held to the same rules. */
export function readTree(root: string): Tree {
  const options = { cwd: root, exclude: ({ name }: Dirent) => MADE.test(name), withFileTypes: true } as const
  const files = globSync(['**', '**/.*', '**/.*/**'], options)
    .filter((entry) => entry.isFile() && entry.name !== '.env')
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => TEXT.test(`/${file}`))
  return treeOf(Object.fromEntries(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])))
}

/** A tree from texts, for canaries. */
export const treeOf = (texts: Record<string, string>): Tree => ({
  files: Object.keys(texts).sort(),
  read: (file) => texts[file] ?? '',
})

/** Breaches on purpose and the rules that quote them are no breaches of the project. */
export const isCanary = (file: string): boolean => file.startsWith('test/house-rules/canaries/')

export const isTest = (file: string): boolean => /\.(test|e2e)\.(tsx?|mjs)$|\.test-[a-z-]+\.tsx?$/.test(file)

export const isCode = (file: string): boolean => /\.(tsx?|mjs|js)$/.test(file)

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** Every match of a pattern with the global flag, as a finding, unless `describe` says nothing of it. */
export function matches(
  tree: Tree,
  file: string,
  pattern: RegExp,
  describe: (match: RegExpExecArray) => string | false,
): Finding[] {
  const text = tree.read(file)
  return [...text.matchAll(pattern)].flatMap((match) => {
    const what = describe(match)
    return what === false ? [] : [`${file}:${lineAt(text, match.index)}  ${what}`]
  })
}

/** The syntax tree of a file. */
export function programOf(tree: Tree, file: string): ESTree.Program {
  const { program, errors } = parseSync(file, tree.read(file))
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]!.message}`)
  return program
}

/** Walks a file and collects what the visitor reports. */
export function findIn(
  tree: Tree,
  file: string,
  visitor: (report: (node: { start: number }, what: string) => void) => VisitorObject,
): Finding[] {
  const found: Finding[] = []
  const text = tree.read(file)
  const report = (node: { start: number }, what: string): void => {
    found.push(`${file}:${lineAt(text, node.start)}  ${what}`)
  }
  new Visitor(visitor(report)).visit(programOf(tree, file))
  return found
}

/** The name of `x` in `x`, of `b` in `a.b`. */
export function nameOf(
  node: ESTree.Expression | ESTree.Super | ESTree.PrivateIdentifier,
): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'MemberExpression' && !node.computed) return node.property.name
  return undefined
}
