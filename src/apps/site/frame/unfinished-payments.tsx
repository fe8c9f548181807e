import unfinishedMessages from 'virtual:messages/unfinished'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { AppLink } from '#client/app-link.tsx'
import { ApiError, failureOf } from '#client/api-error.ts'
import { failureTexts, needMessages } from '#client/browser.ts'
import { documentPath } from '#client/documents.ts'
import { checkoutApi } from '#features/purchase/checkout/checkout.api.ts'
import { CONFIRMING, UNFINISHED, paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { onClockCorrected, serverNow } from '#client/server-clock.ts'
import { UNFINISHED_ID, unfinishedOrders } from '#features/purchase/orders/screens/unfinished-orders.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import type { PaymentRefusal } from '#features/purchase/checkout/checkout.contract.ts'
import { captureOrder } from '#features/purchase/checkout/screens/use-order-watch.ts'
import type { UnfinishedOrder } from '#features/purchase/orders/orders.contract.ts'
import { formatEur, formatTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { PROVIDER_NAME } from '#shared/public-settings.ts'

await needMessages(unfinishedMessages)

type Outcome =
  | { kind: 'givenBack' | 'expired' | 'over' | 'paid' | 'underWay' | 'otherAccount' }
  | { kind: 'refused'; why: PaymentRefusal | { text: string } }

/**
 * Payments that the buyer approved and did not finish. Only the buyer's press finishes one: opening a page, or the link of
 * an email, captures nothing (ADR 0007).
 */
export function UnfinishedPayments({ orders }: { orders: readonly UnfinishedOrder[] }): ReactNode {
  const t = useTranslations('unfinished')
  const place = useRef<HTMLElement>(null)
  const [busy, setBusy] = useState<{ orderId: string; what: 'finish' | 'giveBack' }>()
  const [outcome, setOutcome] = useState<Outcome>()
  const asked = useAskedOrder(orders, setOutcome)

  async function act(order: UnfinishedOrder, what: 'finish' | 'giveBack'): Promise<void> {
    place.current?.focus({ preventScroll: true })
    setOutcome(undefined)
    setBusy({ orderId: order.order_id, what })
    setOutcome(await (what === 'finish' ? finish(order.order_id) : giveBack(order.order_id)))
    setBusy(undefined)
    unfinishedOrders.refresh()
    place.current?.focus({ preventScroll: true })
  }

  if (orders.length === 0 && outcome === undefined) return null
  return (
    <section
      ref={place}
      id={UNFINISHED_ID}
      tabIndex={-1}
      aria-label={t('heading')}
      className="page-width grid scroll-mt-28 grid-cols-1 gap-4 pt-6 wrap-anywhere"
    >
      {outcome && <Ended outcome={outcome} />}
      {orders.map((order) => (
        <Unfinished
          key={order.order_id}
          order={order}
          isAsked={order.order_id === asked}
          busy={busy?.orderId === order.order_id ? busy.what : undefined}
          disabled={busy !== undefined}
          onAct={(what) => void act(order, what)}
          onEnd={() => {
            setOutcome({ kind: 'expired' })
            unfinishedOrders.refresh()
          }}
        />
      ))}
    </section>
  )
}

/** @returns undefined once another page follows */
async function finish(orderId: string): Promise<Outcome | undefined> {
  const reading = await captureOrder(orderId)
  switch (reading.result) {
    case 'paid':
      return leaveFor(paths.participations({ success: true }))
    case 'toAct':
      return { kind: 'refused', why: reading.refusal }
    case 'refused':
      return {
        kind: 'refused',
        why: reading.message ? { text: reading.message } : (reading.refusal ?? 'providerRefused'),
      }
    case 'unknownOrder':
      return { kind: 'otherAccount' }
    case 'closed':
      return { kind: 'over' }
    // The page of participations follows what is not certain yet, and says what became of the money.
    default:
      return leaveFor(`${paths.participations()}?${CONFIRMING}=${encodeURIComponent(orderId)}`)
  }
}

/** In a new document, whose lists are up to date. */
function leaveFor(path: string): undefined {
  window.location.assign(documentPath(path))
}

async function giveBack(orderId: string): Promise<Outcome> {
  try {
    const { progress } = await checkoutApi().cancelOrder(orderId)
    if (progress === 'completed') return { kind: 'paid' }
    return { kind: progress === 'closed' || progress === 'refused' ? 'givenBack' : 'underWay' }
  } catch (error) {
    return failed(error)
  }
}

const failed = (error: unknown): Outcome => ({
  kind: 'refused',
  why: { text: failureOf(error, failureTexts()).message },
})

/** What became of an order that a link names and that is not unfinished any more. */
async function lookAt(orderId: string): Promise<Outcome | undefined> {
  try {
    const { progress } = await checkoutApi().orderStatus(orderId)
    if (progress === 'approved' || progress === 'open') return undefined
    if (progress === 'completed') return { kind: 'paid' }
    return { kind: progress === 'closed' || progress === 'refused' ? 'over' : 'underWay' }
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.status === 404
    return isUnknown ? { kind: 'otherAccount' } : failed(error)
  }
}

/** Takes the order of an email's link off the address, and tells when it is not unfinished any more. @returns its id */
function useAskedOrder(
  orders: readonly UnfinishedOrder[],
  tell: (outcome: Outcome | undefined) => void,
): string | undefined {
  const [search, setSearch] = useSearchParams()
  const inAddress = search.get(UNFINISHED)
  const [asked, setAsked] = useState<string>()
  const tellUnlessShown = useEffectEvent((orderId: string, outcome: Outcome | undefined): void => {
    if (outcome && !orders.some((order) => order.order_id === orderId)) tell(outcome)
  })

  useEffect(() => {
    if (inAddress === null) return
    setAsked(inAddress)
    setSearch(
      (current) => {
        current.delete(UNFINISHED)
        return current
      },
      { replace: true, preventScrollReset: true },
    )
    void lookAt(inAddress).then((outcome) => tellUnlessShown(inAddress, outcome))
    // oxlint-disable-next-line react/exhaustive-deps -- `setSearch` changes with every rendering; the address decides
  }, [inAddress])
  return asked
}

const GROWS = { className: 'max-sm:grow' }

interface UnfinishedProps {
  order: UnfinishedOrder
  /** An email's link led to it. */
  isAsked: boolean
  busy: 'finish' | 'giveBack' | undefined
  disabled: boolean
  onAct: (what: 'finish' | 'giveBack') => void
  onEnd: () => void
}

function Unfinished({ order, isAsked, busy, disabled, onAct, onEnd }: UnfinishedProps): ReactNode {
  const t = useTranslations('unfinished')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const place = useRef<HTMLDivElement>(null)
  useEnd(order.held_until, onEnd)
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView({ block: 'center' })
  }, [isAsked])
  return (
    <div ref={place}>
      <Alert
        tone="warning"
        title={t('title', { number: order.number })}
        actions={
          <>
            <Button
              size="small"
              {...GROWS}
              busy={busy === 'finish'}
              disabled={disabled}
              onClick={() => onAct('finish')}
            >
              {t('finish', { amount: formatEur(order.total, language) })}
            </Button>
            <Button
              variant="secondary"
              size="small"
              {...GROWS}
              busy={busy === 'giveBack'}
              disabled={disabled}
              onClick={() => onAct('giveBack')}
            >
              {t('giveBack')}
            </Button>
          </>
        }
      >
        <p>
          {t('text', {
            provider: PROVIDER_NAME,
            time: formatTime(order.held_until, timeZone),
          })}
        </p>
        <p className="text-muted">
          {order.lines.map(({ title, quantity }) => `${title} × ${quantity}`).join(', ')}
        </p>
      </Alert>
    </div>
  )
}

