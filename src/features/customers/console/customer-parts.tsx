import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge, type Tone } from '#ui/badge.tsx'
import type { CustomerSummary } from '../customers.contract.ts'
import type { AccountStanding } from '../customers.rules.ts'

export const CUSTOMERS = '/api/staff/customers/'

const TONES: Record<AccountStanding, Tone> = { active: 'success', suspended: 'error', closed: 'neutral' }

/** How a customer is called: a closed account has a number only. */
export function useCustomerName(): (customer: Pick<CustomerSummary, 'id' | 'username' | 'state'>) => string {
  const t = useTranslations('consoleCustomers')
  return ({ id, username, state }) => (state === 'closed' ? t('closedName', { id: String(id) }) : username)
}

export function StandingBadges({ customer }: { customer: CustomerSummary }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const { state, is_staff: isStaff, email_confirmed: isConfirmed } = customer
  return (
    <span className="flex flex-wrap gap-2">
      <Badge tone={TONES[state]}>{t(`standing.${state}`)}</Badge>
      {isStaff && <Badge tone="signal">{t('staff')}</Badge>}
      {state !== 'closed' && !isConfirmed && <Badge tone="warning">{t('unconfirmed')}</Badge>}
    </span>
  )
}

/** The words for a code; the code itself where there are none yet. */
export function useWords(group: 'events' | 'orderStates' | 'reasons'): (code: string) => string {
  const t = useTranslations(`consoleCustomers.${group}`)
  return (code) => {
    const name = code.replaceAll('.', '_') as never
    return t.has(name) ? t(name) : code
  }
}
