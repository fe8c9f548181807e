import path from 'node:path'
import { type ESTree, Visitor } from 'vite'
import { nameOf, programOf } from './syntax.ts'
import { type Tree, isCode, isTest, lineAt } from './tree.ts'

/** What one file says of messages: the keys it asks for by name, and texts that may name keys elsewhere. */
export type MessageUse = {
  /** `t('title')` under a namespace, as "cart.title": must exist under one of the candidates. */
  asked: { candidates: string[]; at: string }[]
  /** Keys with holes, `errors.${code}`, as patterns. */
  patterns: RegExp[]
  /** Every text of the file, and the namespaces that it translates under. */
  texts: Set<string>
  namespaces: Set<string>
  /** The folder whose texts may be what `t(problem.kind)` asks for: the slice, or the file's own folder. */
  dynamicIn: string | undefined
  file: string
}

const TRANSLATOR = 't'
const VARIANTS = new Set(['rich', 'markup', 'raw', 'has'])
const KEY_SOURCES: Record<string, number> = { key: 0, translate: 1 }

export function messageUses(tree: Tree): MessageUse[] {
  return tree.files
    .filter(
      (file) =>
        /^(src|db|tools)\//.test(file) && isCode(file) && !isTest(file) && !file.startsWith('tools/gates/'),
    )
    .map((file) => useIn(tree, file))
}

function useIn(tree: Tree, file: string): MessageUse {
  const use: MessageUse = {
    asked: [],
    patterns: [],
    texts: new Set(),
    namespaces: new Set(),
    dynamicIn: undefined,
    file,
  }
  const text = tree.read(file)
  const calls: { argument: ESTree.Node; full: boolean }[] = []
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') use.texts.add(node.value)
    },
    Property(node) {
      // A table keyed by message names: `{ soldOut: 'red' }`.
      if (node.key.type === 'Identifier') use.texts.add(node.key.name)
    },
    TemplateLiteral(node) {
      if (node.expressions.length > 0) use.patterns.push(patternOf(node, ''))
    },
    CallExpression(node) {
      const namespace = namespaceOf(node)
      if (namespace !== undefined) use.namespaces.add(namespace)
      const argument = keyArgument(node)
      if (argument) calls.push(argument)
    },
  }).visit(programOf(tree, file))

  const prefixes = [...use.namespaces].map((namespace) => (namespace === '' ? '' : `${namespace}.`))
  for (const { argument, full } of calls) {
    const under = full || prefixes.length === 0 ? [''] : prefixes
    const leaves = leavesOf(argument)
    if (leaves.length === 0) use.dynamicIn = homeOf(file)
    for (const leaf of leaves) {
      const at = `${file}:${lineAt(text, leaf.start)}`
      if (leaf.type === 'Literal')
        use.asked.push({ candidates: under.map((prefix) => prefix + String(leaf.value)), at })
      else use.patterns.push(...under.map((prefix) => patternOf(leaf, prefix)))
    }
  }
  return use
}

const homeOf = (file: string): string =>
  /^src\/features\/[^/]+\//.exec(file)?.[0] ?? `${path.posix.dirname(file)}/`

/** `offers` of `useTranslations('offers')`, nothing when the call makes no translator. */
function namespaceOf(node: ESTree.CallExpression): string | undefined {
  const name = nameOf(node.callee)
  if (name === 'translatorOf') return ''
  if (name !== 'useTranslations') return undefined
  const [first] = node.arguments
  return first?.type === 'Literal' && typeof first.value === 'string' ? first.value : ''
}

/** The key in `t(…)`, `t.rich(…)`, `key(…)` and `translate(language, …)`; the last two take whole keys. */
function keyArgument(node: ESTree.CallExpression): { argument: ESTree.Node; full: boolean } | undefined {
  const { callee } = node
  const name = nameOf(callee) ?? ''
  const variant =
    callee.type === 'MemberExpression' && VARIANTS.has(name) && nameOf(callee.object) === TRANSLATOR
  const full = callee.type === 'Identifier' && Object.hasOwn(KEY_SOURCES, name)
  const plain = callee.type === 'Identifier' && name === TRANSLATOR
  const argument = full
    ? node.arguments[KEY_SOURCES[name]!]
    : variant || plain
      ? node.arguments[0]
      : undefined
  return argument && { argument, full }
}

function leavesOf(node: ESTree.Node): (ESTree.StringLiteral | ESTree.TemplateLiteral)[] {
  if (node.type === 'Literal' && typeof node.value === 'string') return [node as ESTree.StringLiteral]
  if (node.type === 'TemplateLiteral') return [node]
  if (node.type === 'ConditionalExpression')
    return [...leavesOf(node.consequent), ...leavesOf(node.alternate)]
  if (node.type === 'LogicalExpression') return [...leavesOf(node.left), ...leavesOf(node.right)]
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression')
    return leavesOf(node.expression)
  return []
}

/** `${a}.title` under "cart." as /^cart\.[\w.]+\.title$/. */
function patternOf(node: ESTree.TemplateLiteral, prefix: string): RegExp {
  const parts = node.quasis.map((quasi) =>
    (quasi.value.cooked ?? '').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  return new RegExp(`^${prefix.replaceAll('.', '\\.')}${parts.join('[\\w.]+')}$`)
}
