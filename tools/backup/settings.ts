import path from 'node:path'
import * as z from 'zod'
import { readSecretFiles } from '#server/config.ts'
import { BACKUP_SETTINGS, SETTINGS } from '#server/settings.ts'
import { DumpError } from '../database/dump.ts'
import { projectDir } from '../database/tool.ts'

type Values = { [Name in keyof typeof BACKUP_SETTINGS]: z.output<(typeof BACKUP_SETTINGS)[Name]['schema']> }

/** The settings of backups alone: what else is wrong must not keep a shop from being backed up. @throws DumpError */
export function readBackupSettings(env: NodeJS.ProcessEnv): Values & { dataDir: string; folder: string } {
  const read: Record<string, unknown> = {}
  const files = readSecretFiles(env)
  for (const [field, { name, schema, expected, fallback }] of Object.entries(BACKUP_SETTINGS)) {
    const fault = files.faults.get(name)
    if (fault !== undefined) throw new DumpError(`${fault}.`)
    const parsed = schema.safeParse(files.values.get(name) ?? (env[name]?.trim() || fallback))
    if (!parsed.success) throw new DumpError(`${name}: expected ${expected}.`)
    read[field] = parsed.data
  }
  const values = read as Values
  const dataDir = path.resolve(projectDir, env[SETTINGS.dataDir.name] || SETTINGS.dataDir.fallback || 'data')
  const folder = values.backupDir ? path.resolve(projectDir, values.backupDir) : path.join(dataDir, 'backups')
  return { ...values, dataDir, folder }
}
