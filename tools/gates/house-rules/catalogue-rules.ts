import { argumentsOf, readCatalogues } from './catalogues.ts'
import { type MessageUse, messageUses } from './message-use.ts'
import type { Finding, HouseRule, Tree } from './tree.ts'

/**
 * Keys that no text of the source spells out, with the reason.
 * A key belongs here only when its name is put together from something that is not ours.
 */
const ASKED_FROM_OUTSIDE: { pattern: RegExp; reason: string }[] = []

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
    ASKED_FROM_OUTSIDE.some(({ pattern }) => pattern.test(key)) ||
    spellsRest(key, uses, texts)
  return [...source!.messages.values()]
    .filter(({ key }) => !isUsed(key))
    .map(({ key, file }) => `${file}:1  ${key} is used nowhere`)
}

/** A template like `${a}` or `/${b}.json` would match every key. */
const isSpecific = (pattern: RegExp): boolean => /^\^[a-zA-Z]+\\\./.test(pattern.source)

/**
 * "cart.problem.ended" where a file translates under "cart.problem" and says 'ended'; where it asks for `t(problem.kind)`,
 * its slice may say it. A rest of several steps is telling enough to count anywhere.
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
