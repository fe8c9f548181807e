/**
 * Writes src/platform/database-types.ts from the migrations: `npm run db:types`.
 * With `--verify` it only says whether the file is up to date, and fails when it is not.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { startThrowAwayPostgres } from '#platform/postgres/throw-away.ts'

const projectDir = path.resolve(import.meta.dirname, '..')
const target = path.join(projectDir, 'src/platform/database-types.ts')

// int8 comes as a number and a calendar day as text: see openDatabase.
const CODEGEN_OPTIONS = [
  '--dialect=postgres',
  '--default-schema=public',
  '--exclude-pattern=schema_migration',
  '--date-parser=string',
  '--type-mapping={"int8":"number"}',
]

const IMPORTED = 'import type { LocalizedText } from "#shared/localized-text.ts";'

/** Types of the columns of the domain `localized_text`, which the generator takes for any JSON. */
async function localizedColumns(url: string): Promise<Record<string, string>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; type: string }>(`
      SELECT table_name || '.' || column_name AS name,
        CASE WHEN column_default IS NOT NULL THEN 'Generated<LocalizedText>'
          WHEN is_nullable = 'YES' THEN 'LocalizedText | null' ELSE 'LocalizedText' END AS type
      FROM information_schema.columns WHERE table_schema = 'public' AND domain_name = 'localized_text'`)
    return Object.fromEntries(rows.map(({ name, type }) => [name, type]))
  } finally {
    await client.end()
  }
}

/** A column with this comment is only there for the release before: no type has it. */
const LEFT = /^ {2}\/\*\*\n {3}\* Of the release before\n {3}\*\/\n.*\n/gm

async function generate(url: string): Promise<string> {
  const overrides = `--overrides=${JSON.stringify({ columns: await localizedColumns(url) })}`
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'volant-types-'))
  try {
    const outFile = path.join(scratch, 'types.ts')
    const program = path.join(projectDir, 'node_modules/kysely-codegen/dist/cli/bin.js')
    const args = [program, ...CODEGEN_OPTIONS, overrides, `--url=${url}`, `--out-file=${outFile}`]
    const run = spawnSync(process.execPath, args, { cwd: scratch, encoding: 'utf8' })
    if (run.status !== 0) throw new Error(`kysely-codegen failed: ${run.stderr || run.stdout}`)
    return readFileSync(outFile, 'utf8')
      .replace(/^import type .*$/m, `$&\n${IMPORTED}`)
      .replaceAll(LEFT, '')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function typesOfMigrations(): Promise<string> {
  const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
  try {
    await migrate({ url: server.url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
    return await generate(server.url)
  } finally {
    await server.stop()
  }
}

const types = await typesOfMigrations()
if (!process.argv.includes('--verify')) {
  writeFileSync(target, types)
  console.log(`${path.relative(projectDir, target)} written.`)
} else if (readFileSync(target, 'utf8') !== types) {
  console.error(`${path.relative(projectDir, target)} does not match db/migrations: run npm run db:types.`)
  process.exitCode = 1
}
