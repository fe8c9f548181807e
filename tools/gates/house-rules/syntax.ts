import { type ESTree, Visitor, type VisitorObject, parseSync } from 'vite'
import { type Finding, type Tree, lineAt } from './tree.ts'

const programs = new WeakMap<Tree, Map<string, ESTree.Program>>()

/** The syntax tree of a file, parsed once. */
export function programOf(tree: Tree, file: string): ESTree.Program {
  const known = programs.get(tree) ?? new Map<string, ESTree.Program>()
  programs.set(tree, known)
  const program = known.get(file) ?? parse(tree, file)
  known.set(file, program)
  return program
}

function parse(tree: Tree, file: string): ESTree.Program {
  const { program, errors } = parseSync(file, tree.read(file))
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]!.message}`)
  return program
}

/** Walks a file and collects what the visitor tells of. */
export function findIn(
  tree: Tree,
  file: string,
  visitor: (tell: (node: { start: number }, what: string) => void) => VisitorObject,
): Finding[] {
  const found: Finding[] = []
  const text = tree.read(file)
  const tell = (node: { start: number }, what: string): void => {
    found.push(`${file}:${lineAt(text, node.start)}  ${what}`)
  }
  new Visitor(visitor(tell)).visit(programOf(tree, file))
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
