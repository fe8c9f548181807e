import type { LogKey, ShopPolicy, StampAuthority } from '#features/draws/server/index.ts'
import { CHECKS, type CheckName } from '#features/system/system.contract.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database } from '#platform/database.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import type { Language } from '#shared/languages.ts'
import { type Config, paypalSettings } from '../config.ts'
import {
  backupCheck,
  clockCheck,
  connectionsCheck,
  databaseAhead,
  databaseCheck,
  databaseDiskCheck,
  logKeyCheck,
  poolerCheck,
  readReplicaCheck,
  secretKeyCheck,
  stampsCheck,
  standbyCheck,
  webAhead,
  withTables,
  witnessesCheck,
} from './database.ts'
import { type Check, type NamedFinding, fault, reasonOf } from './findings.ts'
import { dataDirCheck, demoValuesCheck } from './machine.ts'
import { alertsCheck, mailServerCheck, providerCheck, webhookCheck } from './partners.ts'
import { certificateCheck, proxyCheck } from './public-address.ts'

export interface DoctorParts extends SecretKeys {
  config: Config
  db: Database
  logKey: LogKey
  witnesses?: ShopPolicy | null
  stamps?: StampAuthority | null
  /** The newest migration of this program. */
  migration: number
}

/** What a shop needs before traffic, and at any time (ADR 0111). A further check is one line here and its texts. */
export function shopChecks(parts: DoctorParts): Record<CheckName, Check> {
  const { config, db } = parts
  const client = paypalClient(paypalSettings(config))
  const database = once(databaseCheck(db, parts.migration))
  const withDatabase = (check: Check): Check => withTables(database, check)
  return {
    demoValues: demoValuesCheck(config, db),
    dataDir: dataDirCheck(config),
    database,
    databaseDisk: withDatabase(databaseDiskCheck(db)),
    standby: withTables(database, standbyCheck(db), ['away']),
    readReplica: withTables(database, readReplicaCheck(db, config.databaseReadUrl), ['away']),
    pooler: poolerCheck(db),
    connections: withTables(database, connectionsCheck(db, config.databasePool), ['away']),
    clock: clockCheck([
      { name: 'postgres', read: databaseAhead(db) },
      { name: 'provider', read: webAhead(config.paypalBaseUrl) },
    ]),
    secretKey: withDatabase(secretKeyCheck(db, parts)),
    logKey: withDatabase(logKeyCheck(db, parts.logKey)),
    witnesses: withDatabase(witnessesCheck(db, parts.witnesses ?? null)),
    stamps: withDatabase(stampsCheck(db, parts.stamps ?? null)),
    mailServer: mailServerCheck(config),
    provider: providerCheck(client, config),
    webhook: webhookCheck(client, config),
    certificate: certificateCheck(config),
    proxy: proxyCheck(config, parts),
    backup: withDatabase(backupCheck(db, config.demo)),
    alerts: withDatabase(alertsCheck(db, config)),
  }
}

function once(check: Check): Check {
  let found: ReturnType<Check> | undefined
  return () => (found ??= check())
}

/** Runs checks at the same time. One that fails is a fault, and so is one that does not end. */
export const examine = (
  checks: Partial<Record<CheckName, Check>>,
  patienceMs = 30_000,
): Promise<NamedFinding[]> =>
  Promise.all(
    CHECKS.flatMap((check) => {
      const run = checks[check]
      return run ? [withPatience(run, patienceMs).then((finding) => ({ check, ...finding }))] : []
    }),
  )

async function withPatience(run: Check, patienceMs: number) {
  const patience = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => patience.reject(new Error(`no end within ${patienceMs / 1000} s`)),
    patienceMs,
  )
  try {
    return await Promise.race([run(), patience.promise])
  } catch (error) {
    return fault('broken', { reason: reasonOf(error) })
  } finally {
    clearTimeout(timer)
  }
}

/** Of every check. */
const COMMON: ReadonlySet<string> = new Set(['broken', 'noDatabase', 'demo'])

/** The name of a check and the sentence about it. */
export function told(
  { check, says, values }: NamedFinding,
  language: Language,
): { title: string; text: string } {
  return {
    title: translate(language, `doctor.titles.${check}`),
    text: translate(language, sentenceOf(check, says), values),
  }
}

/** In the message files: of a check, or of every one. */
export const sentenceOf = (check: CheckName, says: string): `doctor.${string}` =>
  COMMON.has(says) ? `doctor.${says}` : `doctor.${check}.${says}`
