import type { FastifyBaseLogger } from 'fastify'
import {
  type Block,
  type EmailShop,
  type MailServer,
  composeEmail,
  enqueueEmail,
  sendAtOnce,
} from '#features/emails/server/index.ts'
import type { Database, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import type { Channels } from '../alerts.contract.ts'
import { type AlertChannel, type AlertKind, type MessageTimes, dueEvent, tellsBy } from '../alerts.rules.ts'
import {
  type DueGroup,
  type StoredMessage,
  type WebhookHealth,
  alertMessagesRepository,
} from './alert-messages.repository.ts'
import { type AlertMessage, type AlertShop, type MessageFacts, TEST, writeAlert } from './alert-text.ts'
import type { Alerts } from './alerts.service.ts'
import { type Webhook, type WebhookOutcome, post } from './webhook.ts'

export interface AlertSenderOptions {
  db: Database
  log: FastifyBaseLogger
  alerts: Alerts
  shop: EmailShop & AlertShop
  language: Language
  /** ALERT_EMAIL; undefined for no emails. */
  recipient: string | undefined
  webhook: Webhook | undefined
  /** For messages while the database is away; undefined where none is sent. */
  mailServer: MailServer | undefined
  times?: Partial<MessageTimes>
  /** Of a response of the webhook. */
  responseMs?: number
  /** Whether the process ends: what is not sent by then is left to the next one. */
  isStopping?: () => boolean
}

const TIMES: MessageTimes = { window: 30, more: 300, repeat: 24 * 3_600, rest: 60 }
/** So that a run ends. */
const MESSAGES_PER_RUN = 20
const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 600
/** Fewer failures in a row are a restart of the receiver. */
const FAILURES = 3

/** 10, 20, 40 s and so on. */
export const pauseOf = (attempt: number): number =>
  Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))

export const isFailing = ({ attempts, isRefused }: WebhookHealth): boolean =>
  isRefused || attempts >= FAILURES

export type AlertSender = ReturnType<typeof alertSender>

