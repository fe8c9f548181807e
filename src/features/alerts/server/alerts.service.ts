import type { FastifyBaseLogger } from 'fastify'
import { type EmailShop, enqueueEmail, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { formatSum } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'
import { sumToDecimal } from '#shared/money.ts'
import { type AlertKind, isAlertDetail, isAlertReason, isCents } from '../alerts.rules.ts'
import { type Matter, alertsRepository } from './alerts.repository.ts'

export interface AlertsOptions {
  log: FastifyBaseLogger
  shop: EmailShop
  /** Gets an email for each new alert; undefined for none. */
  recipient: string | undefined
}

export type Alerts = ReturnType<typeof createAlerts>

/** One open alert for each kind and subject; a new one is logged as an error and sent as an email, once. */
export function createAlerts({ log, shop, recipient }: AlertsOptions) {
  async function insertAlert(trx: Trx, matter: Matter): Promise<void> {
    const id = await alertsRepository(trx).raise(matter)
    if (id === undefined) return
    const { kind, subject, details } = matter
    log.error({ alert: kind, subject, details }, 'alert')
    if (recipient !== undefined) await enqueueEmail(trx, alertEmail(shop, recipient, { ...matter, id }))
  }

  const raise = (db: Sql, matter: Matter): Promise<void> =>
    db.isTransaction
      ? insertAlert(db as Trx, matter)
      : transact(db as Database, (trx) => insertAlert(trx, matter))

  return {
    /** Raises an alert, in the caller's transaction if it has one. */
    raise,

    async clear(db: Sql, kind: AlertKind, subject: string): Promise<void> {
      if (await alertsRepository(db).resolve(kind, subject))
        log.info({ alert: kind, subject }, 'alert is over')
    },

    subjects: (db: Sql, kind: AlertKind): Promise<string[]> => alertsRepository(db).subjects(kind),

    /** Raises the alerts of a kind that are in the list and resolves the others. */
    async settle(db: Sql, kind: AlertKind, matters: readonly Omit<Matter, 'kind'>[]): Promise<void> {
      for (const matter of matters) await raise(db, { ...matter, kind })
      const lasting = matters.map(({ subject }) => subject)
      for (const subject of await alertsRepository(db).resolveOthers(kind, lasting))
        log.info({ alert: kind, subject }, 'alert is over')
    },
  }
}

const LONGEST = 500

function alertEmail(
  shop: EmailShop,
  to: string,
  { id, kind, subject, details = {} }: Matter & { id: number },
): NewEmail {
  const language = DEFAULT_LANGUAGE
  const title = translate(language, `emails.alert.kind.${kind}`)
  const about = subject === '' ? [] : [{ name: translate(language, 'consoleAlerts.subject'), text: subject }]
  const known = Object.entries(details).filter(([, value]) => value !== null)
  const content = composeEmail(shop, {
    language,
    subject: translate(language, 'emails.alert.subject', { brand: shop.brand, title }),
    preview: title,
    title,
    blocks: [
      { kind: 'text', text: translate(language, 'emails.alert.text') },
      { kind: 'facts', facts: [...about, ...known.map((row) => factOf(language, ...row))] },
      { kind: 'note', text: translate(language, 'emails.alert.once') },
    ],
  })
  return { key: `alert:${id}`, kind: 'alert', to, language, ...content }
}

function factOf(language: Language, name: string, value: unknown): { name: string; text: string } {
  const label = isAlertDetail(name) ? translate(language, `consoleAlerts.details.${name}`) : name
  if (isCents(name, value)) return { name: label, text: formatSum(sumToDecimal(value), language) }
  if (isAlertReason(name, value))
    return { name: label, text: translate(language, `consoleAlerts.reasons.${value}`) }
  return { name: label, text: (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST) }
}
