import { ShoppingCart } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { Purchase } from './use-purchase.ts'

/** Add-to-cart with the line's total, or the reason why not (spec section 4, "Offer purchasability"). */
export function AddButton({ purchase }: { purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.buy')
  const tCard = useTranslations('offers.card')
  const language = useLanguage()
  const { obstacle, adding, lineTotal } = purchase
  const closed = obstacle === 'ended' || obstacle === 'soldOut'
  return (
    <Button wide size="large" busy={adding} busyText={t('adding')} disabled={obstacle !== undefined} onClick={purchase.add}>
      {closed ? (
        tCard(obstacle)
      ) : (
        <>
          <ShoppingCart aria-hidden="true" className="size-5" />
          <span>{t('add')}</span>
          <span className="tabular-nums" aria-live="polite">
            {formatEur(lineTotal, language)}
          </span>
        </>
      )}
    </Button>
  )
}
