import { Check } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { useBillingCountry } from '#features/purchase/cart/screens/billing-country.ts'
import { useLastMinutes } from '#features/offers/screens/live-offers.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { PaymentNotices } from './payment-views.tsx'
import type { Payment } from './use-payment.ts'
import type { WalletButtonsProps } from './wallet-buttons.tsx'

interface PaymentPanelProps {
  payment: Payment
  /** The reason, and the id of the field to fill in. */
  blocked: { text: string; at?: string } | undefined
  /** A change of the cart is being saved. */
  waiting: boolean
  held: boolean
  /** The earliest end of the cart's contests, ISO 8601. */
  contestsEnd: string | undefined
}

export const PAYMENT_ID = 'payment'

/** The provider's buttons, or a link to its page. */
export function PaymentPanel({ payment, blocked, waiting, held, contestsEnd }: PaymentPanelProps): ReactNode {
  const t = useTranslations('checkout')
  const { step } = payment.state
  const busy = step === 'creating' || step === 'capturing' || step === 'redirecting'
  // A button confirms a changed total in place of the ways to pay.
  const asks = step === 'priceChanged'
  const heading = useFocusAfter(asks)
  return (
    <section aria-label={t('heading')} className="grid grid-cols-1 gap-3">
      <h3 ref={heading} id={PAYMENT_ID} tabIndex={-1} className="scroll-mt-28 text-lg">
        {t('heading')}
      </h3>
      <PaymentDuties />
      <PaymentNotices payment={payment} />
      <div aria-live="polite" hidden={asks}>
        {blocked === undefined ? (
          <Ways payment={payment} disabled={busy || waiting || asks} />
        ) : (
          <div className="grid gap-2">
            <Button wide disabled aria-describedby="payment-blocked">
              {t('toProvider')}
            </Button>
            <p id="payment-blocked" className="text-sm text-muted">
              {blocked.at === undefined ? (
                blocked.text
              ) : (
                <a href={`#${blocked.at}`} className="prose-link inline-block py-1">
                  {blocked.text}
                </a>
              )}
            </p>
          </div>
        )}
      </div>
      <Guarantees held={held} contestsEnd={contestsEnd} />
    </section>
  )
}

/** Stands before the pay buttons (storefront U7). */
function PaymentDuties(): ReactNode {
  const t = useTranslations('checkout')
  return (
    <div className="grid grid-cols-1 gap-1 text-sm">
      <p className="text-base font-semibold wrap-anywhere">{t('obligation')}</p>
      <p className="text-muted">
        {t.rich('acceptRules', {
          rules: (text) => (
            <AppLink to={paths.terms()} className="prose-link">
              {text}
            </AppLink>
          ),
        })}
      </p>
    </div>
  )
}

function Guarantees({ held, contestsEnd }: Pick<PaymentPanelProps, 'held' | 'contestsEnd'>): ReactNode {
  const t = useTranslations('checkout')
  const { holdMinutes } = useSettings()
  const lastMinutes = useLastMinutes(contestsEnd, holdMinutes)
  const hold =
    lastMinutes === undefined
      ? t('holdNotice', { minutes: holdMinutes })
      : t('holdShort', { minutes: lastMinutes })
  const guarantees = [...(held ? [] : [hold]), t('numbersNotice'), t('refundNotice', PROMISES)]
  return (
    <ul className="grid grid-cols-1 gap-1.5 text-sm text-muted">
      {guarantees.map((text) => (
        <li key={text} className="flex gap-2">
          <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-success" />
          <span className="text-pretty">{text}</span>
        </li>
      ))}
    </ul>
  )
}

/** Focuses this element once the button that confirmed a changed total is removed. */
function useFocusAfter(asks: boolean) {
  const place = useRef<HTMLHeadingElement>(null)
  const asked = useRef(asks)
  useEffect(() => {
    if (asked.current && !asks) place.current?.focus({ preventScroll: true })
    asked.current = asks
  }, [asks])
  return place
}

function Ways({ payment, disabled }: { payment: Payment; disabled: boolean }): ReactNode {
  const t = useTranslations('checkout')
  const language = useLanguage()
  const { paypal } = useSettings()
  const country = useBillingCountry()
  const { step } = payment.state
  const { Wallet, failed, retry } = useWallet(paypal.flow === 'buttons')

  const toProvider = (
    <Button
      wide
      disabled={disabled}
      busy={payment.state.step === 'redirecting'}
      busyText={t('redirecting')}
      onClick={() => void payment.continueToProvider()}
    >
      {t('toProvider')}
    </Button>
  )
  const loading = (
    <p className="flex min-h-12 items-center justify-center gap-3 text-muted">
      <Spinner />
      {t('scriptLoading')}
    </p>
  )
  const rejected = (again: () => void): ReactNode => (
    <div className="grid gap-3">
      {payment.state.step === 'idle' && (
        <Alert
          actions={
            <Button variant="secondary" size="small" onClick={again}>
              {t('scriptRetry')}
            </Button>
          }
        >
          {t('scriptFailed')}
        </Alert>
      )}
      {toProvider}
    </div>
  )

  if (paypal.flow === 'redirect') return toProvider
  if (failed) return rejected(retry)
  if (!Wallet) return loading
  return (
    <Wallet
      paypal={paypal}
      language={language}
      country={country}
      disabled={disabled}
      paying={step !== 'idle' && step !== 'failed' && step !== 'priceChanged'}
      createOrder={async () => (await payment.createOrder()).order_id}
      onApprove={payment.approve}
      onCancel={(orderId) => void payment.cancel(orderId)}
      onError={payment.onProviderError}
      loading={loading}
      rejected={rejected}
    />
  )
}

function useWallet(wanted: boolean) {
  const [Wallet, setWallet] = useState<ComponentType<WalletButtonsProps>>()
  const [failed, setFailed] = useState(false)

  useEffect(() => {
    if (!wanted || failed) return
    import('./wallet-buttons.tsx').then(
      (module) => setWallet(() => module.WalletButtons),
      () => setFailed(true),
    )
  }, [wanted, failed])

  return { Wallet, failed, retry: () => setFailed(false) }
}
