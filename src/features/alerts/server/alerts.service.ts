import type { FastifyBaseLogger } from 'fastify'
import { type EmailShop, enqueueEmail, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import type { AlertKind } from '../alerts.contract.ts'
import { type Matter, alertsRepository } from './alerts.repository.ts'

export interface AlertsOptions {
  log: FastifyBaseLogger
  shop: EmailShop
  /** Who gets a mail for each new alert; nobody when left out. */
  recipient: string | undefined
}

export type Alerts = ReturnType<typeof createAlerts>

/**
 * Raises alerts for staff. A matter has one open alert, however often and by however many processes it is seen; a new one
 * is logged as an error and mailed, once.
 */
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
    /** Raises an alert, in the caller's transaction where there is one. */
    raise,

    /** Ends the alert about a matter that is over. */
    async clear(db: Sql, kind: AlertKind, subject: string): Promise<void> {
      if (await alertsRepository(db).resolve(kind, subject))
        log.info({ alert: kind, subject }, 'alert is over')
    },

    /** What the open alerts of a kind are about. */
    subjects: (db: Sql, kind: AlertKind): Promise<string[]> => alertsRepository(db).subjects(kind),

    /** All that there is of a kind: raises what is in the list and ends what is not. */
    async settle(db: Sql, kind: AlertKind, matters: readonly Omit<Matter, 'kind'>[]): Promise<void> {
      for (const matter of matters) await raise(db, { ...matter, kind })
      const lasting = matters.map(({ subject }) => subject)
      for (const subject of await alertsRepository(db).resolveOthers(kind, lasting))
        log.info({ alert: kind, subject }, 'alert is over')
    },
  }
}

const LONGEST = 500

/** The mail to whoever looks after the shop, in its default language. */
function alertEmail(
  shop: EmailShop,
  to: string,
  { id, kind, subject, details = {} }: Matter & { id: number },
): NewEmail {
  const language = DEFAULT_LANGUAGE
  const title = translate(language, `emails.alert.kind.${kind}`)
  const rows = Object.entries(subject === '' ? details : { subject, ...details })
  const content = composeEmail(shop, {
    language,
    subject: translate(language, 'emails.alert.subject', { brand: shop.brand, title }),
    preview: title,
    title,
    blocks: [
      { kind: 'text', text: translate(language, 'emails.alert.text') },
      { kind: 'facts', facts: rows.map(([name, value]) => ({ name, text: said(value) })) },
      { kind: 'note', text: translate(language, 'emails.alert.once') },
    ],
  })
  return { key: `alert:${id}`, kind: 'alert', to, language, ...content }
}

const said = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST)
