/** Checkpoints of all logs that leave the shop by mail once a day, so that a rewritten log contradicts a copy elsewhere. */
import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { checkpointMailsRepository, checkpointMailsWrites } from './checkpoint-mails.repository.ts'

const KIND = 'draw-checkpoints'
/** Logs that the text of the mail names; the file has all. */
const LOGS_SHOWN = 50

export interface CheckpointsShop extends EmailShop {
  checkpointsEmail: string | undefined
}

/** Background job: queues the mail of the day, once, whoever of several workers comes first. */
export async function sendCheckpoints(db: Database, shop: CheckpointsShop): Promise<void> {
  const { checkpointsEmail: to } = shop
  if (to === undefined) return
  const stored = checkpointMailsRepository(db)
  if (await stored.isSentToday()) return
  const logs = await stored.checkpoints()
  if (logs.length === 0) return
  // As in `checkpoints.txt` of a contest: an empty line stands between two.
  const content = logs.map(({ note }) => note).join('\n')
  await transact(db, async (trx) => {
    const day = await checkpointMailsWrites(trx).insert(content)
    if (day === undefined) return
    const language = DEFAULT_LANGUAGE
    const say = (key: string): string =>
      translate(language, `emails.checkpoints.${key}`, { brand: shop.brand, day, count: logs.length })
    await enqueueEmail(trx, {
      key: `${KIND}:${day}`,
      kind: KIND,
      to,
      language,
      attachments: [{ kind: KIND, ref: day }],
      ...composeEmail(shop, {
        language,
        subject: say('subject'),
        preview: say('preview'),
        blocks: [
          { kind: 'text', text: say('text') },
          { kind: 'text', text: say('check') },
          {
            kind: 'facts',
            facts: logs.slice(0, LOGS_SHOWN).map(({ origin, size }) => ({
              name: origin,
              text: translate(language, 'emails.checkpoints.size', { size }),
            })),
          },
          { kind: 'button', label: say('verify'), url: `${shop.publicUrl}/draws/verify` },
        ],
      }),
    })
  })
}

/** The attached file. @param day "2026-11-26" @throws Error when there is none */
export const checkpointMailFile =
  (db: Sql) =>
  async (day: string): Promise<{ filename: string; contentType: string; content: Buffer }[]> => {
    const content = await checkpointMailsRepository(db).content(day)
    if (content === undefined) throw new Error(`no checkpoints were stored on ${day}`)
    return [
      {
        filename: `checkpoints-${day}.txt`,
        contentType: 'text/plain; charset=utf-8',
        content: Buffer.from(content, 'utf8'),
      },
    ]
  }
