/** Files as they must not be written, one for each setting of .oxfmtrc.json, and files that are right. */
export const MISFORMATTED: Record<string, string> = {
  'src/semicolon.ts': 'export const a = 1;\n',
  'src/quotes.ts': 'export const a = "x"\n',
  'src/indent.ts': 'export function f() {\n    return 1\n}\n',
  'src/width.ts': `export const a = [${Array.from({ length: 12 }, (_, index) => `'value number ${index}'`).join(', ')}]\n`,
  'src/comma.ts': `export const a = [\n${Array.from({ length: 12 }, (_, index) => `  'value number ${index}'`).join(',\n')}\n]\n`,
  'src/page.tsx': 'export const A = () => <p\n>x</p>\n',
  'src/catalogue.json': '{"a":1}\n',
  'README.md': '*   a\n*   b\n',
  '.github/workflows/ci.yml': 'on:    push\n',
}

export const WELL_FORMATTED: Record<string, string> = {
  'src/right.ts': "export const a = ['x']\n",
  'src/right.json': '{ "a": 1 }\n',
  'src/platform/database-types.ts': 'export type Generated = "by a program";\n',
}
