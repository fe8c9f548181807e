/** `npm run deps`: holds the imports of the tree against the rules that `slices.json` gives. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type ICruiseResult, cruise } from 'dependency-cruiser'
import { dependencyRules } from './dependency-rules.ts'
import { readSlices } from './slices.ts'

const FOLDERS = ['src', 'emulators', 'db', 'tools', 'test']
/** Below this share of resolved imports of ours the gate would be looking at nothing. */
const FEWEST_MODULES = 10

export type DependencyFindings = { modules: number; violations: { rule: string; from: string; to: string }[] }

/** @param root folder of a checkout */
export async function checkDependencies(root: string): Promise<DependencyFindings> {
  const rules = dependencyRules(readSlices(root))
  const { output } = await cruise(
    FOLDERS.filter((folder) => existsSync(path.join(root, folder))),
    {
      baseDir: root,
      parser: 'swc',
      tsPreCompilationDeps: true,
      combinedDependencies: false,
      validate: true,
      ruleSet: { forbidden: rules },
      doNotFollow: { path: 'node_modules' },
      exclude: { path: ['^build/', '^\\.react-router/'] },
      moduleSystems: ['es6', 'cjs'],
    },
    {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      bustTheCache: true,
    } as never,
  )
  const { summary, modules } = output as ICruiseResult
  return {
    modules: modules.filter(({ source }) => /^(src|emulators|db|tools|test)\//.test(source)).length,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}

if (import.meta.main) {
  const { modules, violations } = await checkDependencies(path.resolve(import.meta.dirname, '../..'))
  for (const { rule, from, to } of violations) console.error(`${from} -> ${to}\n  breaks «${rule}»`)
  if (modules < FEWEST_MODULES) console.error(`Only ${modules} modules were read: the gate checked nothing.`)
  else console.log(`${modules} modules, ${violations.length} broken rules.`)
  process.exitCode = violations.length === 0 && modules >= FEWEST_MODULES ? 0 : 1
}
