import type { ESTree, VisitorObject } from 'vite'
import { type Finding, type HouseRule, type Tree, findIn, isTest, nameOf } from './tree.ts'

/** Code whose texts people see. */
const SEEN = /^src\/(features\/.+\/screens|ui|apps\/site|client)\/.*\.tsx?$/
const SPOKEN =
  /^(alt|label|placeholder|title|aria-(label|description|placeholder|roledescription|valuetext))$/
/** Passed on in objects to toasts, heads and menus. */
const PASSED_ON = /^(description|caption|heading|siteName)$/
/** A message key or a name in code: one word of lower-case letters, perhaps with dots. */
const KEY_OR_CODE = /^[a-z][\w-]*(?:\.[\w-]+)*$/
const UNSPOKEN_ELEMENTS = new Set(['style', 'script'])
const LETTERS = /\p{L}/u

/** The texts that an expression can evaluate to: `a`, `b ? 'x' : 'y'`, `c && 'z'`, `${d} left`. */
function textsOf(node: ESTree.Node): { start: number; text: string }[] {
  const all = (...parts: ESTree.Node[]): { start: number; text: string }[] => parts.flatMap(textsOf)
  if (node.type === 'Literal' && typeof node.value === 'string')
    return [{ start: node.start, text: node.value }]
  if (node.type === 'TemplateLiteral') {
    return node.quasis.map((quasi) => ({ start: quasi.start, text: quasi.value.cooked ?? '' }))
  }
  if (node.type === 'ConditionalExpression') return all(node.consequent, node.alternate)
  if (node.type === 'LogicalExpression') return all(node.left, node.right)
  return node.type === 'BinaryExpression' && node.operator === '+' ? all(node.left, node.right) : []
}

const elementName = (node: ESTree.JSXElement): string =>
  node.openingElement.name.type === 'JSXIdentifier' ? node.openingElement.name.name : ''

/** `translate="no"` marks a name that is the same in every language, such as the shop's. */
const isName = (node: ESTree.JSXElement): boolean =>
  node.openingElement.attributes.some(
    (one) =>
      one.type === 'JSXAttribute' &&
      one.name.name === 'translate' &&
      one.value?.type === 'Literal' &&
      one.value.value === 'no',
  )

type ReportTexts = (texts: { start: number; text: string }[]) => void

/** `title` of `{ title: 'Cart' }` and of `{ 'aria-label': 'Cart' }`. */
const keyOf = (node: { key: ESTree.PropertyKey }): string =>
  node.key.type === 'Literal' ? String(node.key.value) : (nameOf(node.key as ESTree.Expression) ?? '')

const outsideCatalogues = (
  tree: Tree,
  file: string,
  visit: (report: ReportTexts) => VisitorObject,
): Finding[] =>
  findIn(tree, file, (report) =>
    visit((texts) => {
      for (const { start, text } of texts) {
        if (LETTERS.test(text))
          report({ start }, `text outside the catalogues: ${text.trim().replaceAll(/\s+/g, ' ')}`)
      }
    }),
  )

const hardText = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => SEEN.test(file) && !isTest(file))
    .flatMap((file) =>
      outsideCatalogues(tree, file, (report) => {
        /** Parts of elements and attributes that people do not read. */
        const unspoken = new Set<ESTree.Node>()
        return {
          JSXElement(node) {
            if (!UNSPOKEN_ELEMENTS.has(elementName(node)) && !isName(node)) return
            for (const part of [...node.children, ...node.openingElement.attributes]) unspoken.add(part)
          },
          JSXAttribute(node) {
            if (!node.value) return
            const name = node.name.type === 'JSXIdentifier' ? node.name.name : ''
            if (unspoken.has(node) || !SPOKEN.test(name)) unspoken.add(node.value)
            else report(textsOf(node.value))
          },
          JSXText(node) {
            if (!unspoken.has(node)) report([{ start: node.start, text: node.value }])
          },
          JSXExpressionContainer(node) {
            if (!unspoken.has(node)) report(textsOf(node.expression))
          },
          Property(node) {
            const key = keyOf(node)
            if (SPOKEN.test(key) || PASSED_ON.test(key))
              report(textsOf(node.value).filter(({ text }) => !KEY_OR_CODE.test(text)))
          },
          AssignmentExpression(node) {
            if (SPOKEN.test(nameOf(node.left as ESTree.Expression) ?? '')) report(textsOf(node.right))
          },
          CallExpression(node) {
            const onToast = node.callee.type === 'MemberExpression' && nameOf(node.callee.object) === 'toast'
            if (onToast) report(node.arguments.slice(0, 1).flatMap(textsOf))
          },
        }
      }),
    )

