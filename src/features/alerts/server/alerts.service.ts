import type { FastifyBaseLogger } from 'fastify'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import type { AlertKind } from '../alerts.rules.ts'
import { type Matter, alertsRepository } from './alerts.repository.ts'

export type Alerts = ReturnType<typeof createAlerts>

/** One open alert for each kind and subject; a new one is logged as an error. `alertSender` tells of them. */
export function createAlerts({ log }: { log: FastifyBaseLogger }) {
  async function insertAlert(trx: Trx, matter: Matter): Promise<void> {
    const id = await alertsRepository(trx).raise(matter)
    if (id === undefined) return
    const { kind, subject, details } = matter
    log.error({ alert: kind, subject, details }, 'alert')
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

    /** Resolves alerts of a kind that nobody has seen again for so many minutes: their machine is gone. */
    async clearUnseen(db: Sql, kind: AlertKind, minutes: number): Promise<void> {
      for (const subject of await alertsRepository(db).resolveUnseen(kind, minutes))
        log.info({ alert: kind, subject }, 'alert is over, its machine has not been heard of')
    },

    /** Notes one that is over, and told, since it began while it could not be stored. */
    note: (db: Sql, matter: Matter, since: Date): Promise<unknown> =>
      alertsRepository(db).note(matter, since),

    /** Raises the alerts of a kind that are in the list and resolves the others. */
    async settle(db: Sql, kind: AlertKind, matters: readonly Omit<Matter, 'kind'>[]): Promise<void> {
      for (const matter of matters) await raise(db, { ...matter, kind })
      const lasting = matters.map(({ subject }) => subject)
      for (const subject of await alertsRepository(db).resolveOthers(kind, lasting))
        log.info({ alert: kind, subject }, 'alert is over')
    },
  }
}
