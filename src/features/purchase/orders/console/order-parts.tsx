import type { ReactNode } from 'react'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Badge, type Tone } from '#ui/badge.tsx'
import type { OrderState } from '../order-machine.rules.ts'

export const TONES: Record<OrderState, Tone> = {
  held: 'signal',
  capturing: 'signal',
  pending: 'signal',
  completed: 'success',
  expired: 'neutral',
  cancelled: 'neutral',
  superseded: 'neutral',
  refunding: 'warning',
  refunded: 'neutral',
  review: 'error',
}

/** For amounts within texts. */
export function useEur(): (amount: string) => string {
  const language = useLanguage()
  return (amount) => formatEur(amount, language)
}

/** An amount in decimal euro text, as people read it. */
export function Eur({ amount }: { amount: string }): ReactNode {
  return <span className="whitespace-nowrap tabular-nums">{useEur()(amount)}</span>
}

/** The state of an order in words. */
export function StateBadge({ state }: { state: OrderState }): ReactNode {
  return <Badge tone={TONES[state]}>{useTranslations('consoleOrders.states')(state)}</Badge>
}
