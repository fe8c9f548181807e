/**
 * Writes src/platform/database-types.ts from the migrations: `npm run db:types`.
 * With `--verify` it only says whether the file is up to date, and fails when it is not.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
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

function generate(url: string): string {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'volant-types-'))
  try {
    const outFile = path.join(scratch, 'types.ts')
    const program = path.join(projectDir, 'node_modules/kysely-codegen/dist/cli/bin.js')
    const args = [program, ...CODEGEN_OPTIONS, `--url=${url}`, `--out-file=${outFile}`]
    const run = spawnSync(process.execPath, args, { cwd: scratch, encoding: 'utf8' })
    if (run.status !== 0) throw new Error(`kysely-codegen failed: ${run.stderr || run.stdout}`)
    return readFileSync(outFile, 'utf8')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function typesOfMigrations(): Promise<string> {
  const server = await startThrowAwayPostgres({ projectDir, log: silentLog })
  try {
    await migrate({ url: server.url, folder: path.join(projectDir, 'db/migrations'), log: silentLog })
    return generate(server.url)
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