/** A mark that French sets apart from its word, and that a message therefore has itself. */
const MARK = /^\s*[:;!?»](?:\s|$)/

/** `t('total')`, `t.rich('total')`: a message. */
const isMessage = (node: ESTree.Node): boolean => {
  if (node.type !== 'CallExpression') return false
  const callee = node.callee.type === 'MemberExpression' ? node.callee.object : node.callee
  return /^t(?:[A-Z]\w*)?$/.test(nameOf(callee as ESTree.Expression) ?? '')
}

/** `{t('total')}: {total}` and `${t('total')}: ${total}`, which no language can set as it must. */
const markBehindMessage = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => /^src\/.*\.tsx?$/.test(file) && !isTest(file))
    .flatMap((file) =>
      findIn(tree, file, (report) => {
        const told = (node: ESTree.Node): void => report(node, 'the mark belongs into the message')
        const children = (nodes: readonly ESTree.Node[]): void =>
          nodes.forEach((node, at) => {
            const next = nodes[at + 1]
            const isSaid = node.type === 'JSXExpressionContainer' && isMessage(node.expression)
            if (isSaid && next?.type === 'JSXText' && MARK.test(next.value)) told(node)
          })
        return {
          JSXElement: (node) => children(node.children),
          JSXFragment: (node) => children(node.children),
          TemplateLiteral: (node) =>
            node.expressions.forEach((one, at) => {
              if (isMessage(one) && MARK.test(node.quasis[at + 1]?.value.cooked ?? '')) told(one)
            }),
        }
      }),
    )

/** Server code with texts for people: refusals, documents and emails. */
const SPEAKING = /^src\/(features\/.+\/server\/(?!texts\/)|platform\/http\/|server\/pages\/).*\.tsx?$/
/** "The cart is empty", "Panier vide", "Hello,": a capital, lower-case letters, then another word or a mark. */
const SENTENCE = /^\s*\p{Lu}[\p{Ll}’']+(?:[,:.!?]|\s+\p{L})/u
const SENTENCE_IN_MARKUP = />\s*\p{Lu}?\p{Ll}+(?:\s\p{L}+)*\s*</u
/** Read by programs, or quoted by the specification. */
const FOR_PROGRAMS = new Set([
  // The server text that the specification's client looks for (section 8).
  'Mauvaise réponse.',
  // `message` of a failed order, for the log of whoever calls the API; people read `detail`.
  'The payment provider did not answer.',
])
const LOGGING = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** Errors and log lines are for operators. */
const isForOperators = (node: ESTree.Node): boolean => {
  if (node.type === 'NewExpression') return (nameOf(node.callee) ?? '').endsWith('Error')
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  return LOGGING.has(nameOf(node.callee) ?? '') || nameOf(node.callee) === 'describe'
}

const hardAnswers = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => SPEAKING.test(file) && !isTest(file) && !file.endsWith('.repository.ts'))
    .flatMap((file) =>
      outsideCatalogues(tree, file, (report) => {
        const silent: { start: number; end: number }[] = []
        const enter = (node: ESTree.NewExpression | ESTree.CallExpression): void => {
          if (isForOperators(node)) silent.push(node)
        }
        const reportSentence = (start: number, text: string, next = ''): void => {
          const heard = !silent.some((node) => node.start <= start && start < node.end)
          const sentence = SENTENCE.test(text + next) || SENTENCE_IN_MARKUP.test(text)
          if (heard && sentence && !FOR_PROGRAMS.has(text)) report([{ start, text }])
        }
        return {
          NewExpression: enter,
          CallExpression: enter,
          Literal(node) {
            if (typeof node.value === 'string') reportSentence(node.start, node.value)
          },
          // What a hole holds may be the next word.
          TemplateElement: (node) =>
            reportSentence(node.start, node.value.cooked ?? '', node.tail ? '' : 'x'),
        }
      }),
    )

export const textRules = {
  marks: { about: 'a colon or a question mark stands in the message itself', check: markBehindMessage },
  texts: { about: 'every text of a screen is in the catalogues', check: hardText },
  answers: { about: 'every text that the server sends or prints is in the catalogues', check: hardAnswers },
} satisfies Record<string, HouseRule>
