import { type ReactNode, useRef } from 'react'
import type { ShownTax } from '#features/purchase/cart/screens/tax.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { useActionRoom } from '#ui/use-bar.ts'

/**
 * On phones the total and the way to the payment stay in sight below the lines, and above the policy banner.
 * @param at id of the place that it leads to: the payment, or what stands in its way
 */
export function PayBar({ tax, at }: { tax: ShownTax; at: string }): ReactNode {
  const t = useTranslations('cart')
  const pay = useTranslations('checkout')('held.pay')
  const amount = formatEur(tax.total, useLanguage())
  const bar = useRef<HTMLDivElement>(null)
  useActionRoom(bar)
  return (
    <div
      ref={bar}
      className="pay-bar sticky bottom-(--bottom-room,0px) z-10 max-md:-mx-[clamp(min(1rem,5vw),4vw,2.5rem)] border-y border-line bg-surface py-2 md:hidden print:hidden"
    >
      <div className="page-width flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <p className="grid">
          <span className="text-sm text-muted">
            {t(tax.basis === 'estimate' ? 'totalEstimate' : 'totalGross')}
          </span>
          <span className="font-wide text-lg leading-tight tabular-nums">{amount}</span>
        </p>
        <a href={`#${at}`} className={buttonClasses()}>
          {pay}
        </a>
      </div>
    </div>
  )
}