/** Tells of alerts: one message for all of a kind, by email and to a webhook. Any number of processes may do so. */
export function alertSender(options: AlertSenderOptions) {
  const { db, log, alerts, shop, language, recipient, webhook, mailServer, responseMs } = options
  const isStopping = options.isStopping ?? (() => false)
  const times = { ...TIMES, ...options.times }
  // An Alertmanager forgets what is not repeated.
  const keepSeconds = times.repeat > 0 ? 2 * times.repeat : 30 * 86_400
  const stored = alertMessagesRepository(db)

  const tellTo = (to: Webhook, message: AlertMessage): Promise<WebhookOutcome> =>
    post(
      to,
      {
        message,
        written: writeAlert(message, shop, language),
        language,
        shop: new URL(shop.publicUrl).host,
        publicUrl: shop.publicUrl,
        keepSeconds,
      },
      responseMs,
    )

  async function decide(trx: Trx, group: DueGroup): Promise<void> {
    const event = dueEvent(group, times)
    if (event === undefined) return
    const { kind, fresh, freshIds, open, lastFacts } = group
    const messages = alertMessagesRepository(trx)
    const counted = event === 'repeated' ? undefined : freshIds
    const found = event === 'resolved' ? [] : await messages.examples(kind, counted)
    const begun = event === 'opened' || event === 'passed' ? found[0]?.since.toISOString() : lastFacts?.since
    const facts: MessageFacts = {
      since: begun ?? '',
      fresh,
      open,
      examples: found.map(({ subject, order_number, details }) => ({ subject, order_number, details })),
    }
    await messages.markTold(freshIds)
    const { id, at } = await messages.insert(
      { kind, event, facts },
      webhook !== undefined && tellsBy('webhook', kind),
    )
    if (recipient !== undefined && tellsBy('email', kind))
      await enqueueEmail(trx, {
        key: `alert:${id}`,
        kind: 'alert',
        to: recipient,
        language,
        ...alertEmail(shop, { kind, event, at, facts }, language),
      })
  }

  async function settle(message: StoredMessage, outcome: WebhookOutcome): Promise<void> {
    const { id, kind, event, attempts } = message
    // Neither address nor response belong into a log.
    const about = { alert: kind, event, attempt: attempts, format: webhook?.format, outcome: outcome.kind }
    if (outcome.kind === 'sent') {
      await stored.close(id, null)
      log.info(about, 'alert sent to the webhook')
    } else if (outcome.kind === 'refused') {
      await stored.close(id, outcome.error)
      log.error(about, 'the webhook refuses an alert')
    } else {
      await stored.postpone(id, outcome.retryAfterSeconds ?? pauseOf(attempts), outcome.error)
      log.warn(about, 'alert not sent to the webhook yet, will be tried again')
    }
  }

  async function deliver(to: Webhook): Promise<void> {
    await stored.giveUpOld()
    for (let sent = 0; sent < MESSAGES_PER_RUN && !isStopping(); sent += 1) {
      const message = await stored.claim()
      if (!message) return
      await settle(message, await tellTo(to, message))
    }
  }

  /** The fault of the webhook is an alert of its own, which goes by email. */
  async function watchWebhook(): Promise<void> {
    const health = await stored.webhookHealth()
    const said = { receiver_said: health.error, since: health.failingSince?.toISOString() }
    const isFault = webhook !== undefined && isFailing(health)
    await alerts.settle(db, 'webhookFails', isFault ? [{ subject: '', details: said }] : [])
  }

  return {
    /** For the console. */
    async channels(): Promise<Channels> {
      if (!webhook) return { email: recipient !== undefined, webhook: null }
      const health = await stored.webhookHealth()
      return {
        email: recipient !== undefined,
        webhook: {
          format: webhook.format,
          sent_at: health.sentAt?.toISOString() ?? null,
          failing_since: (isFailing(health) && health.failingSince?.toISOString()) || null,
          error: isFailing(health) ? health.error : null,
        },
      }
    },

    /** Makes the messages that are due and sends those to the webhook; the outbox sends the emails. */
    async send(): Promise<void> {
      await transact(db, async (trx) => {
        if (!(await stored.isAlone(trx))) return
        for (const group of await alertMessagesRepository(trx).groups()) await decide(trx, group)
      })
      if (webhook) await deliver(webhook)
      await watchWebhook()
    },

    /** The channels that tell of a kind without the database. */
    told: (kind: AlertKind): AlertChannel[] => [
      ...(webhook && tellsBy('webhook', kind) ? ['webhook' as const] : []),
      ...(recipient !== undefined && mailServer && tellsBy('email', kind) ? ['email' as const] : []),
    ],

    /** Tells by some channels without the database, once. @returns those that took it */
    async tellNow(
      message: AlertMessage & { kind: AlertKind },
      channels: readonly AlertChannel[],
    ): Promise<AlertChannel[]> {
      const attempts: Record<AlertChannel, () => Promise<boolean>> = {
        webhook: async () => webhook !== undefined && (await tellTo(webhook, message)).kind === 'sent',
        email: async () => {
          if (recipient === undefined || !mailServer) return false
          const email = { to: recipient, language, ...alertEmail(shop, message, language) }
          return (await sendAtOnce(mailServer, email)).kind === 'taken'
        },
      }
      const { kind, event } = message
      const outcomes = await Promise.all(
        channels.map(async (channel) => {
          const isTaken = await attempts[channel]()
          log.warn({ alert: kind, event, channel, isTaken }, 'alert told without the database')
          return isTaken ? [channel] : []
        }),
      )
      return outcomes.flat()
    },

    /** Tries the webhook. @returns what became of it; undefined without a webhook */
    async test(): Promise<{ is_sent: boolean; error: string | null } | undefined> {
      if (!webhook) return undefined
      const at = new Date(nowMs())
      const facts = { since: at.toISOString(), fresh: 0, open: 0, examples: [] }
      const outcome = await tellTo(webhook, { kind: TEST, event: TEST, at, facts })
      const error = outcome.kind === 'sent' ? null : outcome.error
      await stored.noteTest(facts, error)
      await watchWebhook()
      return { is_sent: error === null, error }
    },
  }
}

function alertEmail(
  shop: AlertSenderOptions['shop'],
  message: AlertMessage,
  language: Language,
): ReturnType<typeof composeEmail> {
  const written = writeAlert(message, shop, language)
  const text = (...texts: (string | undefined)[]): Block[] =>
    texts.flatMap((one) => (one === undefined ? [] : [{ kind: 'text' as const, text: one }]))
  return composeEmail(shop, {
    language,
    subject: written.subject,
    preview: written.sentence,
    title: written.title,
    blocks: [
      ...text(written.sentence),
      ...written.examples.map((facts) => ({ kind: 'facts' as const, facts })),
      ...text(written.more, written.meaning, written.advice),
      { kind: 'button', ...written.console },
      ...(written.runbook ? [{ kind: 'note' as const, text: written.runbook.text }] : []),
    ],
  })
}
