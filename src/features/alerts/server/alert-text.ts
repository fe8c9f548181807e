import { formatSum } from '#i18n/format.ts'
import { translate, zonedTime } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { sumToDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import {
  ALERT_DETAILS,
  type AlertEvent,
  type AlertKind,
  isAlertDetail,
  isAlertReason,
  isCents,
  runbookOf,
} from '../alerts.rules.ts'

/** What a check of the doctor found: a sentence of the message files. */
export interface StoredFinding {
  key: `doctor.${string}`
  values: Record<string, string | number>
}

export interface MessageFacts {
  /** When the first of the alerts began, ISO 8601. */
  since: string
  /** Alerts that no message told of before. */
  fresh: number
  open: number
  /** The first ones. */
  examples: readonly { subject: string; order_number: string | null; details: Record<string, unknown> }[]
}

/** Whether anybody is told, of nothing at all: the way is tried. */
export const TEST = 'test'

export interface AlertMessage {
  kind: AlertKind | typeof TEST
  event: AlertEvent | typeof TEST
  at: Date
  facts: MessageFacts
}

/** What the texts say of the shop. */
export interface AlertShop {
  brand: string
  publicUrl: string
  timeZone: string
}

export interface WrittenAlert {
  /** With the shop's name, as the subject of an email. */
  subject: string
  title: string
  /** How often and when. */
  sentence: string
  /** What is known of the first alerts, and how many more there are. */
  examples: readonly { name: string; text: string }[][]
  more: string | undefined
  meaning: string | undefined
  advice: string | undefined
  console: { label: string; url: string }
  runbook: { text: string; file: string } | undefined
}

export const isOver = ({ event }: Pick<AlertMessage, 'event'>): boolean =>
  event === 'resolved' || event === 'passed'

/** A message in the operator's language. */
export function writeAlert(message: AlertMessage, shop: AlertShop, language: Language): WrittenAlert {
  const { kind, event, facts } = message
  const when = (at: Date | string): string => zonedTime(at, shop.timeZone, language)
  const say = (name: string, values: Record<string, string | number> = {}): string =>
    translate(language, `emails.alert.${name}` as 'emails.alert.subject', values)
  const { fresh, open, examples } = facts
  const sentence = say(`events.${event}`, { fresh, open, when: when(facts.since), at: when(message.at) })
  const title = kind === TEST ? say('test') : say(`kind.${kind}`)
  const shown = isOver(message) ? say('over', { title }) : title
  const all = event === 'repeated' ? open : fresh
  const left = event === 'resolved' ? 0 : all - examples.length
  return {
    subject: say('subject', { brand: shop.brand, title: shown }),
    title: shown,
    sentence,
    examples: examples.map((one) => factsOf(one, language)).filter((one) => one.length > 0),
    more: left > 0 ? say('more', { count: left }) : undefined,
    meaning:
      kind === TEST || isOver(message)
        ? undefined
        : translate(language, `consoleAlerts.kinds.${kind}.meaning`),
    advice:
      kind === TEST || isOver(message)
        ? undefined
        : translate(language, `consoleAlerts.kinds.${kind}.advice`),
    console: {
      label: say('console'),
      url: `${shop.publicUrl}/admin/alerts${kind === TEST ? '' : `#${kind}`}`,
    },
    runbook:
      kind === TEST ? undefined : { text: say('runbook', { file: runbookOf(kind) }), file: runbookOf(kind) },
  }
}

/** The same without a layout, for a telephone. */
export function plainText(written: WrittenAlert, language: Language): string {
  const facts = written.examples.map((rows) =>
    rows.map(({ name, text }) => translate(language, 'emails.fact', { name, text })).join('\n'),
  )
  const examples = [...facts, ...(written.more === undefined ? [] : [written.more])]
  const { sentence, meaning, advice, console: link, runbook } = written
  return [sentence, ...examples, meaning, advice, `${link.label}:\n${link.url}`, runbook?.text]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

const LONGEST = 500

function factsOf(
  { subject, order_number: number, details }: MessageFacts['examples'][number],
  language: Language,
): { name: string; text: string }[] {
  const about =
    number === null
      ? subject === ''
        ? []
        : [{ name: translate(language, 'consoleAlerts.subject'), text: subject }]
      : [{ name: detailName(language, 'order'), text: shownOrderNumber(number) }]
  const known = inOrder(details).filter(([, value]) => value !== null)
  return [...about, ...known.map((row) => factOf(language, ...row))]
}

const PLACES: readonly string[] = ALERT_DETAILS
/** The database does not keep the order of details. */
const inOrder = (details: Record<string, unknown>): [string, unknown][] =>
  Object.entries(details).toSorted(([one], [other]) => PLACES.indexOf(one) - PLACES.indexOf(other))

const detailName = (language: Language, name: string): string =>
  isAlertDetail(name) ? translate(language, `consoleAlerts.details.${name}`) : name

const isFinding = (name: string, value: unknown): value is StoredFinding =>
  name === 'finding' && typeof value === 'object' && value !== null && 'key' in value

/** Details for the console: findings as sentences in the caller's language. */
export const shownDetails = (details: Record<string, unknown>, language: Language): Record<string, unknown> =>
  Object.fromEntries(
    inOrder(details).map(([name, value]) => [
      name,
      isFinding(name, value) ? translate(language, value.key, value.values) : value,
    ]),
  )

function factOf(language: Language, name: string, value: unknown): { name: string; text: string } {
  const label = detailName(language, name)
  if (isCents(name, value)) return { name: label, text: formatSum(sumToDecimal(value), language) }
  if (isAlertReason(name, value))
    return { name: label, text: translate(language, `consoleAlerts.reasons.${value}`) }
  if (isFinding(name, value)) return { name: label, text: translate(language, value.key, value.values) }
  return { name: label, text: (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST) }
}
