import type { FastifyBaseLogger } from 'fastify'
import { type MailShop, queueMail, type NewMail, composeMail } from '#features/mails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import type { AlarmKind } from '../alarms.contract.ts'
import { type Matter, alarmsRepository } from './alarms.repository.ts'

export interface AlarmsOptions {
  log: FastifyBaseLogger
  shop: MailShop
  /** Who gets a mail for each new alarm; nobody when left out. */
  recipient: string | undefined
}

export type AlarmBell = ReturnType<typeof alarmBell>

/**
 * What rings for staff. A matter has one open alarm, however often and by however many processes it is seen; a new one
 * is logged as an error and mailed, once.
 */
export function alarmBell({ log, shop, recipient }: AlarmsOptions) {
  async function ring(trx: Trx, matter: Matter): Promise<void> {
    const id = await alarmsRepository(trx).raise(matter)
    if (id === undefined) return
    const { kind, subject, details } = matter
    log.error({ alarm: kind, subject, details }, 'alarm')
    if (recipient !== undefined) await queueMail(trx, alarmMail(shop, recipient, { ...matter, id }))
  }

  const raise = (db: Sql, matter: Matter): Promise<void> =>
    db.isTransaction ? ring(db as Trx, matter) : transact(db as Database, (trx) => ring(trx, matter))

  return {
    /** Raises an alarm, in the caller's transaction where there is one. */
    raise,

    /** Ends the alarm about a matter that is over. */
    async clear(db: Sql, kind: AlarmKind, subject: string): Promise<void> {
      if (await alarmsRepository(db).resolve(kind, subject))
        log.info({ alarm: kind, subject }, 'alarm is over')
    },

    /** What the open alarms of a kind are about. */
    subjects: (db: Sql, kind: AlarmKind): Promise<string[]> => alarmsRepository(db).subjects(kind),

    /** All that there is of a kind: raises what is in the list and ends what is not. */
    async settle(db: Sql, kind: AlarmKind, matters: readonly Omit<Matter, 'kind'>[]): Promise<void> {
      for (const matter of matters) await raise(db, { ...matter, kind })
      const lasting = matters.map(({ subject }) => subject)
      for (const subject of await alarmsRepository(db).resolveOthers(kind, lasting))
        log.info({ alarm: kind, subject }, 'alarm is over')
    },
  }
}

const LONGEST = 500

/** The mail to whoever looks after the shop, in its default language. */
function alarmMail(
  shop: MailShop,
  to: string,
  { id, kind, subject, details = {} }: Matter & { id: number },
): NewMail {
  const language = DEFAULT_LANGUAGE
  const title = translate(language, `mail.alarm.kind.${kind}`)
  const rows = Object.entries(subject === '' ? details : { subject, ...details })
  const letter = composeMail(shop, {
    language,
    subject: translate(language, 'mail.alarm.subject', { brand: shop.brand, title }),
    preview: title,
    title,
    blocks: [
      { kind: 'text', text: translate(language, 'mail.alarm.text') },
      { kind: 'facts', facts: rows.map(([name, value]) => ({ name, text: said(value) })) },
      { kind: 'note', text: translate(language, 'mail.alarm.once') },
    ],
  })
  return { key: `alarm:${id}`, kind: 'alarm', to, language, ...letter }
}

const said = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST)
