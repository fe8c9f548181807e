import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { chipClasses } from '#ui/chip.ts'
import type { OfferDetail } from '../offers.contract.ts'
import { oddsOf, offeredQuantities } from '../offer-page.rules.ts'
import { useTotal } from './price-pair.tsx'

interface QuantityChipsProps {
  offer: Pick<OfferDetail, 'ticket_price' | 'total_tickets'>
  value: number
  max: number
  onChange: (quantity: number) => void
}

/** Usual quantities, each with its price and its odds. */
export function QuantityChips({ offer, value, max, onChange }: QuantityChipsProps): ReactNode {
  const t = useTranslations('contest.buy')
  const total = useTotal(offer.ticket_price)
  const quantities = offeredQuantities(max)
  if (quantities.length < 2) return null
  return (
    <div className="grid gap-1.5">
      <div
        role="group"
        aria-label={t('quick')}
        className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,7rem),1fr))] gap-2"
      >
        {quantities.map((quantity) => (
          <button
            key={quantity}
            type="button"
            aria-pressed={quantity === value}
            onClick={() => onChange(quantity)}
            className={`${chipClasses} grid justify-items-center px-1 py-1.5`}
          >
            <span className="font-wide text-base leading-tight">
              {quantity}
              <span className="sr-only"> {t('tickets', { quantity })},</span>
            </span>
            <span className="text-xs tabular-nums" translate="no">
              {total(quantity)}
            </span>
            <span className="text-xs tabular-nums">
              <span className="sr-only">, </span>
              {t('oddsOne', { one: oddsOf(quantity, offer.total_tickets) })}
            </span>
          </button>
        ))}
      </div>
      <p className="text-xs text-muted">{t('quickNote')}</p>
    </div>
  )
}
