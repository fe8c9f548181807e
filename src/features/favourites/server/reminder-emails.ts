/**
 * Reminders of a contest to whoever asked for them: a day before it closes, an hour before its draw, and its result
 * (ADR 0130). They are written when they are sent, and end by one click.
 */
import { greeting } from '#features/accounts/server/index.ts'
import { pictureOf } from '#features/draws/server/index.ts'
import {
  type Block,
  type EmailShop,
  type NewEmail,
  SECRET_LINK,
  composeEmail,
  enqueueEmails,
} from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate, zonedTime } from '#i18n/server-translator.ts'
import type { Database, Sql } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { REMINDER_KINDS, type ReminderKind } from '../favourites.contract.ts'
import {
  type DueReminder,
  type ReminderFacts,
  type ReminderId,
  remindersRepository,
  takeReminders,
} from './reminders.repository.ts'

export interface ReminderShop extends EmailShop {
  timeZone: string
  /** Of the public page of a contest. */
  drawUrl: (slug: string, language: Language) => string
  /** Of the page that ends reminders. */
  unsubscribeUrl: (token: string, language: Language) => string
}

const BATCH = 200

/** Background job, safe to run concurrently: writes each reminder whose time has come, once. @returns how many emails */
export async function sendReminders(db: Database): Promise<number> {
  let sent = 0
  for (const kind of REMINDER_KINDS)
    for (const offerId of await remindersRepository(db).toTell(kind))
      for (let taken = BATCH; taken === BATCH;)
        taken = await transact(db, async (trx) => {
          const batch = await takeReminders(trx, offerId, kind, BATCH)
          sent += await enqueueEmails(
            trx,
            batch.due.map((one) => emailTo(one, offerId, kind)),
          )
          return batch.taken
        })
  return sent
}

function emailTo(due: DueReminder, offerId: number, kind: ReminderKind): NewEmail {
  const { user_id: userId, email: to, language, at } = due
  const ref = refOf({ userId, offerId, kind, at })
  return {
    key: `reminder:${ref}`,
    kind: 'reminder',
    to,
    userId,
    language,
    subject: translate(language, `emails.reminder.${kind}.subject`, {
      title: textIn(due.titles, language).text,
    }),
    bodyRef: { kind: 'reminder', ref },
    secretLink: { kind: 'unsubscribe', ref },
    usefulMinutes: due.useful_minutes,
  }
}

const refOf = ({ userId, offerId, kind, at }: ReminderId): string => `${userId}.${offerId}.${kind}.${at}`

/** Which reminder the reference of an email names. */
export function reminderOf(ref: string): ReminderId {
  const [userId, offerId, kind, at] = ref.split('.')
  return { userId: Number(userId), offerId: Number(offerId), kind: kind as ReminderKind, at: Number(at) }
}

/** Writes the bodies of a reminder when it is sent. @throws Error for one of no account or contest */
export const writeReminder =
  (db: Sql, shop: ReminderShop) =>
  async (ref: string, language: Language): Promise<{ text: string; html: string }> => {
    const reminder = reminderOf(ref)
    const facts = await remindersRepository(db).facts(reminder)
    if (!facts) throw new Error('a reminder of nothing')
    const { kind } = reminder
    const values = {
      brand: shop.brand,
      title: textIn(facts.titles, language).text,
      end: formatDateTime(facts.end_date, shop.timeZone),
      draw: facts.draw_at === null ? '' : formatDateTime(facts.draw_at, shop.timeZone),
      drawn: facts.drawn_at === null ? '' : formatDateTime(facts.drawn_at, shop.timeZone),
    }
    const say = (name: string): string => translate(language, `emails.reminder.${name}`, values)
    return composeEmail(shop, {
      language,
      subject: say(`${kind}.subject`),
      preview: say(`${kind}.text`),
      picture: pictureOf(facts, language),
      blocks: [
        { kind: 'text', text: greeting(language, facts.name) },
        { kind: 'text', text: say(`${kind}.text`) },
        ...(kind === 'result' ? drawnNumber(facts) : times(facts, shop, language)),
        { kind: 'button', label: say(`${kind}.button`), url: shop.drawUrl(facts.slug, language) },
        { kind: 'note', text: say(`${kind}.why`) },
        { kind: 'link', label: say('stop'), url: SECRET_LINK },
      ],
    })
  }

const drawnNumber = ({ number, total }: ReminderFacts): Block[] =>
  number === null ? [] : [{ kind: 'bigPlate', number: padTicketNumber(number, total) }]

function times({ end_date, draw_at }: ReminderFacts, shop: ReminderShop, language: Language): Block[] {
  const fact = (name: string, at: Date) => ({
    name,
    text: zonedTime(at, shop.timeZone, language),
  })
  return [
    {
      kind: 'facts',
      facts: [
        fact(translate(language, 'emails.reminder.closes'), end_date),
        ...(draw_at === null ? [] : [fact(translate(language, 'emails.draw.drawAt'), draw_at)]),
      ],
    },
  ]
}
