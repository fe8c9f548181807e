import { type ReactNode, useEffect, useRef, useState } from 'react'
import { emailLinkApi } from '#features/accounts/email-link.api.ts'
import { failureOf } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useServerNow } from '#client/server-clock.ts'
import { useSettings } from '#client/shell.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { CartItem } from '#features/purchase/cart/cart.contract.ts'
import { picturesOf } from '#features/purchase/cart/screens/cart-parts.tsx'
import type { NewNumbers } from '#features/tickets/screens/new-numbers.tsx'
import { formatEur, formatTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { holdState } from './payment-reading.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import { type Payment, type PaymentState } from './use-payment.ts'

/** The live region exists before its text, so that the text is announced (WCAG 4.1.3). */
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
          {state.refusal && (
            <Alert tone="error">
              {tErrors(state.refusal)}
              {state.refusal !== 'declined' && <ToProvider payment={payment} />}
            </Alert>
          )}
          <Alert title={t('approvalOpen', { provider: PROVIDER_NAME })}>
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
          {state.unconfirmed && <SendLink />}
          {state.toAct && <ToProvider payment={payment} />}
        </Alert>
      )
    default:
      return null
  }
}

/** Leads to the provider's page of the order, where the buyer acts. */
function ToProvider({ payment }: { payment: Payment }): ReactNode {
  const t = useTranslations('checkout')
  return (
    <Button
      variant="secondary"
      size="small"
      className="mt-3"
      onClick={() => void payment.continueToProvider()}
    >
      {t('toAct', { provider: PROVIDER_NAME })}
    </Button>
  )
}

/** Sends the link again that confirms the buyer's address. */
function SendLink(): ReactNode {
  const t = useTranslations('checkout')
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<string>()
  const answer = useRef<HTMLParagraphElement>(null)
  // The button is gone, and the focus with it.
  useEffect(() => answer.current?.focus(), [outcome])
  async function send(): Promise<void> {
    setBusy(true)
    const { detail } = await emailLinkApi()
      .resend()
      .catch((error: unknown) => ({ detail: failureOf(error, failureTexts()).message }))
    setOutcome(detail)
  }
  if (outcome !== undefined)
    return (
      <p ref={answer} tabIndex={-1} className="mt-2 font-semibold">
        {outcome}
      </p>
    )
  return (
    <Button variant="secondary" size="small" className="mt-3" disabled={busy} onClick={() => void send()}>
      {t('sendLink')}
    </Button>
  )
}

const Progress = ({ text }: { text: string }): ReactNode => <p className="text-sm text-muted">{text}</p>

const LOOK_MS = 15_000

interface HoldDeadlineProps {
  expiresAt: string
  /** Undefined once the hold was extended. */
  onExtend: (() => Promise<void>) | undefined
}

/** Shortly before the deadline the page extends the hold itself: the provider's window covers it (WCAG 2.2.1). */
function HoldDeadline({ expiresAt, onExtend }: HoldDeadlineProps): ReactNode {
  const t = useTranslations('checkout')
  const { timeZone } = useSettings()
  const hold = holdState(expiresAt, useServerNow(LOOK_MS))
  const ends = hold.kind === 'soon'
  useEffect(() => {
    if (ends) void onExtend?.()
    // oxlint-disable-next-line react/exhaustive-deps -- `onExtend` is new at each rendering; the hold is extended once
  }, [ends])
  const time = formatTime(expiresAt, timeZone)
  if (hold.kind === 'over') return <p>{t('holdOver')}</p>
  if (hold.kind === 'soon') return <p>{t('holdSoon', { minutes: hold.minutes })}</p>
  return <p>{t('holdUntil', { time })}</p>
}

export const isOutcome = (state: PaymentState): boolean =>
  ['confirming', 'done', 'refunded', 'takenBack', 'review', 'closed'].includes(state.step)

interface PaymentOutcomeProps {
  payment: Payment
  /** What is paid, for its pictures. */
  items: readonly CartItem[]
  Numbers: typeof NewNumbers | undefined
}

export function PaymentOutcome({ payment, items, Numbers }: PaymentOutcomeProps): ReactNode {
  const t = useTranslations('checkout')
  const tErrors = useTranslations('errors.checkout')
  const { state, watch } = payment

  switch (state.step) {
    case 'confirming':
      return (
        <Outcome illustration={<BlankPlate />} title={t('confirming.title')} text={t('confirming.text')}>
          <Spinner className="size-8 text-signal" />
          <div role="status" className="grid max-w-prose gap-2 text-muted empty:absolute">
            {watch.offline && <p>{t('confirming.offline')}</p>}
            {watch.long && <p>{t('confirming.long')}</p>}
          </div>
          {watch.long && <ParticipationsLink variant="secondary" />}
        </Outcome>
      )
    case 'done':
      return (
        <Outcome title={t('success')} text={t('done.numbers', { count: state.tickets.length })}>
          {Numbers ? (
            <Numbers tickets={state.tickets} pictures={picturesOf(items)} />
          ) : (
            <p className="text-title">{state.tickets.map((one) => one.ticket_number).join(' · ')}</p>
          )}
          <div className="grid gap-1 text-muted *:text-balance">
            <p>{t('done.mailed', { count: state.tickets.length })}</p>
            <p>{t('done.redirect')}</p>
          </div>
          <ParticipationsLink variant="primary" />
        </Outcome>
      )
    case 'refunded':
      return <Ended title={t('outcome.refundedTitle')} text={t('outcome.refunded')} />
    case 'takenBack':
      return <Ended title={t('outcome.takenBackTitle')} text={tErrors('takenBack')} />
    case 'review':
      return <Ended title={t('outcome.reviewTitle')} text={t('outcome.review')} />
    case 'closed':
      return <Ended title={t('outcome.closedTitle')} text={t('outcome.closed')} onBack={payment.dismiss} />
    default:
      return null
  }
}

interface OutcomeProps {
  illustration?: ReactNode
  title: string
  text: string
  children?: ReactNode
}

/** Focuses its title, since it replaces the cart. */
function Outcome({ illustration, title, text, children }: OutcomeProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    window.scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
    // A live region announces only text that is added later.
    const frame = requestAnimationFrame(() => setAnnounced(title))
    return () => cancelAnimationFrame(frame)
  }, [title])
  return (
    <div className="page-width grid justify-items-center gap-5 py-12 text-center">
      {illustration}
      <h1 ref={heading} tabIndex={-1} className="text-headline">
        {title}
      </h1>
      <p role="status" className="sr-only">
        {announced}
      </p>
      <p className="max-w-prose text-lg text-balance">{text}</p>
      {children}
    </div>
  )
}

function Ended({ title, text, onBack }: { title: string; text: string; onBack?: () => void }): ReactNode {
  const t = useTranslations('cart')
  return (
    <Outcome illustration={<EmptyBay />} title={title} text={text}>
      {onBack ? (
        <button type="button" onClick={onBack} className={buttonClasses()}>
          {t('retry')}
        </button>
      ) : (
        <AppLink to={paths.offers()} className={buttonClasses()}>
          {t('continue')}
        </AppLink>
      )}
    </Outcome>
  )
}

function ParticipationsLink({ variant }: { variant: 'primary' | 'secondary' }): ReactNode {
  const t = useTranslations('checkout.done')
  return (
    <AppLink to={paths.participations()} className={buttonClasses(variant)}>
      {t('action')}
    </AppLink>
  )
}
