import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useCartCount } from '#client/state.ts'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Stepper } from '#ui/stepper.tsx'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import type { OfferDetail } from '../offers.contract.ts'
import { freeTickets, whyNotBuyable } from '../offers.rules.ts'
import { AddButton } from './add-button.tsx'
import { QuestionField } from './question-field.tsx'
import { useAllIn } from './use-all-in.ts'
import type { Purchase } from './use-purchase.ts'

/** Price, question, quantity and the button; or why nothing can be bought any more. */
export function BuyPanel({ offer, purchase }: { offer: OfferDetail; purchase: Purchase }): ReactNode {
  const t = useTranslations('offers')
  const language = useLanguage()
  const allIn = useAllIn(offer.ticket_price)
  const lineAllIn = useAllIn(offer.ticket_price, purchase.quantity)
  const closed = whyNotBuyable(offer)

  return (
    <Card role="region" aria-label={t('buy.heading')} className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <div>
        <p className="text-sm text-muted">{t('price.ticket')}</p>
        <Price
          size="large"
          className="wrap-anywhere"
          amount={formatEur(offer.ticket_price, language)}
          note={allIn}
        />
      </div>
      {closed ? (
        <Closed why={closed} purchase={purchase} />
      ) : (
        <>
          <QuestionField offer={offer} purchase={purchase} />
          <div className="grid gap-2">
            <span className="font-semibold" aria-hidden="true">
              {t('buy.quantity')}
            </span>
            <Stepper
              className="justify-self-start"
              value={purchase.quantity}
              max={purchase.max}
              onChange={purchase.setQuantity}
              label={t('buy.quantity')}
              decreaseText={t('buy.fewer')}
              increaseText={t('buy.more')}
              clampedText={t('buy.max', { max: purchase.max })}
            />
          </div>
          {freeTickets(offer) === 0 && (
            <p role="status" className="text-sm text-warning">
              {t('detail.allHeld')}
            </p>
          )}
          {purchase.failed !== undefined && <Alert tone="error">{purchase.failed}</Alert>}
          <div className="hidden gap-2 md:grid">
            <AddButton purchase={purchase} />
            {purchase.quantity > 1 && (
              <p className="text-center text-sm text-muted tabular-nums">{lineAllIn}</p>
            )}
            {purchase.added && <SeeCart />}
          </div>
        </>
      )}
    </Card>
  )
}

/** The next step once tickets are in the cart; phones have it in their bar. */
function SeeCart(): ReactNode {
  const t = useTranslations('offers.buy')
  const count = useCartCount()
  if (count === 0) return null
  return (
    <AppLink to={paths.cart()} className={buttonClasses('secondary')}>
      {t('seeCart', { count })}
    </AppLink>
  )
}

function Closed({ why, purchase }: { why: 'ended' | 'soldOut'; purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.detail')
  return (
    <div className="grid gap-3">
      <p className="text-lg font-semibold">{t(`${why}Title`)}</p>
      <p className="text-muted">{t(`${why}Text`)}</p>
      <AddButton purchase={purchase} />
      <AppLink to={paths.offers()} className={buttonClasses()}>
        {t('all')}
      </AppLink>
    </div>
  )
}

interface PriceProps {
  /** Formatted amount with its sign, for example "4,90 €". */
  amount: string
  /** What is said below, for example "5,93 € incl. VAT". */
  note?: ReactNode
  size?: 'medium' | 'large'
  className?: string
}

/** A price with its explanation. */
const Price = ({ amount, note, size = 'medium', className }: PriceProps): ReactNode => (
  <p className={classes('grid', className)}>
    <span className={classes('font-wide tabular-nums', size === 'large' ? 'text-headline' : 'text-title')}>
      {amount}
    </span>
    {note && <span className="text-sm text-muted">{note}</span>}
  </p>
)
