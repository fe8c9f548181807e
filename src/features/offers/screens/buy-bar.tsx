import { ShoppingCart } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useCartCount } from '#client/state.ts'
import { buttonClasses } from '#ui/button.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { AddButton } from './add-button.tsx'
import { QUESTION_ID } from './question-field.tsx'
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
      className={buttonClasses('secondary', 'large', { className: 'shrink-0 gap-1.5 px-4' })}
    >
      <ShoppingCart aria-hidden="true" className="size-5" />
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{text}</span>
    </AppLink>
  )
}

/** Below 768 px: the buy button within the thumb's reach, and the way to the cart when it is not empty (spec section 2). */
export function BuyBar({ purchase }: { purchase: Purchase }): ReactNode {
  const t = useTranslations('offers.buy')
  const count = useCartCount()
  const { obstacle } = purchase
  const closed = obstacle === 'ended' || obstacle === 'soldOut'
  if (closed && count === 0) return null
  return (
    <section
      aria-label={t('barLabel')}
      className="fixed inset-x-0 bottom-0 z-20 grid gap-2 border-t border-line bg-surface p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:hidden"
    >
      {!closed && obstacle && (
        <a href={`#${QUESTION_ID}`} className="prose-link py-1 text-center text-sm">
          {t(obstacle === 'answerWrong' ? 'wrongAnswer' : 'answerFirst')}
        </a>
      )}
      <div className="flex gap-2">
        {!closed && <AddButton compact purchase={purchase} />}
        {count > 0 && <SeeCart count={count} wide={closed} />}
      </div>
    </section>
  )
}
