import path from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { type ESTree, Visitor } from 'vite'
import { type Finding, type HouseRule, type Tree, isCode, isTest, lineAt, nameOf, programOf } from './tree.ts'

export const SOURCE_LANGUAGE = 'fr'
const CATALOGUE = /^src\/i18n\/([a-z]{2})\/([\w-]+)\.json$/

type Node = string | { [name: string]: Node }

/** One message: "namespace.path", with the file it stands in. */
type Message = { key: string; file: string; text: string }

type Catalogue = { language: string; files: string[]; messages: Map<string, Message> }

/** The catalogues of a tree, the source language first. */
export function readCatalogues(tree: Tree): Catalogue[] {
  const catalogues = new Map<string, Catalogue>()
  for (const file of tree.files) {
    const [, language, namespace] = CATALOGUE.exec(file) ?? []
    if (!language || !namespace) continue
    const catalogue = catalogues.get(language) ?? {
      language,
      files: [],
      messages: new Map<string, Message>(),
    }
    catalogues.set(language, catalogue)
    catalogue.files.push(`${namespace}.json`)
    collect(JSON.parse(tree.read(file)) as Node, namespace, (key, text) =>
      catalogue.messages.set(key, { key, file, text }),
    )
  }
  return [...catalogues.values()].sort((a) => (a.language === SOURCE_LANGUAGE ? -1 : 1))
}

function collect(node: Node, key: string, add: (key: string, text: string) => void): void {
  if (typeof node === 'string') return add(key, node)
  for (const [name, child] of Object.entries(node)) collect(child, `${key}.${name}`, add)
}

/**
 * The arguments of an ICU message with what they are, as "count: plural", sorted; tags are not used.
 * @throws SyntaxError when the message is not well formed
 */
function argumentsOf(text: string, language: string): string[] {
  const found = new Set<string>()
  visit(new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst(), found)
  return [...found].sort()
}

type Elements = ReturnType<IntlMessageFormat['getAst']>
/** The numbers of @formatjs/icu-messageformat-parser, which gives them no names at run time. */
const KINDS: Record<number, string> = {
  1: 'text',
  2: 'number',
  3: 'date',
  4: 'time',
  5: 'select',
  6: 'plural',
}

function visit(elements: Elements, found: Set<string>): void {
  for (const element of elements) {
    const kind = KINDS[element.type]
    if (kind && 'value' in element) found.add(`${element.value}: ${kind}`)
    if ('options' in element && element.options) {
      for (const option of Object.values(element.options)) visit(option.value, found)
    }
  }
}

/**
 * The plurals of an ICU message, each as its branches by name with their text; none when it is not well formed, which
 * another rule reports. Ordinals are left out: a language may have no word of its own for the first.
 */
export function pluralsOf(text: string, language: string): Map<string, string>[] {
  const found: Map<string, string>[] = []
  const walk = (elements: Elements): void => {
    for (const element of elements) {
      if (!('options' in element)) continue
      const branches = Object.entries(element.options)
      if ('pluralType' in element && element.pluralType === 'cardinal')
        found.push(new Map(branches.map(([name, { value }]) => [name, textOf(text, value)])))
      for (const [, { value }] of branches) walk(value)
    }
  }
  try {
    walk(
      new IntlMessageFormat(text, language, undefined, { ignoreTag: true, captureLocation: true }).getAst(),
    )
  } catch {
    return []
  }
  return found
}

const textOf = (text: string, elements: Elements): string => {
  const [first, last] = [elements[0]?.location, elements.at(-1)?.location]
  return first && last ? text.slice(first.start.offset, last.end.offset) : ''
}

