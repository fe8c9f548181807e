/** One file for each setting of tsconfig.json that the project leans on, with the error it must raise. */
export const TYPE_CANARIES: { file: string; text: string; error: string }[] = [
  { file: 'src/strict.ts', text: 'export const a: string = null', error: 'TS2322' },
  { file: 'src/implicit.ts', text: 'export const a = (b) => b', error: 'TS7006' },
  { file: 'src/unchecked.ts', text: 'export const a = (b: string[]): string => b[0]', error: 'TS2322' },
  {
    file: 'src/override.ts',
    text: 'class A {\n  a() {}\n}\nexport class B extends A {\n  a() {}\n}',
    error: 'TS4114',
  },
  {
    file: 'src/fallthrough.ts',
    text: 'export function f(a: number) {\n  switch (a) {\n    case 1:\n      f(2)\n    case 2:\n      f(3)\n  }\n}',
    error: 'TS7029',
  },
  { file: 'src/erasable.ts', text: 'export enum A {\n  B,\n}', error: 'TS1294' },
  {
    file: 'src/verbatim.ts',
    text: "import { IncomingHttpHeaders } from 'node:http'\nexport type A = IncomingHttpHeaders",
    error: 'TS1484',
  },
  { file: 'emulators/checked.ts', text: "export const a: number = 'x'", error: 'TS2322' },
  { file: 'test/checked.ts', text: "export const a: number = 'x'", error: 'TS2322' },
  { file: 'tools/checked.ts', text: "export const a: number = 'x'", error: 'TS2322' },
]

/** A message key that French lacks must not compile. */
export const KEY_CANARY = {
  file: 'src/key-canary.ts',
  text: "import { key } from './i18n/keys.ts'\nexport const a = key('errors.noSuchMessage')",
}
