import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useCartCount } from '#client/state.ts'
import { buttonClasses } from '#ui/button.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { AddButton } from './add-button.tsx'
import { QUESTION_ID } from './question-field.tsx'
import type { Purchase } from './use-purchase.ts'

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
      {!closed && (
        <>
          {obstacle && (
            <a href={`#${QUESTION_ID}`} className="prose-link py-1 text-center text-sm">
              {t(obstacle === 'answerWrong' ? 'wrongAnswer' : 'answerFirst')}
            </a>
          )}
          <AddButton purchase={purchase} />
        </>
      )}
      {count > 0 && (
        <AppLink to={paths.cart()} className={buttonClasses('secondary')}>
          {t('seeCart', { count })}
        </AppLink>
      )}
    </section>
  )
}
