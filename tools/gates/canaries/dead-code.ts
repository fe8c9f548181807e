/** A tree of live code with one of each dead thing, and what the gate must say of it. */
export const DEAD_CODE_FILES: Record<string, string> = {
  'package.json': JSON.stringify({
    type: 'module',
    imports: { '#shared/*': './src/shared/*' },
    dependencies: { fastify: '5.12.8', kysely: '0.29.9' },
    devDependencies: { vitest: '5.1.1' },
  }),
  'src/server/main.ts':
    "import fastify from 'fastify'\nimport { used } from '#shared/used.ts'\nfastify(used)\n",
  'src/shared/used.ts': 'export const used = {}\nexport const unused = 1\n',
  'src/shared/forgotten.ts': 'export const it = 1\n',
  'src/server/unlisted.ts': '',
  'tools/run.ts': "import pino from 'pino'\npino()\n",
}

/** As "kind: file: name". */
export const DEAD_CODE_FINDINGS = [
  'dependencies: package.json: kysely',
  'devDependencies: package.json: vitest',
  'exports: src/shared/used.ts: unused',
  'files: src/server/unlisted.ts',
  'files: src/shared/forgotten.ts',
  'unlisted: tools/run.ts: pino',
]
