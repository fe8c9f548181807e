import type { ReactNode } from 'react'
import { Progress } from '#ui/progress.tsx'
import type { Offer } from '#features/offers/offers.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** Tickets sold out of the total, as words and as a bar. */
export function SoldMeter({ offer }: { offer: Pick<Offer, 'tickets_sold' | 'total_tickets'> }): ReactNode {
  const t = useTranslations('offers.card')
  const { tickets_sold: sold, total_tickets: total } = offer
  const words = t('sold', { sold, total })
  return (
    <div className="grid gap-1.5 text-sm">
      <span aria-hidden="true">{words}</span>
      <Progress value={sold} total={total} label={words} />
    </div>
  )
}
