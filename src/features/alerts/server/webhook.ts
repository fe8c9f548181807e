import { readAtMost } from '#platform/http/read-at-most.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { type WebhookFormat, severityOf } from '../alerts.rules.ts'
import { type AlertMessage, TEST, type WrittenAlert, isOver, plainText } from './alert-text.ts'

export interface Webhook {
  /** May hold a secret in each of its parts; user and password go as a header. */
  url: string
  format: WebhookFormat
}

/** Of one attempt. Refused: the same request would be refused again. */
export type WebhookOutcome =
  | { kind: 'sent' }
  | { kind: 'refused' | 'failed'; error: string; retryAfterSeconds?: number }

interface Told {
  message: AlertMessage
  written: WrittenAlert
  language: Language
  /** The host of the shop: two shops may have one receiver. */
  shop: string
  publicUrl: string
  /** How long an Alertmanager keeps an alert that is not sent again. */
  keepSeconds: number
}

type Template = (told: Told, url: URL) => { to: URL; body: object }

const TITLE_MAX = 250
/** ntfy makes a file of a longer message (4,096 bytes). */
const NTFY_BYTES = 3_800

/**
 * One alert for all of a kind, by labels that stay the same: an Alertmanager joins what several machines say of it. Its API
 * (`/api/v2/alerts`) takes a list; every other address is a receiver of its webhooks (version 4).
 */
const alertmanager: Template = ({ message, written, shop, publicUrl, language, keepSeconds }, url) => {
  const { kind, facts, at } = message
  const labels = {
    alertname: `Volant${kind[0]?.toUpperCase()}${kind.slice(1)}`,
    severity: kind === TEST ? 'none' : severityOf(kind),
    service: 'volant',
    shop,
  }
  const annotations = {
    summary: written.subject,
    description: plainText(written, language),
    open: String(facts.open),
    console_url: written.console.url,
    ...(written.runbook && { runbook: written.runbook.file }),
  }
  // A test is over at once.
  const isEnded = isOver(message) || kind === TEST
  const until = isEnded ? at : new Date(at.getTime() + keepSeconds * 1_000)
  const alert = { labels, annotations, startsAt: facts.since, generatorURL: written.console.url }
  if (/\/api\/v2\/alerts\/?$/.test(url.pathname))
    return { to: url, body: [{ ...alert, endsAt: until.toISOString() }] }
  const status = isEnded ? 'resolved' : 'firing'
  const endsAt = isEnded ? at.toISOString() : '0001-01-01T00:00:00Z'
  const groupLabels = { alertname: labels.alertname, shop }
  return {
    to: url,
    body: {
      version: '4',
      groupKey: `{}:{alertname="${labels.alertname}", shop="${shop}"}`,
      truncatedAlerts: 0,
      status,
      receiver: 'volant',
      groupLabels,
      commonLabels: labels,
      commonAnnotations: annotations,
      externalURL: publicUrl,
      alerts: [{ status, ...alert, endsAt, fingerprint: `${shop}/${kind}` }],
    },
  }
}

/** The last part of the address is the topic; JSON goes to the address above it. */
const ntfy: Template = ({ message, written, shop, language }, url) => {
  const to = new URL(url)
  const parts = to.pathname.split('/').filter(Boolean)
  const topic = decoded(parts.pop() ?? '')
  to.pathname = `/${parts.join('/')}`
  const { kind, event, facts } = message
  const isCritical = kind !== TEST && severityOf(kind) === 'critical' && !isOver(message)
  return {
    to,
    body: {
      topic,
      title: written.subject.slice(0, TITLE_MAX),
      message: atMost(plainText(written, language), NTFY_BYTES),
      priority: isCritical ? 5 : isOver(message) ? 3 : 4,
      tags: [isOver(message) || kind === TEST ? 'white_check_mark' : 'rotating_light'],
      click: written.console.url,
      // What several machines say of a database that is away replaces itself on the telephone.
      ...(event !== TEST && {
        sequence_id: sequenceId(`${shop} ${kind} ${event} ${facts.since.slice(0, 15)}`),
      }),
    },
  }
}

const sequenceId = (text: string): string => text.replaceAll(/[^\w-]+/g, '-').slice(-64)

const slack: Template = ({ written, language }, url) => ({
  to: url,
  body: { text: slackText(`*${escaped(written.subject)}*\n${escaped(plainText(written, language))}`) },
})

/** The only characters that mean something else in a text of Slack. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
/** Slack cuts longer texts off. */
const slackText = (text: string): string => text.slice(0, 4_000)

function atMost(text: string, bytes: number): string {
  let cut = text
  while (Buffer.byteLength(cut) > bytes) cut = cut.slice(0, -100)
  return cut
}

const TEMPLATES: Record<WebhookFormat, Template> = { alertmanager, ntfy, slack }

const RESPONSE_MS = 10_000
const RESPONSE_BYTES = 4_096
const LATEST_RETRY_SECONDS = 600
/** Too early, too late, too much: the next attempt may succeed. */
const PASSING = new Set([408, 425, 429])

/** Sends a message once. Never rejects; what it says of a fault has no part of the address. */
export async function post(webhook: Webhook, told: Told, responseMs = RESPONSE_MS): Promise<WebhookOutcome> {
  const url = new URL(webhook.url)
  const { username, password } = url
  url.username = url.password = ''
  const { to, body } = TEMPLATES[webhook.format](told, url)
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  try {
    const response = await fetch(to, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'volant',
        ...((username || password) && { authorization: ['Basic', basic].join(' ') }),
      },
      body: JSON.stringify(body),
      // Elsewhere the message would be somebody else's to read.
      redirect: 'manual',
      signal: AbortSignal.timeout(responseMs),
    })
    const { status, headers } = response
    const said = (await readAtMost(response, RESPONSE_BYTES).catch(() => undefined))?.toString('utf8') ?? ''
    if (response.ok) return { kind: 'sent' }
    const error = withoutSecrets(`status ${status} ${oneLine(said)}`.trim(), webhook.url)
    if (status < 500 && !PASSING.has(status)) return { kind: 'refused', error }
    const seconds = secondsOf(headers.get('retry-after'))
    return { kind: 'failed', error, ...(seconds !== undefined && { retryAfterSeconds: seconds }) }
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    const reason = isLate ? `no answer within ${responseMs / 1_000} s` : reasonOf(error)
    return { kind: 'failed', error: withoutSecrets(reason, webhook.url) }
  }
}

/** As given where it is not encoded rightly. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const oneLine = (text: string): string => text.replaceAll(/<[^>]*>|[\s\p{C}]+/gu, ' ')

/** `fetch` hides why a connection failed in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code, message: reason } = (cause ?? {}) as NodeJS.ErrnoException
  return [code, reason].filter(Boolean).join(': ') || message
}

function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - nowMs()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.min(LATEST_RETRY_SECONDS, Math.max(1, Math.ceil(seconds)))
}

const ERROR_MAX = 300

/** Without the parts of an address, some of which open it; its host stays. */
function withoutSecrets(text: string, address: string): string {
  const { username, password, pathname, search } = new URL(address)
  const parts = [username, password, ...pathname.split('/'), ...search.split(/[?&=]/)]
  const secrets = parts.flatMap((part) => [part, decoded(part)]).filter(({ length }) => length > 3)
  return [address, ...secrets]
    .toSorted((one, other) => other.length - one.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '…'), text)
    .slice(0, ERROR_MAX)
}
