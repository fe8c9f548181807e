import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { toast } from '#client/toast.ts'
import { Alert } from '#ui/alert.tsx'
import { useTranslations } from '#i18n/translations.tsx'
import { type WatchedEnd, useOrderWatch } from './use-order-watch.ts'

/** Query parameter with the order that was not confirmed yet when the buyer came back from the provider. */
const CONFIRMING = 'confirming'

/**
 * Watches the order named in the address until its end is known; the address keeps it until then, so that a reload goes
 * on watching.
 * @param props.onPaid called once the numbers are there
 */
export const ConfirmingNotice = ({ onPaid }: { onPaid: () => void }): ReactNode => (
  <div aria-live="polite" className="empty:absolute">
    <Watched onPaid={onPaid} />
  </div>
)

function Watched({ onPaid }: { onPaid: () => void }): ReactNode {
  const t = useTranslations('checkout')
  const tErrors = useTranslations('errors.checkout')
  const [search, setSearch] = useSearchParams()
  const [end, setEnd] = useState<WatchedEnd>()
  const orderId = search.get(CONFIRMING) || undefined
  const watch = useOrderWatch(orderId, onEnd)

  function onEnd(reached: WatchedEnd): void {
    setEnd(reached)
    setSearch(
      (current) => {
        current.delete(CONFIRMING)
        return current
      },
      { replace: true, preventScrollReset: true },
    )
    if (reached.end !== 'paid') return
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
  const says = (tone: 'info' | 'warning' | 'error', title: string, text?: string): ReactNode => (
    <Alert tone={tone} title={title}>
      {text}
    </Alert>
  )
  switch (end?.end) {
    case 'refunded':
      return says('warning', t('outcome.refundedTitle'), t('outcome.refunded'))
    case 'takenBack':
      return says('warning', t('outcome.takenBackTitle'), tErrors('takenBack'))
    case 'review':
      return says('info', t('outcome.reviewTitle'), t('outcome.review'))
    case 'closed':
      return says('warning', t('outcome.closedTitle'), t('outcome.closed'))
    case 'declined':
      return says('error', t('failed'), tErrors('declined'))
    case 'refused':
      return says('error', t('failed'), end.message)
    default:
      return null
  }
}
