import { IntlMessageFormat } from 'intl-messageformat'
import type { Tree } from './tree.ts'

export const SOURCE_LANGUAGE = 'fr'
const CATALOGUE = /^src\/i18n\/([a-z]{2})\/([\w-]+)\.json$/

type Node = string | { [name: string]: Node }

/** One message: "namespace.path", with the file it stands in. */
export type Message = { key: string; file: string; text: string }

export type Catalogue = { language: string; files: string[]; messages: Map<string, Message> }

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
export function argumentsOf(text: string, language: string): string[] {
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
 * another rule tells. Ordinals are left out: a language may have no word of its own for the first.
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