/** @param until ISO 8601, by the database's clock */
function useEnd(until: string, onEnd: () => void): void {
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => end(), Math.max(0, Date.parse(until) - serverNow()))
    }
    wait()
    const forget = onClockCorrected(wait)
    return () => {
      forget()
      clearTimeout(timer)
    }
  }, [until])
}

function Ended({ outcome }: { outcome: Outcome }): ReactNode {
  const t = useTranslations('unfinished')
  const tErrors = useTranslations('errors.checkout')
  const isAtCart = useLocation().pathname === paths.cart()
  switch (outcome.kind) {
    case 'refused':
      return (
        <Alert
          tone="error"
          title={t('failed')}
          actions={
            !isAtCart && (
              <AppLink to={paths.cart()} className={buttonClasses('secondary', 'small')}>
                {t('toCart')}
              </AppLink>
            )
          }
        >
          {typeof outcome.why === 'string' ? tErrors(outcome.why) : outcome.why.text}
        </Alert>
      )
    case 'paid':
      return (
        <Alert
          tone="success"
          title={t('paidTitle')}
          actions={
            <AppLink to={paths.participations()} className={buttonClasses('secondary', 'small')}>
              {t('toParticipations')}
            </AppLink>
          }
        >
          {t('paid')}
        </Alert>
      )
    case 'otherAccount':
      return (
        <Alert tone="warning" title={t('otherAccountTitle')}>
          {t('otherAccount')}
        </Alert>
      )
    default:
      return <Alert title={t(`${outcome.kind}Title`)}>{t(outcome.kind)}</Alert>
  }
}
