import { type ReactNode, useEffect, useState } from 'react'
import { useSettings } from '#client/shell.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { nowMs } from '#shared/clock.ts'
import { holdState } from './payment-reading.ts'
import { PROVIDER, type Payment } from './use-payment.ts'

/** Notices of the payment. The live region exists before its text, so that the text is announced (WCAG 4.1.3). */
export const PaymentNotices = ({ payment }: { payment: Payment }): ReactNode => (
  <div aria-live="polite" className="grid grid-cols-1 gap-4 empty:absolute">
    <Notice payment={payment} />
  </div>
)

function Notice({ payment }: { payment: Payment }): ReactNode {
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
          {state.declined && <Alert tone="error">{tErrors('declined')}</Alert>}
          <Alert title={t('approvalOpen', { provider: PROVIDER })}>
            {state.expiresAt !== undefined && (
              <HoldDeadline
                expiresAt={state.expiresAt}
                onExtend={state.canExtend ? () => payment.extendHold(state.orderId) : undefined}
              />
            )}
          </Alert>
        </>
      )
    case 'priceChanged':
      return (
        <>
          <Alert tone="warning" title={t('priceChanged.title')}>
            {t('priceChanged.text', {
              total: formatEur(state.total, language),
              previous: formatEur(state.previous, language),
            })}
          </Alert>
          <Button wide onClick={payment.dismiss}>
            {t('priceChanged.confirm', { total: formatEur(state.total, language) })}
          </Button>
        </>
      )
    case 'failed':
      return (
        <Alert tone="error" title={t('error')}>
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

const Progress = ({ text }: { text: string }): ReactNode => <p className="text-sm text-muted">{text}</p>

const LOOK_MS = 15_000

interface HoldDeadlineProps {
  expiresAt: string
  /** Undefined when the hold was extended before. */
  onExtend: (() => Promise<void>) | undefined
}

/**
 * The deadline of the hold. Shortly before it the page extends the hold by itself, since the provider's window covers
 * the page (WCAG 2.2.1).
 */
function HoldDeadline({ expiresAt, onExtend }: HoldDeadlineProps): ReactNode {
  const t = useTranslations('checkout')
  const { timeZone } = useSettings()
  const [now, setNow] = useState(nowMs)
  useEffect(() => {
    const timer = setInterval(() => setNow(nowMs()), LOOK_MS)
    return () => clearInterval(timer)
  }, [])

  const hold = holdState(expiresAt, now)
  const ends = hold.kind === 'soon'
  useEffect(() => {
    if (ends) void onExtend?.()
    // oxlint-disable-next-line react/exhaustive-deps -- `onExtend` is new at each rendering; the hold is extended once
  }, [ends])
  const time = formatDateTime(expiresAt, timeZone).slice(-5)
  if (hold.kind === 'over') return <p>{t('holdOver')}</p>
  if (hold.kind === 'soon') return <p>{t('holdSoon', { minutes: hold.minutes })}</p>
  return <p>{t('holdUntil', { time })}</p>
}
