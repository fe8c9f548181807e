import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { useConfirmingOrders } from './confirming-orders.ts'

/** What was paid and waits to be confirmed, and what happens next. @param except the provider's id of an order that the page shows itself */
export function PendingPayments({ except }: { except: string | null }): ReactNode {
  const t = useTranslations('checkout.confirming')
  const language = useLanguage()
  const orders = useConfirmingOrders().filter((order) => order.order_id !== except)
  return (
    <div aria-live="polite" className="grid grid-cols-1 gap-4 empty:absolute">
      {orders.map(({ number, total, lines }) => (
        <section
          key={number}
          className="flex gap-3 rounded-md border-l-4 border-warning bg-warning-soft p-4 text-ink"
        >
          <Hourglass aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-warning" />
          <div className="grid min-w-0 grid-cols-1 gap-1.5 text-sm">
            <h2 className="text-base font-semibold">{t('title')}</h2>
            <p>
              <strong>{formatEur(total, language)}</strong>
              {` · ${lines.map(({ title, quantity }) => `${title} × ${quantity}`).join(', ')} · `}
              <span className="whitespace-nowrap">{number}</span>
            </p>
            <p>{t('text')}</p>
          </div>
        </section>
      ))}
    </div>
  )
}
