/** `npm run deps`: holds the imports of the tree against the rules that `slices.json` gives. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type ICruiseResult, cruise } from 'dependency-cruiser'
import { TEST_FILES, dependencyRules } from './dependency-rules.ts'
import { type Import, PAIRS, pairFaults } from './pairs.ts'
import { readSlices } from './slices.ts'

const FOLDERS = ['src', 'emulators', 'db', 'tools', 'art', 'test']

export type DependencyFindings = {
  /** Files of ours that were read, and imports between them that were followed. */
  modules: number
  imports: number
  /** Those of what is shipped, without tests. */
  shipped: Import[]
  broken: { rule: string; from: string; to: string }[]
}

/** @param root folder of a checkout */
export async function checkDependencies(root: string): Promise<DependencyFindings> {
  const { output } = await cruise(
    [
      ...FOLDERS.filter((folder) => existsSync(path.join(root, folder))),
      ...readdirSync(root).filter((file) => file.endsWith('.config.ts')),
    ],
    {
      baseDir: root,
      parser: 'swc', // TypeScript 7 has no compiler API; without another parser nothing would be read
      tsPreCompilationDeps: true, // types count: a screen takes not even a type from a server part
      validate: true,
      ruleSet: { forbidden: dependencyRules(readSlices(root)) },
      doNotFollow: { path: 'node_modules' },
      moduleSystems: ['es6', 'cjs'],
    },
    {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    } as unknown as Parameters<typeof cruise>[2], // its type demands a file system that it makes by itself
  )
  const { summary, modules } = output as ICruiseResult
  const ours = modules.filter(({ source }) => FOLDERS.some((folder) => source.startsWith(`${folder}/`)))
  const followed = ours
    .flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    )
    .filter(({ to }) => to.startsWith('src/'))
  return {
    modules: ours.length,
    imports: followed.length,
    shipped: followed.filter(({ from }) => !new RegExp(TEST_FILES).test(from)),
    broken: summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      from,
      to: to.replace(/^.*(?=node_modules\/)/, ''),
    })),
  }
}

if (import.meta.main) {
  const { modules, imports, shipped, broken } = await checkDependencies(
    path.resolve(import.meta.dirname, '../..'),
  )
  for (const { rule, from, to } of broken) console.error(`${from} -> ${to}\n  breaks «${rule}»`)
  const pairs = pairFaults(shipped, PAIRS)
  for (const fault of pairs) console.error(fault)
  const blind = modules === 0 || imports === 0
  if (blind) console.error('No imports were followed: the gate has checked nothing.')
  const faults = broken.length + pairs.length
  console.log(`${modules} files, ${imports} imports of ours, ${faults} broken rules.`)
  process.exitCode = blind || faults > 0 ? 1 : 0
}
