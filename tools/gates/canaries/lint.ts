/** Files that lint must refuse, each with the rules it breaks, and files it must let through. */
export type LintCanary = { file: string; text: string; breaks: string[] }

const refused: LintCanary[] = [
  { file: 'src/console.ts', text: "console.log('x')", breaks: ['eslint(no-console)'] },
  {
    file: 'src/round.ts',
    text: 'export const a = Math.round(1.5)',
    breaks: ['eslint(no-restricted-properties)'],
  },
  {
    file: 'src/random.ts',
    text: 'export const a = Math.random()',
    breaks: ['eslint(no-restricted-properties)'],
  },
  { file: 'src/clock.ts', text: 'export const a = Date.now()', breaks: ['eslint(no-restricted-properties)'] },
  {
    file: 'src/circle-a.ts',
    text: "export { b } from './circle-b.ts'\nexport const a = 1",
    breaks: ['import(no-cycle)'],
  },
  {
    file: 'src/circle-b.ts',
    text: "export { a } from './circle-a.ts'\nexport const b = 1",
    breaks: ['import(no-cycle)'],
  },
  { file: 'src/ui/button.ts', text: 'export default 1', breaks: ['import(no-default-export)'] },
  { file: 'src/port.ts', text: 'export const a = process.env.PORT', breaks: ['node(no-process-env)'] },
  {
    file: 'emulators/paypal/port.ts',
    text: 'export const a = process.env.PORT',
    breaks: ['node(no-process-env)'],
  },
  {
    file: 'src/any.ts',
    text: 'export const a = (b: any) => String(b)',
    breaks: ['typescript(no-explicit-any)'],
  },
  {
    file: 'src/floating.ts',
    text: 'const a = async () => 1\nexport const b = () => {\n  a()\n}',
    breaks: ['typescript(no-floating-promises)'],
  },
  {
    file: 'src/misused.ts',
    text: 'const a = async () => true\nexport const b = a() ? 1 : 2',
    breaks: ['typescript(no-misused-promises)'],
  },
  {
    file: 'src/switch.ts',
    text: "export function f(a: 'x' | 'y') {\n  switch (a) {\n    case 'x':\n      return 1\n  }\n  return 2\n}",
    breaks: ['typescript(switch-exhaustiveness-check)'],
  },
  {
    file: 'src/ui/hook.tsx',
    text: "import { useState } from 'react'\nexport const useA = (b: boolean) => {\n  if (b) useState(1)\n}",
    breaks: ['react-hooks(rules-of-hooks)'],
  },
  {
    file: 'src/ui/effect.tsx',
    text: "import { useEffect } from 'react'\nexport const useA = (b: () => void) => {\n  useEffect(() => b(), [])\n}",
    breaks: ['react-hooks(exhaustive-deps)'],
  },
  {
    file: 'src/ui/picture.tsx',
    text: 'export const a = <img src="/a.avif" />',
    breaks: ['jsx-a11y(alt-text)'],
  },
  { file: 'src/unused.ts', text: 'const a = 1\nexport const b = 2', breaks: ['eslint(no-unused-vars)'] },
]

const allowed: LintCanary[] = [
  { file: 'src/shared/money.ts', text: 'export const a = Math.round(1.5)', breaks: [] },
  { file: 'src/shared/clock.ts', text: 'export const a = Date.now()', breaks: [] },
  { file: 'src/server/config.ts', text: 'export const a = process.env.PORT', breaks: [] },
  { file: 'src/app/routes/home.tsx', text: 'export default () => null', breaks: [] },
  { file: 'src/app/root.tsx', text: 'export default () => null', breaks: [] },
  { file: 'vite.config.ts', text: 'export default {}', breaks: [] },
  { file: 'tools/run.ts', text: 'console.log(process.env.PORT, Date.now())', breaks: [] },
]

export const LINT_CANARIES: LintCanary[] = [...refused, ...allowed]
