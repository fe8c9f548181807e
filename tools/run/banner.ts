import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '#server/config.ts'
import { say } from './say.ts'

interface Account {
  email: string
  password: string
}

export interface BannerOptions {
  config: Config
  /** Address of the emulator's page, when it runs. */
  emulatorUrl: string | undefined
  /** Folder of the embedded database's files, when it is used. */
  databaseFolder: string | undefined
}

/** Prints what a person needs next: where the shop is, who to log in as, where the data lives. */
export function printBanner({ config, emulatorUrl, databaseFolder }: BannerOptions): void {
  const accounts = config.demo ? readAccounts(config.dataDir) : undefined
  const rows: [string, string | undefined][] = [
    ['Shop', config.publicUrl],
    ['Demo customer', accounts && `${accounts.customer.email}  password: ${accounts.customer.password}`],
    ['Demo staff', accounts && `${accounts.staff.email}  password: ${accounts.staff.password}`],
    ['PayPal emulator', emulatorUrl],
    ['Data folder', path.resolve(config.dataDir)],
    ['Database', describeDatabase(config, databaseFolder)],
    ['Stop', 'Ctrl-C'],
  ]
  say()
  say('Volant is ready.')
  for (const [label, value] of rows) if (value) say(`  ${label.padEnd(16)} ${value}`)
  say()
}

function readAccounts(dataDir: string): { customer: Account; staff: Account } | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, 'demo-accounts.json'), 'utf8')) as {
      customer: Account
      staff: Account
    }
  } catch {
    return undefined
  }
}

function describeDatabase(config: Config, folder: string | undefined): string {
  if (!folder) return `${new URL(config.databaseUrl ?? '').host} (DATABASE_URL)`
  const isInside = folder.startsWith(path.resolve(config.dataDir) + path.sep)
  if (isInside) return `embedded PostgreSQL, files in ${folder}`
  return `embedded PostgreSQL, files in ${folder}, because its account cannot enter the data folder`
}
