import path from 'node:path'
import { IN_SLICE } from '../../../tools/gates/slices.ts'
import { type Finding, type HouseRule, type Tree, isCode, isTest, matches } from './tree.ts'

export const SOURCE_LANGUAGE = 'fr'
const CATALOGUE = /^src\/i18n\/([a-z]{2})\/([\w-]+)\.json$/

type Node = string | { [name: string]: Node }

/** One message with its key, "namespace.path", and the file it stands in. */
type Message = { language: string; key: string; file: string; text: string }

/** Every message of a tree in every language. */
export function readMessages(tree: Tree): Message[] {
  return tree.files.flatMap((file) => {
    const [, language, namespace] = CATALOGUE.exec(file) ?? []
    if (!language || !namespace) return []
    const collect = (node: Node, key: string): Message[] =>
      typeof node === 'string'
        ? [{ language, key, file, text: node }]
        : Object.entries(node).flatMap(([name, child]) => collect(child, `${key}.${name}`))
    return collect(JSON.parse(tree.read(file)) as Node, namespace)
  })
}

/** Text whose braces nest up to five deep. */
const nested = (depth = 5): string => (depth === 0 ? '[^{}]*' : `(?:[^{}]|\\{${nested(depth - 1)}\\})*`)
const BRANCH = `\\s*(=\\d+|\\w+) \\{(${nested()})\\}`
/** Looks ahead to the branches, so that a plural within a plural is found as well. */
const PLURAL = new RegExp(`\\{\\w+, plural,(?=((?:${BRANCH})+))`, 'g')

/** The cardinal plurals of an ICU message, each as its branches by name with their text. */
export const pluralsOf = (text: string): Map<string, string>[] =>
  [...text.matchAll(PLURAL)].map(
    ([, branches = '']) =>
      new Map(
        [...branches.matchAll(new RegExp(BRANCH, 'g'))].map(([, name = '', words = '']) => [name, words]),
      ),
  )

const SOURCE_CODE = /^(src|db|tools)\//
/** A text that may be a message key, or a property of a table keyed by message names. */
const WORD = /['"`]([\w.]+)['"`]|(\w+):/g
const TEMPLATE = /`([^`\n]*\$\{[^`\n]*)`/g
const NAMESPACE = /useTranslations\(\s*'([\w.]+)'/g

/** What a source file says of messages: texts, keys with holes as patterns, and the namespaces it translates under. */
const usesOf = (tree: Tree) =>
  tree.files
    .filter((file) => SOURCE_CODE.test(file) && isCode(file) && !isTest(file))
    .map((file) => {
      const source = tree.read(file)
      const namespaces = [...source.matchAll(NAMESPACE)].map(([, name = '']) => name)
      return {
        home: IN_SLICE.exec(file)?.[0] ?? `${path.posix.dirname(file)}/`,
        words: new Set([...source.matchAll(WORD)].map(([, text, property]) => text ?? property ?? '')),
        patterns: [...source.matchAll(TEMPLATE)].flatMap(([, template = '']) =>
          ['', ...namespaces.map((name) => `${name}.`)].map((prefix) => patternOf(prefix + template)),
        ),
        namespaces,
      }
    })

/** `cart.${a}.title` as /^cart\.[\w.]+\.title$/. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\w.-]+')}$`,
  )

/** A template like `${a}` or `/${b}.json` would match every key. */
const isSpecific = ({ source }: RegExp): boolean => /^\^[a-zA-Z]+\\\./.test(source)

/**
 * Messages that no source file spells, builds in a template, or translates under their namespace while its slice spells
 * the rest of the key.
 */
function unusedMessages(tree: Tree): Finding[] {
  const uses = usesOf(tree)
  const all = new Set(uses.flatMap(({ words }) => [...words]))
  const patterns = uses.flatMap((use) => use.patterns).filter(isSpecific)
  const wordsOfHome = Map.groupBy(uses, ({ home }) => home)
  const spellsRest = (key: string): boolean =>
    uses.some(({ namespaces, home }) =>
      namespaces.some((namespace) => {
        if (!key.startsWith(`${namespace}.`)) return false
        const rest = key.slice(namespace.length + 1)
        return (
          (rest.includes('.') && all.has(rest)) || wordsOfHome.get(home)!.some(({ words }) => words.has(rest))
        )
      }),
    )
  return readMessages(tree)
    .filter(({ language }) => language === SOURCE_LANGUAGE)
    .filter(({ key }) => !all.has(key) && !patterns.some((one) => one.test(key)) && !spellsRest(key))
    .map(({ key, file }) => `${file}:1  ${key} is used nowhere`)
}

/** Keys of the server's own namespaces, which the compiler does not know, that are asked for and do not exist. */
function missingMessages(tree: Tree): Finding[] {
  const keys = new Set(readMessages(tree).map(({ key }) => key))
  return tree.files
    .filter((file) => SOURCE_CODE.test(file) && isCode(file) && !isTest(file))
    .flatMap((file) =>
      matches(
        tree,
        file,
        /\btranslate\([\w.]+,\s*'([\w.]+)'/g,
        ([, key = '']) => !keys.has(key) && `there is no message ${key}`,
      ),
    )
}

export const catalogueRules = {
  missing: { about: 'every message that the server asks for exists', check: missingMessages },
  unused: { about: 'every message is used', check: unusedMessages },
} satisfies Record<string, HouseRule>
