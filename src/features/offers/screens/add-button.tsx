import { ShoppingCart } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { Purchase } from './use-purchase.ts'

interface AddButtonProps {
  purchase: Purchase
  /** For the bar of phones: no icon, and the price below the words where both do not fit into a line. */
  compact?: boolean
}

/** Add-to-cart with the line's total, or the reason why not (spec section 4, "Offer purchasability"). */
export function AddButton({ purchase, compact = false }: AddButtonProps): ReactNode {
  const t = useTranslations('offers.buy')
  const tCard = useTranslations('offers.card')
  const language = useLanguage()
  const { obstacle, adding, lineTotal } = purchase
  const closed = obstacle === 'ended' || obstacle === 'soldOut'
  return (
    <Button
      wide
      className={compact ? 'shrink grow-999 basis-0' : 'min-h-14'}
      busy={adding}
      busyText={t('adding')}
      disabled={obstacle !== undefined}
      onClick={purchase.add}
    >
      {closed ? (
        tCard(obstacle)
      ) : (
        <>
          {!compact && <ShoppingCart aria-hidden="true" className="size-5 shrink-0" />}
          <span className="flex flex-wrap justify-center gap-x-2.5">
            <span>{t('add')}</span>
            <span aria-live="polite">{formatEur(lineTotal, language)}</span>
          </span>
        </>
      )}
    </Button>
  )
}
