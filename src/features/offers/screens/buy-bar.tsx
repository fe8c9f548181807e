import { ShoppingCart } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useCartCount } from '#client/state.ts'
import { buttonClasses } from '#ui/button.tsx'
import { useBottomRoom } from '#ui/use-bottom-room.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { AddButton } from './add-button.tsx'
import { QUESTION_ID } from './question-field.tsx'
import { useAllIn } from './use-all-in.ts'
import type { Purchase } from './use-purchase.ts'

/** The way to the cart: beside the buy button only an icon with the number of tickets. */
function SeeCart({ count, wide }: { count: number; wide: boolean }): ReactNode {
  const t = useTranslations('offers.buy')
  const text = t('seeCart', { count })
  if (wide) {
    return (
      <AppLink to={paths.cart()} className={buttonClasses('secondary', 'large', { wide })}>
        {text}
      </AppLink>
    )
  }
  return (
    <AppLink
      to={paths.cart()}
      className={buttonClasses('secondary', 'large', { className: 'shrink-0 grow gap-1.5 px-4' })}
    >
      <ShoppingCart aria-hidden="true" className="size-5" />
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{text}</span>
    </AppLink>
  )
}

/** Below 768 px: the buy button within the thumb's reach, and the way to the cart when it is not empty (spec section 2). */
export function BuyBar({ offer, purchase }: { offer: OfferDetail; purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.buy')
  const count = useCartCount()
  const { obstacle, quantity } = purchase
  const lineAllIn = useAllIn(offer.ticket_price, quantity)
  const closed = obstacle === 'ended' || obstacle === 'soldOut'
  const shown = !closed || count > 0
  const bar = useRef<HTMLElement>(null)
  useBottomRoom(bar, shown)
  if (!shown) return null
  return (
    <section
      ref={bar}
      aria-label={t('barLabel')}
      className="buy-bar fixed inset-x-0 bottom-0 z-20 grid grid-cols-1 gap-2 border-t border-line bg-surface p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:hidden"
    >
      {!closed && obstacle && (
        <a href={`#${QUESTION_ID}`} className="prose-link py-1 text-center text-sm">
          {t(obstacle === 'answerWrong' ? 'wrongAnswer' : 'answerFirst')}
        </a>
      )}
      {obstacle === undefined && quantity > 1 && (
        <p className="text-center text-sm wrap-anywhere text-muted tabular-nums">{lineAllIn}</p>
      )}
      {/* Letters of twice their size put the way to the cart below the button. */}
      <div className="flex flex-wrap gap-2">
        {!closed && <AddButton compact purchase={purchase} />}
        {count > 0 && <SeeCart count={count} wide={closed} />}
      </div>
    </section>
  )
}
