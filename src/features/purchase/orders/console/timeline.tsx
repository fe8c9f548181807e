import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Time } from '#console-kit/parts.tsx'
import type { AuditAction } from '#shared/audit-actions.ts'
import { NOTIFICATION_KINDS } from '#shared/provider-notifications.ts'
import { EVENT_REASONS } from '../order-machine.rules.ts'
import type { TimelineEntry } from '../staff-orders.contract.ts'
import { useEur } from './order-parts.tsx'

const CAPTURES = [
  'completed',
  'pending',
  'partially_refunded',
  'refunded',
  'declined',
  'failed',
  'unknown',
] as const
const REFUNDS = [
  'requested',
  'pending',
  'completed',
  'failed',
  'provider_completed',
  'provider_pending',
  'provider_failed',
] as const
/** Why PayPal refused a refund, as far as staff can do something about it. */
const REFUND_REFUSALS = [
  'too_early',
  'no_funds',
  'disputed',
  'refused',
  'shop_fault',
  'not_found',
  'other',
] as const

/** Acts of staff that no other entry tells of. */
type StaffAct = Exclude<
  Extract<AuditAction, `orders.${string}` | `approvals.${string}`>,
  'orders.note' | 'orders.refund' | 'orders.release' | 'orders.read' | 'orders.list' | 'orders.export'
>
const STAFF = {
  'orders.reconcile': 'reconcile',
  'orders.resendReceipt': 'resendReceipt',
  'approvals.ask': 'ask',
  'approvals.approved': 'approved',
  'approvals.refused': 'refused',
  'approvals.withdrawn': 'withdrawn',
  'approvals.alone': 'alone',
  'approvals.expired': 'expired',
} as const satisfies Record<StaffAct, string>

const isIn = <const Code extends string>(codes: readonly Code[], code: string): code is Code =>
  codes.some((one) => one === code)

/** What happened to an order, from the first to the last. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }): ReactNode {
  const say = useSentence()
  return (
    <ol className="grid gap-3">
      {entries.map((entry) => {
        const { text, detail } = say(entry)
        return (
          <li
            key={`${entry.at} ${entry.kind} ${entry.code} ${entry.values['id'] ?? ''}`}
            className="grid gap-x-4 text-sm sm:grid-cols-[9.5rem_1fr]"
          >
            <span className="text-muted">
              <Time at={entry.at} />
            </span>
            <span className="grid min-w-0 wrap-anywhere">
              <span>{text}</span>
              {detail !== '' && <span className="whitespace-pre-line text-muted">{detail}</span>}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** An entry as a sentence, with what somebody wrote or the provider's own words. */
function useSentence(): (entry: TimelineEntry) => { text: string; detail: string } {
  const t = useTranslations('consoleOrders')
  const eur = useEur()
  return ({ kind, code, values }) => {
    const value = (name: string): string => values[name] ?? ''
    const by = value('by')
    const amount = kind === 'capture' || kind === 'refund' ? eur(value('amount')) : ''
    switch (kind) {
      case 'event':
        return { text: eventText(), detail: value('note') }
      case 'capture':
        return {
          text: isIn(CAPTURES, code) ? t(`timeline.captures.${code}`, { amount }) : code,
          detail: value('id'),
        }
      case 'refund':
        return { text: refundText(), detail: code === 'requested' ? value('note') : refundDetail() }
      case 'email':
        return { text: t('timeline.email', { subject: value('subject') }), detail: '' }
      case 'notification':
        return {
          text: isIn(NOTIFICATION_KINDS, code) ? t(`timeline.notifications.${code}`) : code,
          detail: [code === 'other' && value('type'), !values['handled'] && t('timeline.unhandled')]
            .filter(Boolean)
            .join(', '),
        }
      case 'note':
        return { text: t('timeline.staff.note', { by }), detail: value('text') }
      case 'staff': {
        const known = Object.entries(STAFF).find(([action]) => action === code)?.[1]
        const text = known ? t(`timeline.staff.${known}`, { by }) : `${by}: ${code}`
        return { text, detail: value('reason') }
      }
    }

    function eventText(): string {
      if (code === 'staff_request' && values['to'] === 'refunded') return t('timeline.events.staffDone')
      return isIn(EVENT_REASONS, code) ? t(`timeline.events.${code}`, { by }) : code
    }

    function refundDetail(): string {
      const refusal = value('refusal')
      if (refusal === '') return value('id')
      const said = value('said')
      return isIn(REFUND_REFUSALS, refusal) ? `${t(`timeline.refusals.${refusal}`)} (${said})` : said
    }

    function refundText(): string {
      if (code === 'requested' && by !== '') return t('timeline.refunds.requestedBy', { by, amount })
      return isIn(REFUNDS, code) ? t(`timeline.refunds.${code}`, { amount }) : code
    }
  }
}
