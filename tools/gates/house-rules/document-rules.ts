import path from 'node:path'
import { type Finding, type HouseRule, type Tree, matches } from './tree.ts'

const RECORD = /^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/
const PARTS = ['Context', 'Decision', 'Consequences', 'Alternatives', 'Enforced by']
const HEAD =
  /^# \d{4} .+\n\n(?:Status: (?:accepted|superseded by \d{4})) · Area: .+ · Date: \d{4}-\d{2}-\d{2}\n/

const documents = (tree: Tree): string[] => tree.files.filter((file) => file.endsWith('.md'))

/** Links between documents; pictures count, the web does not. */
function links(tree: Tree): Finding[] {
  const known = new Set(tree.files.flatMap((file) => [file, ...foldersOf(file)]))
  return documents(tree).flatMap((file) =>
    matches(
      tree,
      file,
      /\]\((?!https?:|mailto:|#)([^)\s#]+\.(?:md|tsx?|mjs|json|ya?ml|sql|css)|[^)\s#]+\/)(?:#[^)]*)?\)/g,
      ([, to]) => to!,
    )
      .filter((finding) => !known.has(target(file, finding.split('  ')[1]!)))
      .map((finding) => finding.replace('  ', '  links to nothing: ')),
  )
}

const target = (from: string, to: string): string =>
  path.posix.normalize(path.posix.join(path.posix.dirname(from), to)).replace(/\/$/, '')

const foldersOf = (file: string): string[] =>
  file
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))

function records(tree: Tree): Finding[] {
  const found = documents(tree).filter((file) => file.startsWith('docs/adr/'))
  return found.flatMap((file, index) => {
    const number = RECORD.exec(file)?.[1]
    if (!number) return [`${file}:1  is not named NNNN-title.md`]
    const text = tree.read(file)
    const missing = PARTS.filter((part) => !text.includes(`\n**${part}.** `))
    return [
      ...(Number(number) === index + 1
        ? []
        : [`${file}:1  the record before it is missing, or the number is taken`]),
      ...(HEAD.test(text) && text.startsWith(`# ${number} `)
        ? []
        : [`${file}:1  lacks title, status, area or date`]),
      ...missing.map((part) => `${file}:1  lacks ${part}`),
    ]
  })
}

const PAPERS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE']

/** The papers a newcomer looks for; the map names every slice, as `slice`. */
function papers(tree: Tree): Finding[] {
  const missing = PAPERS.filter((file) => !tree.files.includes(file))
  const map = tree.files.includes('ARCHITECTURE.md') ? tree.read('ARCHITECTURE.md') : undefined
  const slices = Object.keys(JSON.parse(tree.read('slices.json')) as object)
  return [
    ...missing.map((file) => `${file}:1  is missing`),
    ...slices
      .filter((slice) => map !== undefined && !map.includes(`\`${slice}\``))
      .map((slice) => `ARCHITECTURE.md:1  does not name the slice ${slice}`),
  ]
}

export const documentRules = {
  papers: { about: 'the papers are there, and the map names every slice', check: papers },
  links: { about: 'links between documents lead somewhere', check: links },
  records: { about: 'decision records are numbered and whole', check: records },
} satisfies Record<string, HouseRule>
