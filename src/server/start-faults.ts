import path from 'node:path'
import { describeHosts } from '#platform/database-address.ts'
import { databaseTrouble, errorCode } from '#platform/database-errors.ts'
import type { Config } from './config.ts'

/** In live mode whoever breaks into the shop must not own the machine. */
export const rootFault = (
  { demo }: Pick<Config, 'demo'>,
  userId: number | undefined = process.geteuid?.(),
): string | undefined =>
  demo || userId !== 0
    ? undefined
    : 'MODE: live mode does not run as root. Start the shop as a user of its own; README.md, "Going live", says how.'

/** Checkpoints by another key than that of the terms would be worth nothing. @param origin of the log */
export const logKeyFault = (
  { logKey, dataDir }: Pick<Config, 'logKey' | 'dataDir'>,
  origin: string,
): string =>
  `LOG_KEY: expected the key that signs the log ${origin} of this database, found another one ${
    logKey ? 'in the settings' : `in ${path.join(path.resolve(dataDir), 'log-key')}`
  }; set the former key again, a draw cannot change it`

type Places = Pick<Config, 'dataDir' | 'databaseUrl' | 'host' | 'port'>

/** One sentence, with the setting's name, for a start that its surroundings prevent; undefined for other errors. */
export function startFault(error: unknown, places: Places): string | undefined {
  if (!(error instanceof Error)) return undefined
  return listenFault(error, places) ?? folderFault(error, places) ?? databaseFault(error, places)
}

function listenFault(error: NodeJS.ErrnoException, { host, port }: Places): string | undefined {
  const { code, syscall } = error
  if (code === 'EADDRINUSE')
    return `PORT: another program uses port ${port}; stop it or choose another port with PORT.`
  if (syscall === 'listen' && code === 'EACCES')
    return `PORT: this account may not use port ${port}; choose one above 1023 with PORT.`
  const isHost = (error as { hostname?: string }).hostname === host
  return syscall === 'listen' || isHost
    ? `HOST: cannot listen on ${host}, port ${port} (${code}); check HOST and PORT.`
    : undefined
}

const FOLDER_REASONS: Record<string, string> = {
  EACCES: 'this account may not write to',
  EPERM: 'this account may not write to',
  EROFS: 'the disk is read-only at',
  ENOSPC: 'the disk is full at',
  EDQUOT: "this account's disk space is used up at",
  EEXIST: 'there is a file and no folder at',
  ENOTDIR: 'a file stands in the way of',
  EISDIR: 'there is a folder and no file at',
  ENOENT: 'there cannot be a folder at',
  ENAMETOOLONG: 'the name is too long of',
  ELOOP: 'links lead in a circle at',
}

function folderFault(error: NodeJS.ErrnoException, { dataDir }: Places): string | undefined {
  const reason = FOLDER_REASONS[error.code ?? '']
  if (!reason || error.syscall === 'connect') return undefined
  const folder = path.resolve(dataDir)
  // A write to an open file names no path.
  const place = path.resolve(error.path ?? folder)
  const isBelow = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`)
  if (!isBelow(place, folder) && !isBelow(folder, place)) return undefined
  return `DATA_DIR: ${reason} ${place}; mend that, or choose another folder with DATA_DIR.`
}

const DATABASE_REASONS: Record<string, string> = {
  '28P01': 'does not accept this user and password',
  '28000': 'does not accept this user',
  '3D000': 'has no database of this name',
  '42501': 'does not let this user create tables or use those of the shop',
}
const SECURE = /\b(SSL|TLS)\b|CERT/i

function databaseFault(error: Error, { databaseUrl }: Places): string | undefined {
  if (!databaseUrl) return undefined
  const server = `the PostgreSQL server at ${describeHosts(databaseUrl)}`
  // The driver's own words: "ECONNREFUSED 127.0.0.1:5432" says more than an AggregateError's empty message.
  const words = `(${error.message || errorCode(error)})`
  if ((error as NodeJS.ErrnoException).syscall === 'open')
    return `DATABASE_URL: a file that the address names cannot be read ${words}; check sslrootcert, sslcert and sslkey.`
  const known = DATABASE_REASONS[errorCode(error) ?? '']
  if (known) return `DATABASE_URL: ${server} ${known} ${words}.`
  if (error.message.startsWith('SASL'))
    return `DATABASE_URL: ${server} wants a password, and the address has none that it accepts ${words}.`
  if (SECURE.test(`${errorCode(error)} ${error.message}`))
    return `DATABASE_URL: no secure connection to ${server} ${words}; check sslmode in the address.`
  const trouble = databaseTrouble(error)
  if (!trouble) return undefined
  return `DATABASE_URL: ${server} ${trouble === 'busy' ? 'is too busy' : 'does not answer or takes no writes'} ${words}.`
}
