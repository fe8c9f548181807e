import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { typeset } from './gates/house-rules/word-rules.ts'

/** `npm run words`: sets the apostrophes, quotation marks, dots and spaces of every catalogue as docs/words.md says. */

type Tree = { [name: string]: string | Tree }

const catalogues = path.resolve(import.meta.dirname, '../src/i18n')

const typesetTree = (tree: Tree, language: string): Tree =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      typeof node === 'string' ? typeset(language, node) : typesetTree(node, language),
    ]),
  )

const files = readdirSync(catalogues, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.json'),
)
for (const file of files) {
  const place = path.join(catalogues, file)
  const before = readFileSync(place, 'utf8')
  const tree = typesetTree(JSON.parse(before) as Tree, path.dirname(file))
  const after = `${JSON.stringify(tree, null, 2)}\n`
  if (after !== before) {
    writeFileSync(place, after)
    process.stdout.write(`set src/i18n/${file}\n`)
  }
}
