import { type ESTree, Visitor } from 'vite'
import { type Tree, isTest, programOf } from './tree.ts'

/** A test by its title in the source, without the numbers of demands. */
export interface TitledTest {
  file: string
  title: string
  /** Numbers of the demands that the test shows: the text of `[spec 5.27, 6.1-6.3]`. */
  demands: string
}

const ANNOTATION = / ?\[spec ([^\]]*)\]$/
const known = new WeakMap<Tree, TitledTest[]>()

/** Every test of the tree, also those whose title is made (`%s`, `$name`, `${…}`). */
export function testsOf(tree: Tree): readonly TitledTest[] {
  const tests =
    known.get(tree) ??
    tree.files.filter(isTest).flatMap((file) =>
      sourceTitles(tree, file).map((title) => ({
        file,
        title: title.replace(ANNOTATION, ''),
        demands: ANNOTATION.exec(title)?.[1] ?? '',
      })),
    )
  known.set(tree, tests)
  return tests
}

/** Whether a test has this title; one with placeholders is also known by the part before the first. */
export const hasTest = (tree: Tree, name: string): boolean =>
  testsOf(tree).some(({ title }) => title === name || fixedStart(title) === name)

function sourceTitles(tree: Tree, file: string): string[] {
  const source = tree.read(file)
  const titles: string[] = []
  new Visitor({
    CallExpression(node) {
      const [title] = node.arguments
      if (!title || !callsTest(node.callee)) return
      if (title.type === 'Literal' && typeof title.value === 'string') titles.push(title.value)
      if (title.type === 'TemplateLiteral') titles.push(source.slice(title.start + 1, title.end - 1))
    },
  }).visit(programOf(tree, file))
  return titles
}

/** Whether `test(…)`, `it(…)`, `test.each(…)(…)` or `test.skipIf(…)(…)` is called. */
function callsTest(callee: ESTree.Expression | ESTree.Super): boolean {
  if (callee.type === 'Identifier') return callee.name === 'test' || callee.name === 'it'
  const maker =
    callee.type === 'CallExpression'
      ? callee.callee
      : callee.type === 'TaggedTemplateExpression'
        ? callee.tag
        : undefined
  return maker?.type === 'MemberExpression' && callsTest(maker.object)
}

function fixedStart(title: string): string {
  const made = title.search(/\$\{|\$[a-z]|%[sdifjo#$]/)
  return made === -1 ? title : title.slice(0, made).replace(/[\s:,("'«]+$/, '')
}
