import path from 'node:path'
import { type Finding, type HouseRule, type Tree, isCode, isTest } from './tree.ts'

const SOURCE = /^@source '([^']+)';/gm

/** The paths that a stylesheet has Tailwind read for class names, as globs from the root of the tree. */
const sourcesOf = (tree: Tree, stylesheet: string): string[] =>
  [...tree.read(stylesheet).matchAll(SOURCE)].map(([, source = '']) => {
    const glob = path.posix.join(path.posix.dirname(stylesheet), source)
    return /\.[^./]+$/.test(glob) ? glob : `${glob}/**`
  })

/** The stylesheets whose pages show what lies in a folder of this name. */
const STYLESHEETS_OF = [
  { folder: /\/(screens|apps\/site|client|ui)\//, stylesheet: 'src/apps/site/styles/app.css' },
  { folder: /\/(console|console-kit|apps\/console|ui)\//, stylesheet: 'src/apps/console/console.css' },
]

/** Components whose classes are in no stylesheet, because no `@source` reaches their folder. */
const unstyled = (tree: Tree): Finding[] =>
  STYLESHEETS_OF.flatMap(({ folder, stylesheet }) => {
    const sources = sourcesOf(tree, stylesheet)
    return tree.files
      .filter((file) => file.startsWith('src/') && folder.test(file) && isCode(file) && !isTest(file))
      .filter((file) => tree.read(file).includes('className'))
      .filter((file) => !sources.some((source) => path.posix.matchesGlob(file, source)))
      .map((file) => `${file}:1  ${stylesheet} has no @source that reaches it`)
  })

export const styleRules = {
  styled: { about: 'the classes of every component are in the stylesheet of its pages', check: unstyled },
} satisfies Record<string, HouseRule>
