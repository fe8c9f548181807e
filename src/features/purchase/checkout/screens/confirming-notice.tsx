import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { toast } from '#client/toast.ts'
import { AppLink } from '#client/app-link.tsx'
import { CONFIRMING, paths } from '#client/paths.ts'
import { PendingPayments } from '#features/purchase/orders/screens/pending-payments.tsx'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import type { PaymentEnd } from './payment-reading.ts'
import { useOrderWatch } from './use-order-watch.ts'

/** Payments that are not confirmed yet: the one in the address, and others. */
export function UnconfirmedPayments({ onPaid }: { onPaid: () => void }): ReactNode {
  const [search] = useSearchParams()
  return (
    <>
      <ConfirmingNotice onPaid={onPaid} />
      <PendingPayments except={search.get(CONFIRMING)} />
    </>
  )
}

/** Polls the order in the address until it ends; the address keeps it until then, so that a reload polls on. */
const ConfirmingNotice = ({ onPaid }: { onPaid: () => void }): ReactNode => (
  <div aria-live="polite" className="empty:absolute">
    <Watched onPaid={onPaid} />
  </div>
)

function Watched({ onPaid }: { onPaid: () => void }): ReactNode {
  const t = useTranslations('checkout')
  const tErrors = useTranslations('errors.checkout')
  const [search, setSearch] = useSearchParams()
  const [end, setEnd] = useState<PaymentEnd>()
  const orderId = search.get(CONFIRMING) || undefined
  const watch = useOrderWatch(orderId, onEnd)

  function onEnd(reached: PaymentEnd): void {
    setEnd(reached)
    setSearch(
      (current) => {
        current.delete(CONFIRMING)
        return current
      },
      { replace: true, preventScrollReset: true },
    )
    if (reached.result !== 'paid') return
    toast.success(t('success'))
    onPaid()
  }

  if (orderId !== undefined) {
    return (
      <Alert title={t('confirming.title')}>
        <p>{t('confirming.text')}</p>
        {watch.offline && <p>{t('confirming.offline')}</p>}
        {watch.long && <p>{t('confirming.long')}</p>}
      </Alert>
    )
  }
  const alert = (tone: 'info' | 'warning' | 'error', title: string, text?: string): ReactNode => (
    <Alert tone={tone} title={title}>
      {text}
    </Alert>
  )
  switch (end?.result) {
    case 'refunded':
      return alert('warning', t('outcome.refundedTitle'), t('outcome.refunded'))
    case 'takenBack':
      return alert('warning', t('outcome.takenBackTitle'), tErrors('takenBack'))
    case 'review':
      return alert('info', t('outcome.reviewTitle'), t('outcome.review'))
    case 'closed':
      return alert('warning', t('outcome.closedTitle'), t('outcome.closed'))
    // Somebody else's order is unknown, too.
    case 'unknownOrder':
      return alert('warning', t('outcome.otherAccountTitle'), t('outcome.otherAccount'))
    case 'toAct':
      return (
        <Alert
          tone="error"
          title={t('failed')}
          actions={
            <AppLink to={paths.cart()} className={buttonClasses('secondary', 'small')}>
              {t('held.pay')}
            </AppLink>
          }
        >
          {tErrors(end.refusal)}
        </Alert>
      )
    case 'refused':
      return alert('error', t('failed'), end.message || (end.refusal && tErrors(end.refusal)))
    default:
      return null
  }
}
