import type { ESTree } from 'vite'
import { findIn, nameOf } from './syntax.ts'
import { type Finding, type HouseRule, type Tree, isTest } from './tree.ts'

/** Where people read what stands in the code. */
const SEEN = /^src\/(features\/[^/]+\/screens|ui|app|client)\/.*\.tsx?$/
const SPOKEN = new Set([
  'alt',
  'label',
  'placeholder',
  'title',
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
])
const UNSPOKEN_ELEMENTS = new Set(['style', 'script'])
const LETTERS = /\p{L}/u

/** The texts an expression can come out as: `a`, `b ? 'x' : 'y'`, `c && 'z'`, `${d} left`. */
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

/** `translate="no"` says so in HTML: a name of its own in every language, like the shop's. */
const isName = (node: ESTree.JSXElement): boolean =>
  node.openingElement.attributes.some(
    (one) =>
      one.type === 'JSXAttribute' &&
      one.name.name === 'translate' &&
      one.value?.type === 'Literal' &&
      one.value.value === 'no',
  )

function spokenTexts(node: ESTree.JSXElement): { start: number; text: string }[] {
  if (UNSPOKEN_ELEMENTS.has(elementName(node)) || isName(node)) return []
  const attributes = node.openingElement.attributes.flatMap((one) =>
    one.type === 'JSXAttribute' && typeof one.name.name === 'string' && SPOKEN.has(one.name.name) && one.value
      ? [one.value]
      : [],
  )
  return [...attributes, ...node.children].flatMap((part) => {
    if (part.type === 'JSXText') return [{ start: part.start, text: part.value }]
    return textsOf(part.type === 'JSXExpressionContainer' ? part.expression : part)
  })
}

const hardText = (tree: Tree): Finding[] =>
  tree.files
    .filter((file) => SEEN.test(file) && !isTest(file))
    .flatMap((file) =>
      findIn(tree, file, (tell) => {
        const tellTexts = (texts: { start: number; text: string }[]): void => {
          for (const { start, text } of texts) {
            if (LETTERS.test(text))
              tell({ start }, `text outside the catalogues: ${text.trim().replaceAll(/\s+/g, ' ')}`)
          }
        }
        return {
          JSXElement: (node) => tellTexts(spokenTexts(node)),
          JSXFragment: (node) =>
            tellTexts(
              node.children.flatMap((part) =>
                part.type === 'JSXText' ? [{ start: part.start, text: part.value }] : [],
              ),
            ),
          CallExpression(node) {
            const onToast = node.callee.type === 'MemberExpression' && nameOf(node.callee.object) === 'toast'
            if (onToast) tellTexts(node.arguments.slice(0, 1).flatMap(textsOf))
          },
        }
      }),
    )

export const textRules = {
  texts: { about: 'every text that people read lies in the catalogues', check: hardText },
} satisfies Record<string, HouseRule>
