import { type ReactNode, useEffect, useState } from 'react'
import { useSettings } from '#client/shell.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { nowMs } from '#shared/clock.ts'
import { holdState } from './payment-reading.ts'
import { PROVIDER, type Payment } from './use-payment.ts'

/** What the buyer must know at this step of the payment, kept in the page (WCAG 4.1.3: toasts alone pass by). */
export function PaymentNotices({ payment }: { payment: Payment }): ReactNode {
  const t = useTranslations('checkout')
  const tErrors = useTranslations('errors.checkout')
  const language = useLanguage()
  const { state } = payment

  switch (state.step) {
    case 'creating':
      return <Progress text={t('starting')} />
    case 'capturing':
      return <Progress text={t('capturing')} />
    case 'approving':
      return (
        <>
          {state.declined && (
            <Alert tone="error" live>
              {tErrors('declined')}
            </Alert>
          )}
          <Alert live>
            <p>{t('approvalOpen', { provider: PROVIDER })}</p>
            {state.expiresAt !== undefined && <HoldDeadline expiresAt={state.expiresAt} />}
          </Alert>
        </>
      )
    case 'priceChanged':
      return (
        <Alert
          tone="warning"
          live
          title={t('priceChanged.title')}
          actions={
            <Button size="small" onClick={payment.dismiss}>
              {t('priceChanged.confirm', { total: formatEur(state.total, language) })}
            </Button>
          }
        >
          {t('priceChanged.text', {
            total: formatEur(state.total, language),
            previous: formatEur(state.previous, language),
          })}
        </Alert>
      )
    case 'failed':
      return (
        <Alert tone="error" live title={t('error')}>
          <p>{state.text}</p>
          {state.reference !== undefined && (
            <p className="text-muted">{t('reference', { id: state.reference })}</p>
          )}
        </Alert>
      )
    default:
      return null
  }
}

const Progress = ({ text }: { text: string }): ReactNode => (
  <p role="status" className="text-sm text-muted">
    {text}
  </p>
)

const LOOK_MS = 15_000

/** Until when the tickets are the buyer's; warns before the end and says how to keep them (WCAG 2.2.1). */
function HoldDeadline({ expiresAt }: { expiresAt: string }): ReactNode {
  const t = useTranslations('checkout')
  const { timeZone } = useSettings()
  const [now, setNow] = useState(nowMs)
  useEffect(() => {
    const timer = setInterval(() => setNow(nowMs()), LOOK_MS)
    return () => clearInterval(timer)
  }, [])

  const hold = holdState(expiresAt, now)
  const time = formatDateTime(expiresAt, timeZone).slice(-5)
  if (hold.kind === 'over') return <p>{t('holdOver')}</p>
  if (hold.kind === 'soon') return <p>{t('holdSoon', { minutes: hold.minutes })}</p>
  return <p>{t('holdUntil', { time })}</p>
}
