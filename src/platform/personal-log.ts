import { sql } from 'kysely'
import { forgetKeysOf } from './http/idempotency.ts'
import { type PersonalDataSource, isoOrNull } from './personal-data.ts'
import { securityEventsRepository } from './security-log.ts'

/** What the security log has of an account. What somebody did as staff is not theirs to have. */
export const securityPersonalData = {
  name: 'security_log',
  columns: ['security_events.user_id', 'security_events.network', 'security_events.detail'],
  async export(trx, { userId }, { say, word, when }) {
    const { rows } = await sql<{ event: string; times: number; at: Date; network: string | null }>`
      SELECT event, times, at, network FROM security_events
      WHERE user_id = ${userId} AND event <> 'staff_action' ORDER BY id`.execute(trx)
    return [
      {
        name: 'security_log',
        data: rows.map((event) => ({ ...event, at: isoOrNull(event.at) })),
        title: say('security.title'),
        blocks: [
          {
            heads: [say('at'), say('security.event'), say('security.times'), say('security.network')],
            rows: rows.map((one) => [
              when(one.at),
              word('security.events', one.event),
              String(one.times),
              one.network,
            ]),
          },
        ],
      },
    ]
  },
  erase: async (trx, { userId }) => ({ rows: await securityEventsRepository(trx).eraseOf(userId) }),
  retain: {
    securityEvents: (db, { keepSecurityDays, keepOrderYears }, limit) =>
      securityEventsRepository(db).deleteOld(keepSecurityDays, keepOrderYears, limit),
  },
} satisfies PersonalDataSource

/** The responses to calls with an `Idempotency-Key`. A day deletes it anyway. */
export const responsesPersonalData = {
  name: 'answers',
  columns: ['idempotency_keys.user_id', 'idempotency_keys.answer'],
  async erase(trx, { userId }) {
    await forgetKeysOf(trx, userId)
    return { rows: 0 }
  },
} satisfies PersonalDataSource
