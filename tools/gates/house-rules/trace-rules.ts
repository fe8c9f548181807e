import path from 'node:path'
import { type Finding, type HouseRule, type Tree, isCanary, matches } from './tree.ts'

const checkout = path.resolve(import.meta.dirname, '../../..')
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const TRACES: [RegExp, string][] = [
  // A checkout right under the root of the disk would forbid a word like "/app".
  ...(checkout.split(path.sep).length > 2
    ? [[new RegExp(`${escaped(checkout)}\\b`, 'g'), 'a path of this machine'] as [RegExp, string]]
    : []),
  [/(?<![\w.])\/(?:home|Users)\/[a-z][\w.-]*\/[\w.-]+/g, "a path of somebody's machine"],
  [/\b[A-Z]:\\\\?Users\\/g, "a path of somebody's machine"],
  [
    /https?:\/\/(?!registry\.npmjs\.org\b)[\w.-]*(?:registry|npm-?proxy|artifactory|verdaccio|nexus)[\w.-]*(?::\d+)?\//g,
    'a package registry',
  ],
]

const SECRETS: [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\\?n?[A-Za-z0-9+/]{40}/g, 'a private key'],
  [/\b(?:_authToken|_auth)\s*=\s*\S+/g, 'a registry token'],
  [/\b(?:ghp|gho|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{20,}/g, 'an access token'],
  [/\bAKIA[0-9A-Z]{16}\b/g, 'a cloud key'],
  [/\b[sr]k_live_[A-Za-z0-9]{16,}/g, 'a payment key'],
]

const search = (tree: Tree, patterns: [RegExp, string][]): Finding[] =>
  tree.files
    .filter((file) => !isCanary(file))
    .flatMap((file) =>
      patterns.flatMap(([pattern, what]) => matches(tree, file, pattern, () => `names ${what}`)),
    )

export const traceRules = {
  traces: { about: 'nothing names a machine or a registry', check: (tree) => search(tree, TRACES) },
  secrets: { about: 'no secret lies in the tree', check: (tree) => search(tree, SECRETS) },
} satisfies Record<string, HouseRule>
