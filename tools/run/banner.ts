import { readFileSync } from 'node:fs'
import path from 'node:path'
import { paths } from '#client/paths.ts'
import { describeHosts } from '#platform/database-address.ts'
import { type Config, publicSettings } from '#server/config.ts'
import { say } from './say.ts'

interface Account {
  email: string
  password: string
}

export interface BannerOptions {
  config: Config
  urls: Record<'emulatorUrl' | 'drandUrl' | 'witnessUrl' | 'stampUrl', string | undefined>
  databaseFolder: string | undefined
  logFolder: string | undefined
}

/** Prints what a person needs next: where the shop is, who to log in as, where the data lives. */
export function printBanner({ config, urls, databaseFolder, logFolder }: BannerOptions): void {
  const accounts = config.demo ? readAccounts(config.dataDir) : undefined
  const withToken = (address: string): string => `${address}?token=${config.demoToken}`
  const rows: [string, string | undefined][] = [
    ['Shop', config.publicUrl],
    ['Demo customer', describeLogin(accounts?.customer)],
    ['Demo staff', describeLogin(accounts?.staff)],
    ['Demo support', describeLogin(accounts?.support)],
    ['Demo post desk', describeLogin(accounts?.postal)],
    ['PayPal emulator', urls.emulatorUrl && withToken(`${urls.emulatorUrl}/`)],
    ['drand emulator', urls.drandUrl && `${urls.drandUrl}/`],
    ['Draw witnesses', urls.witnessUrl && `${urls.witnessUrl}/`],
    ['Time stamps', urls.stampUrl && `${urls.stampUrl}/`],
    ['Mailbox', publicSettings(config).mailbox ? withToken(config.publicUrl + paths.mailbox()) : undefined],
    ['Data folder', path.resolve(config.dataDir)],
    ['Database', describeDatabase(config, databaseFolder)],
    ['Log', logFolder && path.join(logFolder, 'shop.log')],
    ['Stop', 'Ctrl-C'],
  ]
  say()
  say('Volant is ready.')
  for (const [label, value] of rows) if (value) say(`  ${label.padEnd(16)} ${value}`)
  say()
}

const describeLogin = (account: Account | undefined): string | undefined =>
  account && `${account.email}  password: ${account.password}`

type Accounts = Partial<Record<'customer' | 'staff' | 'support' | 'postal', Account>>

export function readAccounts(dataDir: string): Accounts | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, 'demo-accounts.json'), 'utf8')) as Accounts
  } catch {
    return undefined
  }
}

function describeDatabase(config: Config, folder: string | undefined): string {
  if (!folder) return `${describeHosts(config.databaseUrl ?? '')} (DATABASE_URL)`
  const isInside = folder.startsWith(path.resolve(config.dataDir) + path.sep)
  if (isInside) return `embedded PostgreSQL, files in ${folder}`
  return `embedded PostgreSQL, files in ${folder}, because its account cannot enter the data folder`
}