/** What one file says of messages: the keys it asks for by name, and texts that may name keys elsewhere. */
type MessageUse = {
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

function messageUses(tree: Tree): MessageUse[] {
  return tree.files
    .filter((file) => /^(src|db|tools)\//.test(file) && isCode(file) && !isTest(file))
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

function sameFiles(tree: Tree): Finding[] {
  const [source, ...others] = readCatalogues(tree)
  return others.flatMap(({ language, files }) => [
    ...source!.files
      .filter((file) => !files.includes(file))
      .map((file) => `src/i18n/${language}:1  lacks ${file}`),
    ...files
      .filter((file) => !source!.files.includes(file))
      .map((file) => `src/i18n/${language}/${file}:1  has no French source`),
  ])
}

function sameKeys(tree: Tree): Finding[] {
  const [source, ...others] = readCatalogues(tree)
  return others.flatMap(({ language, messages }) => [
    ...[...source!.messages.values()]
      .filter(({ key }) => !messages.has(key))
      .map(({ key, file }) => `${file}:1  ${key} is missing in ${language}`),
    ...[...messages.values()]
      .filter(({ key }) => !source!.messages.has(key))
      .map(({ key, file }) => `${file}:1  ${key} has no French source`),
  ])
}

function emptyMessages(tree: Tree): Finding[] {
  return readCatalogues(tree).flatMap(({ messages }) =>
    [...messages.values()]
      .filter(({ text }) => text.trim() === '')
      .map(({ key, file }) => `${file}:1  ${key} is empty`),
  )
}

/** Well-formed ICU, and in every language the arguments of the French message. */
function sameArguments(tree: Tree): Finding[] {
  const [source, ...others] = readCatalogues(tree)
  const read = (text: string, language: string): string => {
    try {
      return argumentsOf(text, language).join(', ')
    } catch (error) {
      return `not well formed: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return [...source!.messages.values()].flatMap(({ key, file, text }) => {
    const wanted = read(text, source!.language)
    if (wanted.startsWith('not well formed')) return [`${file}:1  ${key} is ${wanted}`]
    return others.flatMap(({ language, messages }) => {
      const other = messages.get(key)
      const found = other ? read(other.text, language) : wanted
      return found === wanted ? [] : [`${other!.file}:1  ${key} has {${found}}, French has {${wanted}}`]
    })
  })
}

function missingKeys(tree: Tree): Finding[] {
  const [source] = readCatalogues(tree)
  const known = source!.messages
  return messageUses(tree).flatMap(({ asked }) =>
    asked
      .filter(({ candidates }) => !candidates.some((key) => known.has(key)))
      .map(({ candidates, at }) => `${at}  there is no message ${candidates.join(' or ')}`),
  )
}

/**
 * A message counts as used when the source asks for it, spells its key, builds it in a template, or translates under
 * its namespace and spells the rest of the key nearby.
 */
function unusedKeys(tree: Tree): Finding[] {
  const [source] = readCatalogues(tree)
  const uses = messageUses(tree)
  const asked = new Set(uses.flatMap((use) => use.asked.flatMap(({ candidates }) => candidates)))
  const texts = new Set(uses.flatMap((use) => [...use.texts]))
  const patterns = uses.flatMap((use) => use.patterns).filter(isSpecific)
  const isUsed = (key: string): boolean =>
    asked.has(key) ||
    texts.has(key) ||
    patterns.some((pattern) => pattern.test(key)) ||
    spellsRest(key, uses, texts)
  return [...source!.messages.values()]
    .filter(({ key }) => !isUsed(key))
    .map(({ key, file }) => `${file}:1  ${key} is used nowhere`)
}

/** A template like `${a}` or `/${b}.json` would match every key. */
const isSpecific = (pattern: RegExp): boolean => /^\^[a-zA-Z]+\\\./.test(pattern.source)

/**
 * "cart.problem.ended" where a file translates under "cart.problem" and says 'ended'; where it asks for `t(problem.kind)`,
 * its slice may say it. A rest of several steps is specific enough to count anywhere.
 */
function spellsRest(key: string, uses: readonly MessageUse[], texts: ReadonlySet<string>): boolean {
  return uses.some(({ namespaces, texts: own, dynamicIn }) =>
    [...namespaces].some((namespace) => {
      if (namespace === '' || !key.startsWith(`${namespace}.`)) return false
      const rest = key.slice(namespace.length + 1)
      const saidNearby =
        dynamicIn && uses.some((use) => use.file.startsWith(dynamicIn) && use.texts.has(rest))
      return own.has(rest) || saidNearby || (rest.includes('.') && texts.has(rest))
    }),
  )
}

export const catalogueRules = {
  languages: { about: 'every language has the same catalogues', check: sameFiles },
  keys: { about: 'every language has the same messages', check: sameKeys },
  emptiness: { about: 'no message is empty', check: emptyMessages },
  arguments: { about: 'messages are well-formed ICU with the same arguments', check: sameArguments },
  missing: { about: 'every message that is asked for exists', check: missingKeys },
  unused: { about: 'every message is used', check: unusedKeys },
} satisfies Record<string, HouseRule>
